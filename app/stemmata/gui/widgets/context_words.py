"""Texts that several views of the context share."""

from __future__ import annotations

from stemmata.domain.entries.tokens import Figure, FigureKind
from stemmata.gui.widgets.categories import COLORS, category_name, figure_text, figure_with_noun, tokens_text, tr
from stemmata.gui.widgets.figures import percent

__all__ = [
    "COLORS",
    "category_name",
    "figure_text",
    "figure_with_noun",
    "origin_text",
    "percent_text",
    "tokens_text",
    "tr",
]


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
