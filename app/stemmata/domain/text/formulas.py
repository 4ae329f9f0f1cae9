"""Recognises formulas in a line of Markdown, which are shown as they are written (decision 34)."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_FORMULA = 2_000  # characters of a formula within a line
_ENDS = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_SIGNS = re.compile(r"[\\^_{}=<>+|]|^\W*[A-Za-z]\W*$")  # signs of a formula that prices and names do not have


class Formula(NamedTuple):
    """A formula in a text: the signs that open and close it, its content, and the character after it."""

    opened: str
    content: str
    closed: str
    end: int

    @property
    def written(self) -> str:
        """The formula with its signs."""
        return f"{self.opened}{self.content}{self.closed}"


def formula_at(text: str, start: int, stop: int) -> Formula | None:
    """Return the formula that begins at a character and ends before `stop`; None where there is none.

    These are `$…$`, `$$…$$`, `\\(…\\)`, and `\\[…\\]` on lines of its own; elsewhere that is an escaped bracket.
    Prices and shell variables are no formulas: no letter or digit may touch the signs from outside, no space from
    inside, and `$…$` must contain a sign of mathematics or a single letter.
    """
    opened = next((sign for sign in _ENDS if text.startswith(sign, start)), "")
    if not opened:
        return None
    inner, closed = start + len(opened), _ENDS[opened]
    end = text.find(closed, inner, min(start + MOST_FORMULA, stop))
    before, after = text[start - 1 : start], text[end + len(closed) : end + len(closed) + 1]
    content = text[inner:end] if end >= 0 else ""
    if opened in ("$", "$$"):
        is_formula = bool(_SIGNS.search(content)) and content == content.strip() and "\n\n" not in content
        is_formula = is_formula and not before.isalnum() and not after.isalnum()
    else:
        is_formula = bool(content) and (opened == "\\(" or {before, after} <= {"", "\n"})
    return Formula(opened, content, closed, end + len(closed)) if is_formula else None
