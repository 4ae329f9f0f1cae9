"""The pieces that the bodies of unfolded tool calls consist of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from stemmata.domain.entries.blocks import Image, ToolCall, plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.text.markdown import is_safe_link

NEWLINE, BREAK = "\n", "<br />"

Inside = Callable[[CardStyle, CardContent, ToolCall, LoadedEntry | None], list[Piece]]
"""The unfolded part of a call of one kind; nothing when its arguments are not what that kind has."""


def first_text(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the first value under these names that is a text and not empty, else ""."""
    found = (values.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")


def caption(style: CardStyle, text: str) -> LinePiece:
    """Return a line above a part of a tool's body."""
    return LinePiece(style, [Word(text, "faint")], gap=2)


def plain(style: CardStyle, text: str, *, color: str = "text", gap: int = 0, hung: bool = False) -> TextPiece:
    """Return lines in the text font, without interpreting markup. `hung`: the lines after the first are indented."""
    kind = ' class="hung"' if hung else ""
    html = f"<div{kind}>{escape(text).replace(NEWLINE, BREAK)}</div>"
    return TextPiece(style, style.prose(html), color=color, gap=gap)


def link(style: CardStyle, url: str, title: str = "") -> list[Piece]:
    """Return a title and its address as a link; the address is plain text when it must not be opened."""
    lines: list[Piece] = [plain(style, title, gap=2)] if title else []
    if not is_safe_link(url):
        return [*lines, plain(style, url, color="dim")] if url else lines
    document = style.prose(f'<div><a href="{escape(url)}">{escape(url)}</a></div>')
    return [*lines, TextPiece(style, document, gap=0)]


def result(style: CardStyle, content: CardContent, answer: LoadedEntry | None, *, prose: bool = False) -> list[Piece]:
    """Return the pieces of a call's result: images and text. `prose`: the text is Markdown unless the call failed."""
    if answer is None:
        return []
    images = [block for block in answer.body.blocks if isinstance(block, Image)]
    out = [parts.picture(style, image, images) for image in images]
    text = plain_text(answer.body.blocks)
    if text.strip():
        own = CardContent(answer, whole=content.whole)
        failed = bool(answer.row.flags & Flag.FAILED)
        is_prose = prose and not failed
        shown = parts.long_prose(style, own, text, gap=1) if is_prose else parts.output(style, own, text)
        out += [caption(style, tr("Error") if failed else tr("Result")), *shown]
    return out
