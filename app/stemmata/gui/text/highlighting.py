"""Highlights code in short steps, since a lexer may take longer than a frame."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_INNER = re.compile(r"^\s*```(\w+)", re.MULTILINE)  # languages of fenced code in Markdown
MARKDOWN = frozenset({"markdown", "md"})
# lets a lexer of markup load the lexers of embedded languages
EMBEDDED = "<style>a{}</style><script>a</script><?php a ?>"
MOST_CHARACTERS = 50_000
MOST_LINES = 3_000
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


class _Languages(NamedTuple):
    """The language of a text, and those of the fenced code in it if it is Markdown."""

    outer: str
    inner: frozenset[str]


def _languages(language: str, text: str) -> _Languages:
    return _Languages(language, frozenset(_INNER.findall(text)) if language in MARKDOWN else frozenset())


class Lexers:
    """The lexers of languages. Each is loaded once, on another thread, which takes up to 0.1 s."""

    def __init__(self) -> None:
        self._loaded: dict[_Languages, Callable[[], Lexer] | None] = {}
        self._loading: dict[_Languages, Future[Callable[[], Lexer] | None]] = {}

    def has(self, languages: _Languages) -> bool:
        """Return whether the lexer is loaded, or the language known to have none."""
        return languages in self._loaded

    def load(self, languages: _Languages, seconds: float) -> bool:
        """Load the lexer and wait at most `seconds` for it. Return whether it is loaded."""
        if languages not in self._loaded:
            if languages not in self._loading:
                thread = ThreadPoolExecutor(1)
                self._loading[languages] = thread.submit(_load, languages)
                thread.shutdown(wait=False)
            if not wait([self._loading[languages]], seconds).done:
                return False
            self._loaded[languages] = self._loading.pop(languages).result()
        return True

    def lexer(self, languages: _Languages) -> Lexer | None:
        """Return a new lexer for languages that are loaded; None for an unknown one."""
        make = self._loaded[languages]
        return make() if make is not None else None


class Highlighting:
    """Highlights a text in the documents that show its parts. Long texts and unknown languages stay plain.

    Colours do not change the height of a document.
    """

    def __init__(self, text: str, language: str, colors: Mapping[str, QColor], lexers: Lexers) -> None:
        self._lexers = lexers
        self._language = language if len(text) <= MOST_CHARACTERS and text.count("\n") < MOST_LINES else ""
        self._text = text if self._language else ""
        self._languages = _languages(self._language, self._text)
        self._colors = colors
        self._formats: dict[Any, QTextCharFormat | None] = {}
        self._starts: list[int] = []  # starts of the coloured ranges, in UTF-16 units
        self._stretches: list[tuple[int, QTextCharFormat]] = []  # end and format of each coloured range
        self._is_lexed = not self._language
        self._waiting: list[tuple[QTextDocument, int]] = []
        self._plain: dict[int, list[QTextLayout.FormatRange]] = {}  # line → ranges that keep one colour
        self._work: Iterator[None] | None = None
        # document and range with new formats since its last layout
        self._changed: tuple[QTextDocument, int, int] | None = None

    @property
    def is_done(self) -> bool:
        """Whether all documents are highlighted."""
        return self._is_lexed and not self._waiting

    @property
    def has_lexer(self) -> bool:
        """Whether `work` needs to load no lexer."""
        return self._is_lexed or self._lexers.has(self._languages)

    def add(self, document: QTextDocument, start: int = 0) -> None:
        """Add a document that shows the text from the character `start` on."""
        if self._language:
            self._waiting.append((document, len(_two_units(self._text[:start]))))

    def keep(self, line: int, start: int, length: int, color: QColor) -> None:
        """Give a range of a line one colour, whatever the language says; in UTF-16 units."""
        style = QTextCharFormat()
        style.setForeground(color)
        self._plain.setdefault(line, []).append(_range(start, length, style))

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
        while not self._lexers.load(self._languages, PATIENCE):
            yield
        lexer = self._lexers.lexer(self._languages)
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
            ranges += self._plain.get(block.blockNumber(), ())  # of ranges that overlap, the last one counts
            block.layout().setFormats(ranges)
            changed = block.position() if self._changed is None else self._changed[1]
            self._changed = document, changed, block.position() + block.length()

    def _format(self, kind: Any) -> QTextCharFormat | None:
        if kind not in self._formats:
            self._formats[kind] = self._look_up(kind)
        return self._formats[kind]

    def _look_up(self, kind: Any) -> QTextCharFormat | None:
        color = _color_of(kind)
        if not color:
            return None
        style = QTextCharFormat()
        style.setForeground(self._colors[color])
        return style


class StyledRange(NamedTuple):
    """A coloured range of a text, in UTF-16 units, with its colour token."""

    start: int
    stop: int
    color: str


def styled_ranges(text: str, language: str) -> list[StyledRange]:
    """Return the coloured ranges of a text, in order; [] for an unknown language.

    Call it on another thread than the GUI's: it may load a lexer, and a long text takes seconds.
    """
    make = _load(_Languages(language, frozenset())) if language else None
    if make is None:
        return []
    out: list[StyledRange] = []
    for at, kind, value in make().get_tokens_unprocessed(_two_units(text)):
        color = _color_of(kind)
        if color:
            out.append(StyledRange(at, at + len(value), color))
    return out


def _color_of(kind: Any) -> str:
    while kind:
        color = STYLES.get(".".join(kind))
        if color is not None:
            return color
        kind = kind.parent
    return ""


def _two_units(text: str) -> str:
    """Replace characters of two UTF-16 units by two characters, since documents count UTF-16 units."""
    return _ASTRAL.sub("□□", text)


def _load(languages: _Languages) -> Callable[[], Lexer] | None:
    """Load the lexers of these languages; return the function that makes a lexer, None for an unknown outer language.

    An unknown name is not passed to Pygments, which would search the files of all installed packages on each use.
    """
    from pygments.lexers import find_lexer_class_by_name, get_all_lexers

    known = {alias for _name, aliases, *_ in get_all_lexers(plugins=False) for alias in aliases}
    if languages.outer not in known:
        return None
    for inner in languages.inner & known:
        find_lexer_class_by_name(inner)()
    kind = find_lexer_class_by_name(languages.outer)
    has_known_blocks = languages.outer in MARKDOWN and languages.inner <= known
    make = partial(kind, stripnl=False, ensurenl=False, handlecodeblocks=has_known_blocks)
    for _ in make().get_tokens_unprocessed(EMBEDDED):
        pass
    return make


def _range(start: int, length: int, style: QTextCharFormat) -> QTextLayout.FormatRange:
    out = QTextLayout.FormatRange()
    out.start, out.length, out.format = start, length, style
    return out
