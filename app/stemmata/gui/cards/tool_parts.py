"""The pieces that the bodies of unfolded tool calls consist of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any, Literal

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.text.links import is_safe_link
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.core.pages import LoadedEntry

NEWLINE, BREAK = "\n", "<br />"
MOST_ARGUMENTS, LONGEST_ARGUMENT = 12, 200  # arguments in a line, and characters of one

Inside = Callable[[CardStyle, CardContent, ToolCall, LoadedEntry | None], list[Piece]]
"""The unfolded part of a call of one kind; nothing when its arguments are not what that kind has."""


def of_result(pieces: list[Piece], answer: LoadedEntry) -> list[Piece]:
    """Return the pieces after noting that they show a result, so that a match in it is found there."""
    for piece in pieces:
        piece.result_key = answer.row.key
    return pieces


def caption(style: CardStyle, text: str) -> LinePiece:
    """Return a line above a part of a tool's body."""
    return LinePiece(style, [Word(text, "faint")], gap=2)


def plain(
    style: CardStyle, text: str, *, color: str = "text", gap: int = 0, kind: Literal["", "hung", "note"] = ""
) -> TextPiece:
    """Return lines in the text font, without interpreting markup.

    Of a "hung" text the lines after the first are indented; a "note" is small.
    """
    attribute = f' class="{kind}"' if kind else ""
    html = f"<div{attribute}>{escape(text).replace(NEWLINE, BREAK)}</div>"
    return TextPiece(style, style.prose(html), color=color, gap=gap)


def note(style: CardStyle, text: str) -> TextPiece:
    """Return small faint words beside the content of a tool's body."""
    return plain(style, text, color="faint", gap=1, kind="note")


def link(style: CardStyle, url: str, title: str = "") -> list[Piece]:
    """Return a title and its address as a link; the address is plain text when it must not be opened."""
    lines: list[Piece] = [plain(style, title, gap=2)] if title else []
    if not is_safe_link(url):
        return [*lines, plain(style, url, color="dim")] if url else lines
    document = style.prose(f'<div><a href="{escape(url)}">{escape(url)}</a></div>')
    return [*lines, TextPiece(style, document, gap=0)]


def rest_of(style: CardStyle, arguments: Mapping[str, Any], without: Iterable[str]) -> list[Piece]:
    """Return a line with the arguments that are not shown elsewhere, such as `glob: *.py · -n: true`."""
    hidden = frozenset(without)
    shown = [f"{name}: {_short(value)}" for name, value in arguments.items() if name not in hidden][:MOST_ARGUMENTS]
    return [note(style, " · ".join(shown))] if shown else []


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text[:LONGEST_ARGUMENT].split()) + ("…" if len(text) > LONGEST_ARGUMENT else "")
