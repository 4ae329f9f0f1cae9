"""Texts and colours that several views of the context share: categories, figures with their origin, shares."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import Figure, FigureKind
from stemmata.gui.widgets.figures import figure_text, percent

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
    Category.SKILLS: "skills",
}


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the context's categories."""
    return QCoreApplication.translate("Context", text, comment, count)


def figure_with_noun(figure: Figure) -> str:
    """Format a figure with its noun: `≈ 33.1k tokens`, `1 token`, `— tokens` when unknown."""
    words = tr("{0} token") if figure.value == 1 else tr("{0} tokens")
    return words.format(figure_text(figure))


def category_name(category: Category) -> str:
    """Return the translated name of a category."""
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
        case Category.SKILLS:
            return tr("Skills")


def origin_text(figure: Figure) -> str:
    """Return how a figure is known, in words; "" for an unknown one."""
    match figure.kind:
        case FigureKind.REPORTED:
            return tr("Reported by the provider with a reply")
        case FigureKind.COUNTED:
            return tr("Counted by the provider")
        case FigureKind.ESTIMATED:
            return tr("Estimated from the text")
        case FigureKind.UNKNOWN:
            return ""


def percent_text(part: int, whole: int) -> str:
    """Return a share without decimals: `17%`; `<1%` for a small part, "" when `whole` is 0."""
    if whole <= 0:
        return ""
    share = 100 * part / whole
    return percent("<1" if 0 < share < 1 else share)
