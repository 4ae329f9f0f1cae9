"""Recognises formulas in a line of Markdown, which are shown as they are written (decision 34).

The parsers of the window and of exported pages are both of markdown-it; `inline_formula` is their rule. Protocols
describe the parts of the parser that the rule uses, since the domain imports no library.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, Protocol

MOST_FORMULA = 2_000  # characters of a formula within a line
_ENDS = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_SIGNS = re.compile(r"[\\^_{}=<>+|]|^\W*[A-Za-z]\W*$")  # signs of a formula that prices and names do not have
_LATEX = re.compile(r"\\[A-Za-z]|_\{|\^")  # a command, or a raised or lowered part


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

    These are `$…$`, `$$…$$`, `\\(…\\)` and `\\[…\\]`. The last one must be on separate lines, or contain a command, a
    superscript or a subscript; any other is an escaped bracket. Prices and shell variables are no formulas: no letter
    or digit may touch the signs from outside, no space from inside, and `$…$` must contain a sign of mathematics or a
    single letter.
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
        is_formula = bool(content) and (
            opened == "\\(" or {before, after} <= {"", "\n"} or bool(_LATEX.search(content))
        )
    return Formula(opened, content, closed, end + len(closed)) if is_formula else None


class InlineToken(Protocol):
    """A token that a parser makes of a part of a line."""

    content: str


class InlineState(Protocol):
    """The state of a parser of markdown-it inside a line: its text, the position reached, and the end of the line."""

    src: str
    pos: int
    posMax: int  # the parser's name

    def push(self, ttype: str, tag: str, nesting: Literal[0], /) -> InlineToken:
        """Add a token and return it."""
        ...


def inline_formula(state: InlineState, silent: bool) -> bool:  # noqa: FBT001  # as the parser calls it
    """Add a token `math_inline` for a formula that begins at the state's position, unless `silent`, and go behind it.

    Return whether a formula begins there. The token's content is the formula with its signs.
    """
    found = formula_at(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("math_inline", "math", 0).content = found.written
    state.pos = found.end
    return True
