"""Categories of a context and their figures: colours and words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.line import Category
from stemmata.domain.tokens import Figure, FigureKind
from stemmata.gui.widgets.token_figures import short_text

COLORS = {
    Category.SYSTEM: "system",
    Category.TOOL_DEFINITIONS: "tool_definitions",
    Category.SUMMARIES: "summary",
    Category.USER: "user",
    Category.ASSISTANT: "assistant",
    Category.THINKING: "thinking",
    Category.TOOL_CALLS: "tool_definitions",
    Category.TOOL_RESULTS: "tool",
    Category.IMAGES: "image",
    Category.MEMORY: "memory",
}


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Context", text, comment, count)


def category_name(category: Category) -> str:
    match category:
        case Category.SYSTEM:
            return tr("System prompt")
        case Category.TOOL_DEFINITIONS:
            return tr("Tool definitions")
        case Category.SUMMARIES:
            return tr("Summaries")
        case Category.USER:
            return tr("User")
        case Category.ASSISTANT:
            return tr("Assistant")
        case Category.THINKING:
            return tr("Thinking")
        case Category.TOOL_CALLS:
            return tr("Tool calls")
        case Category.TOOL_RESULTS:
            return tr("Tool results")
        case Category.IMAGES:
            return tr("Images")
        case Category.MEMORY:
            return tr("Memory")


def tokens_text(count: int) -> str:
    """`950`, `9.4k`, `200k`."""
    return short_text(count).replace(f"{QLocale().decimalPoint()}0", "")


def figure_text(figure: Figure) -> str:
    """`124.6k`, `≈ 33.1k` when estimated, `—` when unknown."""
    if figure.value is None:
        return "—"
    mark = "≈ " if figure.kind is FigureKind.ESTIMATED else ""
    return mark + tokens_text(figure.value)
