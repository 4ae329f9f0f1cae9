"""Highlights code in short steps, since a lexer may take longer than a frame."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_INNER = re.compile(r"^\s*```(\w+)", re.MULTILINE)  # languages of fenced code in Markdown
# lets a lexer of markup load the lexers of embedded languages
EMBEDDED = "<style>a{}</style><script>a</script><?php a ?>"
MOST_CHARACTERS = 50_000
MOST_LINES = 800
PATIENCE = 0.002  # maximum wait for a lexer in one step, in seconds
TOKENS = 4  # number of tokens in one step

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
}  # Pygments token type → colour token


class Highlighting:
    """Highlights a text in the documents that show its parts. Long texts and unknown languages stay plain.

    Colours do not change the height of a document.
    """

    def __init__(self, text: str, language: str, colors: Mapping[str, QColor]) -> None:
        self._language = language if len(text) <= MOST_CHARACTERS and text.count("\n") < MOST_LINES else ""
        self._text = text if self._language else ""
        self._colors = colors
        self._formats: dict[Any, QTextCharFormat | None] = {}
        self._starts: list[int] = []  # starts of the coloured ranges, in UTF-16 units
        self._stretches: list[tuple[int, QTextCharFormat]] = []  # end and format of each coloured range
        self._is_lexed = not self._language
        self._waiting: list[tuple[QTextDocument, int]] = []
        self._work: Iterator[None] | None = None
        # document and range with new formats since its last layout
        self._changed: tuple[QTextDocument, int, int] | None = None

    @property
    def is_done(self) -> bool:
        """Whether all documents are highlighted."""
        return self._is_lexed and not self._waiting

    def add(self, document: QTextDocument, start: int = 0) -> None:
        """Add a document that shows the text from the character `start` on."""
        if self._language:
            self._waiting.append((document, len(_two_units(self._text[:start]))))

    def work(self, seconds: float) -> bool:
        """Continue for about this many seconds; return whether all documents are highlighted."""
        end = perf_counter() + seconds
        while not self.is_done:
            if self._work is None:
                self._work = self._run()
            if not all(perf_counter() < end for _ in self._work):
                break
            self._work = None
        self._lay_out_anew()
        return self.is_done

    def _lay_out_anew(self) -> None:
        """Lay out the blocks with new formats again, since setting formats drops the lines that are painted."""
        if self._changed is not None:
            document, start, stop = self._changed
            self._changed = None
            document.markContentsDirty(start, stop - start)

    def _run(self) -> Iterator[None]:
        if not self._is_lexed:
            yield from self._lex()
            self._is_lexed = True
        while self._waiting:
            document, offset = self._waiting[0]
            block = document.firstBlock()
            while block.isValid():
                self._color(document, block, offset)
                block = block.next()
                yield
            self._lay_out_anew()
            self._waiting.pop(0)

    def _lex(self) -> Iterator[None]:
        loader = ThreadPoolExecutor(1)
        # loading a lexer takes up to 0.1 s
        loading = loader.submit(_lexer, self._language, self._text)
        loader.shutdown(wait=False)
        while not wait([loading], PATIENCE).done:
            yield
        lexer = loading.result()
        if lexer is None:
            self._waiting.clear()
            self._language = ""
            return
        yield
        for count, (at, kind, value) in enumerate(lexer.get_tokens_unprocessed(_two_units(self._text))):
            style = self._format(kind)
            if style is not None:
                self._starts.append(at)
                self._stretches.append((at + len(value), style))
            if count % TOKENS == 0:
                yield

    def _color(self, document: QTextDocument, block: QTextBlock, offset: int) -> None:
        """Set the colours of a block, that is, a line."""
        start = offset + block.position()
        stop = start + block.length() - 1
        first = max(bisect_right(self._starts, start) - 1, 0)
        ranges: list[QTextLayout.FormatRange] = []
        for at in range(first, bisect_left(self._starts, stop)):
            (end, style), begin = self._stretches[at], max(self._starts[at], start)
            if begin < min(end, stop):
                ranges.append(_range(begin - start, min(end, stop) - begin, style))
        if ranges:
            block.layout().setFormats(ranges)
            changed = block.position() if self._changed is None else self._changed[1]
            self._changed = document, changed, block.position() + block.length()

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


def _two_units(text: str) -> str:
    """Replace characters of two UTF-16 units by two characters, since documents count UTF-16 units."""
    return _ASTRAL.sub("□□", text)


def _lexer(language: str, text: str) -> Lexer | None:
    """Return the lexer of a language, None for an unknown one; also load the lexers that it needs for `text`."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    for inner in set(_INNER.findall(text)):
        with suppress(ClassNotFound):
            get_lexer_by_name(inner)
    for _ in lexer.get_tokens_unprocessed(EMBEDDED):
        pass
    return lexer


def _range(start: int, length: int, style: QTextCharFormat) -> QTextLayout.FormatRange:
    out = QTextLayout.FormatRange()
    out.start, out.length, out.format = start, length, style
    return out
