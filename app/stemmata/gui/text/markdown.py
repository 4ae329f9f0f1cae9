"""Converts the Markdown of messages to prose (the HTML subset of QTextDocument) and code, in order.

No markup of the text reaches the document: raw HTML is escaped, images become text, and links keep their target only
if it is http, https or mailto.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from itertools import takewhile
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from stemmata.domain.text.formulas import inline_formula
from stemmata.domain.text.links import is_safe_link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
MOST = 4_500  # maximum characters of a part of Markdown
MOST_LINES = 120  # maximum lines of such a part, since short lines cost as much as long ones
MOST_CELLS = 250  # maximum table cells in a part
MOST_OF_LINE = 1_500  # maximum characters of a part that ends inside a line
DENSE = 4  # if more than 1 of DENSE characters may be markup, parts are smaller by this factor
_MARKS = "[]()*_`$\\"  # such characters; each takes the parser or the layout longer than a letter
MOST_FENCES = 8  # maximum code blocks in a part
CODE_PART, CODE_LINES = 4_000, 150  # maximum characters and lines of a part of code
SECTION = 64_000  # characters that are split into parts at once
_HEAD = 1_000  # maximum characters of a table head that is repeated in the next part
_BACK = 200  # characters to search backwards for the end of a word, or of a letter with its marks
_FENCES = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_END = re.compile(r"(?<=\n)[ \t\r]*\n(?=\S)")  # end of a block: a blank line before an unindented line
# begins with the line end, because a pattern that begins with a fixed character is found faster
_ENDS = re.compile(r"\n[ \t\r]*\n(?=\S)")
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")  # the ruler under a table's head
_JOINERS = "\u200d\ufe0e\ufe0f"
MOST_MARKS = 10  # maximum marks on one letter; no language needs more, and Qt paints each of them
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACK = re.compile(f"({_MARK}{{{MOST_MARKS}}}){_MARK}+")
_TONES = range(0x1F3FB, 0x1F400)


class MarkdownChunk(NamedTuple):
    """A part of a text. `source` is its original text, `text` the Markdown to render, or with `language` the code.

    `joint` is the separator from the previous part: "", " " or a newline inside a block, None where a block begins.
    """

    source: str
    text: str
    language: str | None = None
    joint: str | None = None


class _Fence(NamedTuple):
    """A fenced block: its range in the text, and the range and language of its code."""

    start: int
    stop: int
    code: tuple[int, int]
    language: str


def few_marks(text: str) -> str:
    """Return the text with at most MOST_MARKS combining marks on each letter."""
    return text if text.isascii() else _STACK.sub(r"\1", text)


def chunks(text: str, size: int, most: int = MOST) -> list[MarkdownChunk]:
    """Split Markdown into parts of about `size` characters, at most `most` except for long code blocks.

    The sources of all parts together are the text.
    """
    fences = _fences(text)
    out: list[MarkdownChunk] = []
    start = 0
    for fence in fences:
        if fence.stop - fence.start > most:
            out += _prose(text, start, fence.start, fences, size, most)
            out.append(MarkdownChunk(text[fence.start : fence.stop], text[slice(*fence.code)], fence.language))
            start = fence.stop
    return [*out, *_prose(text, start, len(text), fences, size, most)] or [MarkdownChunk("", "")]


def lines_apart(text: str, size: int, lines: int = 1 << 30) -> Iterator[tuple[str, str]]:
    """Yield parts of a plain text of at most `size` characters and `lines` lines, each with its separator.

    The separator from the previous part is a newline, which no part contains, or "" within a line that is split.
    """
    for start, stop, joint in spans_apart(text, size, lines):
        yield text[start:stop], joint


def spans_apart(text: str, size: int, lines: int = 1 << 30) -> Iterator[tuple[int, int, str]]:
    """Yield the parts of `lines_apart` as start, end and separator, because cutting all parts out of 10 MB takes
    long.
    """
    start, joint = 0, ""
    while len(text) - start > size or text.count("\n", start) >= lines:
        limit = _after_lines(text, start, min(start + size, len(text)), lines)
        end = text.rfind("\n", start, limit)
        if end >= start:
            yield start, end, joint
            start, joint = end + 1, "\n"
        else:
            cut = _between_letters(text, start, limit)
            yield start, cut, joint
            start, joint = cut, ""
    yield start, len(text), joint


def _fences(text: str) -> list[_Fence]:
    out: list[_Fence] = []
    if "```" not in text and "~~~" not in text:
        return out  # saves the expression, which looks at every character
    opened: re.Match[str] | None = None
    for found in _FENCES.finditer(text):
        if opened is None:
            opened = found
        elif found[1].startswith(opened[1]) and not found[2].strip():
            out.append(_fence(opened, (min(opened.end() + 1, found.start()), found.start()), found.end() + 1))
            opened = None
    if opened is not None:
        out.append(_fence(opened, (min(opened.end() + 1, len(text)), len(text)), len(text)))
    return out


def _fence(opened: re.Match[str], code: tuple[int, int], stop: int) -> _Fence:
    words = opened[2].split()
    return _Fence(opened.start(), stop, code, words[0].lower() if words else "")


def _prose(
    text: str, start: int, stop: int, fences: Sequence[_Fence], size: int, most: int
) -> Iterator[MarkdownChunk]:
    joint: str | None = None
    head = ""
    while start < stop:
        cut = _cut(text, start, stop, fences, size, most)
        source = text[start:cut]
        yield MarkdownChunk(source, head + source, None, joint)
        # an end of the search would hide the next line from the pattern
        blank = _END.match(text, max(text.rfind("\n", start, cut - 1) + 1, start))
        ends_block = blank is not None and blank.end() == cut
        head = "" if ends_block or cut >= stop else open_head(head + source)
        joint = None if ends_block or head else "\n" if source.endswith("\n") else " " if source.endswith(" ") else ""
        start = cut


def _cut(text: str, start: int, stop: int, fences: Sequence[_Fence], size: int, most: int) -> int:
    """Return the end of the part that begins at `start`."""
    if stop - start <= size and text.count("\n", start, stop) <= MOST_LINES and not has_many_cells(text, start, stop):
        return _out_of_fences(stop, start, stop, fences)
    window = text[start : start + size]
    if sum(map(window.count, _MARKS)) > len(window) // DENSE:
        size, most = max(size // DENSE, 1), max(most // DENSE, 1)
    limit = _after_lines(text, start, min(start + most, stop), _most_lines(text, start))
    ends = (found.end() for found in _ENDS.finditer(text, min(start + size, limit) - 1, limit))
    inside = (end for end in ends if _fence_at(end, fences) is None)
    cut = next(inside, None)
    end = text.rfind("\n", start, limit) + 1 if cut is None else 0
    if cut is None and end <= start and (limit < stop or limit - start > MOST_OF_LINE):
        cut = between_words(text, start, min(limit, start + MOST_OF_LINE))
    elif cut is None and limit < stop:
        cut = end
    return _out_of_fences(cut or limit, start, stop, fences)


def _out_of_fences(cut: int, start: int, stop: int, fences: Sequence[_Fence]) -> int:
    """Return the cut moved out of a fenced block, and to at most MOST_FENCES blocks after `start`."""
    first = bisect_right(fences, start, key=lambda fence: fence.start - 1)
    if first + MOST_FENCES < len(fences) and fences[first + MOST_FENCES].start < cut:
        return fences[first + MOST_FENCES].start
    inside = _fence_at(cut, fences)
    if inside is None:
        return cut
    return inside.start if inside.start > start else min(inside.stop, stop)


def _fence_at(place: int, fences: Sequence[_Fence]) -> _Fence | None:
    """Return the fenced block that contains this position; None for none."""
    at = bisect_right(fences, place, key=lambda fence: fence.start)
    return fences[at - 1] if at and fences[at - 1].start < place < fences[at - 1].stop else None


def _most_lines(text: str, start: int) -> int:
    """Return the maximum lines of a part that begins at `start`; fewer for a table with many columns."""
    second = text.find("\n", start, start + MOST) + 1
    end = text.find("\n", second, second + MOST)
    columns = text.count("|", second, end if end >= 0 else second + MOST) if second else 0
    return MOST_LINES if columns < 2 else max(MOST_CELLS // columns, 4)


def has_many_cells(text: str, start: int, stop: int) -> bool:
    """Whether a part may be a table with more than MOST_CELLS cells, which take longer than other text."""
    return text.count("|", start, stop) > MOST_CELLS


def _after_lines(text: str, start: int, limit: int, lines: int) -> int:
    """Return the position after `lines` lines, at most `limit`."""
    if limit - start <= lines or text.count("\n", start, limit) <= lines:
        return limit
    return limit - len(text[start:limit].split("\n", lines)[-1])


def between_words(text: str, start: int, limit: int) -> int:
    """Return the position after the last space near `limit`, or else between two letters."""
    space = text.rfind(" ", max(limit - _BACK, start + 1), limit)
    return space + 1 if space > 0 else _between_letters(text, start, limit)


def _between_letters(text: str, start: int, limit: int) -> int:
    """Return a position at or shortly before `limit` that splits neither a letter from its marks nor an emoji."""
    least = max(limit - _BACK, start + 1)
    at = limit
    while at > least and at < len(text) and _goes_on(text[at - 1], text[at]):
        at -= 1
    return at if at > least else limit


def _goes_on(before: str, character: str) -> bool:
    marks = unicodedata.combining(character) or character in _JOINERS or ord(character) in _TONES
    return bool(marks) or before == _JOINERS[0]


def open_head(source: str) -> str:
    """Return the two lines of the head of the table that continues after a part; "" for none."""
    if not source.endswith("\n") or "|" not in source[-_HEAD:]:
        return ""
    begin = source.rfind("\n\n") + 2 if "\n\n" in source else 0
    first = source.find("\n", begin) + 1
    end = source.find("\n", first) + 1
    is_head = "|" in source[begin:first] and 0 < end - begin <= _HEAD
    return source[begin:end] if is_head and _RULER.match(source[first : end - 1]) else ""


BLANK = re.compile(r"\n[ \t]*\n\s*")
_NEWLINE, _BREAK = "\n", "<br />\n"
MANY_COLUMNS = 6
LONG_WORD = 60  # characters of a word in a table that may be broken
_LONG_WORD = re.compile(rf"[^\s-]{{{LONG_WORD + 1}}}")
MOST_KNOWN = 256  # number of cached renderings
MOST_SPLIT = 4  # number of long texts whose parts are cached
MOST_BRACKETS = 250  # maximum "[", and "]", in a paragraph that is parsed; the time for "[" grows with their square
# characters that may be Markdown
MARKUP = re.compile(r"[*_`#$<>\[\]\\|~&\x00]|[^\S \n]|^ *(?:[-+=]|\d+[.)])|^ {4}|  $", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prose:
    """A segment of HTML."""

    html: str


@dataclass(frozen=True, slots=True)
class Table(Prose):
    """A top-level table as HTML."""

    has_long_words: bool = False  # whether a word is longer than LONG_WORD


@dataclass(frozen=True, slots=True)
class Code:
    """A top-level code block."""

    language: str
    text: str


Segment = Prose | Code


class Markdown:
    """A Markdown parser with a cache. The library is loaded with the first message that needs it."""

    def __init__(self) -> None:
        self._parsed = lru_cache(MOST_KNOWN)(self._parse)
        self._split = lru_cache(MOST_SPLIT)(chunks)

    def load(self) -> None:
        """Load the library now, which takes 50 ms, so that the first message need not wait for it."""
        _ = self._parser

    def segments(self, text: str) -> list[Segment]:
        """Return the segments of a message: prose, top-level code block, prose, and so on."""
        return self._parsed(few_marks(text))

    def chunks(self, text: str, size: int) -> list[MarkdownChunk]:
        """Return the parts of a long text, as the function `chunks` does.

        The parts are cached, because a card is built again whenever it comes back into view, and splitting half a
        megabyte takes some milliseconds.
        """
        return self._split(text, size)

    def _parse(self, text: str) -> list[Segment]:
        return self.parse_in_full(text) if MARKUP.search(text) else _paragraphs(text)

    def parse_in_full(self, text: str) -> list[Segment]:
        """Return the segments of a text, always using the parser."""
        tokens = self._parser.parse(text)
        out: list[Segment] = []
        start = 0
        for at, token in enumerate(tokens):
            if token.level == 0 and token.type == "table_open":
                self._add_prose(out, tokens[start:at])
                start = at
            elif token.level == 0 and token.type == "table_close":
                has_long = any(_LONG_WORD.search(cell.content) for cell in tokens[start:at])
                out.append(Table(self._rendered(tokens[start : at + 1]), has_long))
                start = at + 1
            elif token.level == 0 and token.type == "math_block":
                self._add_prose(out, tokens[start:at])
                out.append(Code("latex", token.content.strip("\n")))
                start = at + 1
            elif token.level == 0 and token.type in ("fence", "code_block"):
                self._add_prose(out, tokens[start:at])
                out.append(Code(token.info.strip().split(" ")[0].lower(), token.content.rstrip("\n")))
                start = at + 1
        self._add_prose(out, tokens[start:])
        return out

    def _add_prose(self, out: list[Segment], tokens: Sequence[Token]) -> None:
        if tokens:
            out.append(Prose(self._rendered(tokens)))

    def _rendered(self, tokens: Sequence[Token]) -> str:
        return str(self._parser.renderer.render(tokens, self._parser.options, {}))

    @cached_property
    def _parser(self) -> MarkdownIt:
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin
        from mdit_py_plugins.tasklists import tasklists_plugin

        parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
        parser.core.ruler.at("inline", _inline)
        # no footnotes: long messages are parsed in parts, and a note may be in another part
        parser.use(tasklists_plugin)
        # formulas are shown as they are written, see decision 34
        parser.use(dollarmath_plugin, allow_labels=False)
        parser.inline.ruler.at("math_inline", inline_formula)
        rules = {
            "heading_open": _heading_open,
            "heading_close": _heading_close,
            "list_item_open": _list_item_open,
            "html_inline": _task_box,
            "image": _image,
            "link_open": _link_open,
            "table_open": _table_open,
            "fence": _nested_code,
            "math_inline": _formula,
            "math_block": _nested_formula,
        }
        for name, rule in rules.items():
            parser.add_render_rule(name, rule)
        return parser


def _inline(state: Any) -> None:
    """Parse the contents of paragraphs, headings and cells.

    Those with too many brackets stay plain text. A line without markup is not parsed: a part of a table has hundreds
    of cells, most of them words or numbers.
    """
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        is_plain = "\n" not in token.content and not MARKUP.search(token.content)
        if not is_plain and max(map(token.content.count, "[]")) <= MOST_BRACKETS:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
            continue
        for at, line in enumerate(token.content.split("\n")):
            if at:
                token.children.append(Token("softbreak", "br", 0))
            token.children.append(Token("text", "", 0, content=line))


def _list_item_open(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, Any]) -> str:
    """Omit the bullet of a task, which has a box."""
    if tokens[at].attrs.get("class") == "task-list-item":
        return '<li class="task" style="list-style-type: none">'
    return str(renderer.renderToken(tokens, at, options, env))


def _task_box(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render the check box of a task as ☐ or ☑, since Qt does not show input elements.

    With HTML switched off, no other inline HTML reaches the renderer.
    """
    return "☑" if "checked" in tokens[at].content else "☐"


