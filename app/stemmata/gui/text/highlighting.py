"""Colours for code, a slice at a time: a lexer can take long, the window may not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
MOST_CHARACTERS = 50_000
MOST_LINES = 800

STYLES = {
    "Keyword": "code_keyword",
    "Operator.Word": "code_keyword",
    "Literal.String": "code_string",
    "Literal.Number": "code_number",
    "Comment": "code_comment",
    "Name.Function": "code_name",
    "Name.Tag": "code_name",
    "Name.Class": "code_type",
    "Name.Builtin": "code_type",
    "Name.Decorator": "code_type",
    "Name.Attribute": "code_type",
    "Keyword.Type": "code_type",
    "Generic.Deleted": "bad",
    "Generic.Inserted": "good",
    "Generic.Heading": "dim",
    "Generic.Subheading": "code_name",
}  # Pygments token type: colour token


class Highlighting:
    """Colours the text of one document. Nothing happens for unknown languages and for very long texts.

    Colours change no metrics: the document keeps its height.
    """

    def __init__(self, document: QTextDocument, language: str, colors: Mapping[str, QColor]) -> None:
        self._document = document
        self._language = language
        self._colors = colors
        self._formats: dict[Any, QTextCharFormat | None] = {}
        self._work: Iterator[None] | None = None
        self._changed: tuple[int, int] | None = None  # from, to: what got formats since it was laid out

    def work(self, seconds: float) -> bool:
        """Go on for about this long. True when the work is done."""
        if self._work is None:
            self._work = self._run()
        end = perf_counter() + seconds
        done = all(perf_counter() < end for _ in self._work)
        self._lay_out_anew()
        return done

    def _lay_out_anew(self) -> None:
        """Formats throw away the lines of a block: until it is laid out again nothing of it is painted."""
        if self._changed is not None:
            start, stop = self._changed
            self._changed = None
            self._document.markContentsDirty(start, stop - start)

    def _run(self) -> Iterator[None]:
        text = _ASTRAL.sub("□□", self._document.toPlainText())  # positions in a document count UTF-16 units
        if len(text) > MOST_CHARACTERS or self._document.blockCount() > MOST_LINES:
            return
        lexer = _lexer(self._language)
        if lexer is None:
            return
        yield
        block = self._document.firstBlock()
        ranges: list[QTextLayout.FormatRange] = []
        for at, kind, value in lexer.get_tokens_unprocessed(text):
            start, stop = at, at + len(value)
            while block.isValid() and start >= block.position() + block.length():
                block, ranges = self._finish(block, ranges), []
                yield
            style = self._format(kind)
            while style is not None and start < stop and block.isValid():
                end = min(stop, block.position() + block.length() - 1)
                ranges.append(_range(start - block.position(), end - start, style))
                start = block.position() + block.length()
                if start < stop:
                    block, ranges = self._finish(block, ranges), []
                    yield
        self._finish(block, ranges)

    def _finish(self, block: QTextBlock, ranges: list[QTextLayout.FormatRange]) -> QTextBlock:
        """Set the colours of a block; returns the next one."""
        if ranges and block.isValid():
            block.layout().setFormats(ranges)
            start = block.position() if self._changed is None else self._changed[0]
            self._changed = start, block.position() + block.length()
        return block.next()

    def _format(self, kind: Any) -> QTextCharFormat | None:
        if kind not in self._formats:
            self._formats[kind] = self._look_up(kind)
        return self._formats[kind]

    def _look_up(self, kind: Any) -> QTextCharFormat | None:
        while kind:
            color = STYLES.get(".".join(kind))
            if color is not None:
                style = QTextCharFormat()
                style.setForeground(self._colors[color])
                return style
            kind = kind.parent
        return None


def _lexer(language: str) -> Lexer | None:
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _range(start: int, length: int, style: QTextCharFormat) -> QTextLayout.FormatRange:
    out = QTextLayout.FormatRange()
    out.start, out.length, out.format = start, length, style
    return out
