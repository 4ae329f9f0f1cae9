"""Texts that several views of the context share."""

from __future__ import annotations

from stemmata.gui.widgets.categories import COLORS, category_name, figure_text, tokens_text, tr
from stemmata.gui.widgets.figures import percent

__all__ = ["COLORS", "category_name", "figure_text", "percent_text", "tokens_text", "tr"]


def percent_text(part: int, whole: int) -> str:
    """Return a share without decimals: `17%`; `<1%` for a small part, "" when `whole` is 0."""
    if whole <= 0:
        return ""
    share = 100 * part / whole
    return percent("<1" if 0 < share < 1 else share)