def _heading_open(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render a heading as a paragraph with a class, since Qt enlarges headings regardless of the style sheet."""
    return f'<p class="{tokens[at].tag}">'


def _heading_close(_renderer: Any, _tokens: Sequence[Token], _at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    return "</p>\n"


def _image(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    token = tokens[at]
    words = token.content or str(token.attrs.get("src", ""))
    return f"<i>[{escape(words)}]</i>"


def _link_open(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, Any]) -> str:
    token = tokens[at]
    if not is_safe_link(str(token.attrs.get("href", ""))):
        token.attrs.clear()
    token.attrs.pop("title", None)
    return str(renderer.renderToken(tokens, at, options, env))


def _table_open(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render a table with many columns in smaller text, so that fewer words are broken."""
    head = takewhile(lambda token: token.type != "thead_close", tokens[at:])
    is_dense = sum(token.type == "th_open" for token in head) >= MANY_COLUMNS
    kind, padding = (' class="dense"', 3) if is_dense else ("", 5)
    return f'<table{kind} border="1" cellspacing="0" cellpadding="{padding}">'


def _formula(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render a formula as code, as it is written: Markdown would take its underscores and backslashes."""
    return f"<code>{escape(tokens[at].content)}</code>"


def _nested_code(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render a code block inside a list or quote as a part of the prose."""
    return f"<pre>{escape(tokens[at].content.rstrip())}</pre>"


def _nested_formula(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """Render a formula on lines of its own inside a list or quote as a part of the prose."""
    return f"<pre>{escape(dedent(tokens[at].content).strip())}</pre>"


def _escape(text: str) -> str:
    """Escape HTML as the parser does."""
    return escape(text, quote=False).replace('"', "&quot;")


def _paragraphs(text: str) -> list[Segment]:
    """Return the segments of a text without markup, equal to the parser's, but a hundred times faster."""
    blocks = ("\n".join(line.strip() for line in block.strip().split("\n")) for block in BLANK.split(text.strip()))
    html = "".join(f"<p>{_escape(block).replace(_NEWLINE, _BREAK)}</p>\n" for block in blocks if block)
    return [Prose(html)] if html else []
