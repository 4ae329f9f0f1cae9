"""Markdown of messages → prose (the HTML subset of QTextDocument) and fenced code, in order.

Nothing of the text reaches the document as markup: raw HTML is escaped, images become words, links keep their target
only where it is http, https or mailto.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
MOST = 4_500  # characters of a part of Markdown
MOST_LINES = 120  # of such a part: short lines cost as much as long ones
MOST_CELLS = 250  # of a table in one part
DENSE = 4  # where more than one of so many characters may be markup, a part is so much smaller
MOST_FENCES = 8  # in one part
CODE_PART, CODE_LINES = 4_000, 150  # characters, lines of a part of code
SECTION = 64_000  # characters that are cut into parts together
_HEAD = 1_000  # characters of the head of a table that is repeated
_BACK = 200  # characters looked back for the end of a word, or of a letter with its marks
_FENCES = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_END = re.compile(r"(?<=\n)[ \t\r]*\n(?=\S)")  # of a block: in front of an unindented line behind a blank one
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")  # under a table's head
_JOINERS = "\u200d\ufe0e\ufe0f"
MOST_MARKS = 10  # on one letter; no language has more, and Qt paints each of them
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACK = re.compile(f"({_MARK}{{{MOST_MARKS}}}){_MARK}+")
_TONES = range(0x1F3FB, 0x1F400)


class Chunk(NamedTuple):
    """`source` is a stretch of the text, `text` the Markdown or, with a `language`, the code that shows it.

    `joint` is what stands between it and the part before: "" and " " where a line goes on, None where a block begins.
    """

    source: str
    text: str
    language: str | None = None
    joint: str | None = None


class _Fence(NamedTuple):
    """A fenced block: where it begins and ends, and its code."""

    start: int
    stop: int
    code: tuple[int, int]
    language: str


def few_marks(text: str) -> str:
    """The text as it is shown: a letter under dozens of marks keeps the first of them."""
    return text if text.isascii() else _STACK.sub(r"\1", text)


def chunks(text: str, size: int, most: int = MOST) -> list[Chunk]:
    """Parts of Markdown of about `size` characters each, but for long code `most` at most.

    Together their sources are the text.
    """
    fences = _fences(text)
    out: list[Chunk] = []
    start = 0
    for fence in fences:
        if fence.stop - fence.start > most:
            out += _prose(text, start, fence.start, fences, size, most)
            out.append(Chunk(text[fence.start : fence.stop], text[slice(*fence.code)], fence.language))
            start = fence.stop
    return [*out, *_prose(text, start, len(text), fences, size, most)] or [Chunk("", "")]


def lines_apart(text: str, size: int, lines: int = 1 << 30) -> Iterator[tuple[str, str]]:
    """A text as it is, in parts of so many characters and lines at most, each with what stands in front of it.

    That is a line's end, which is in no part, or "" where a line is too long for one.
    """
    start, joint = 0, ""
    while len(text) - start > size or text.count("\n", start) >= lines:
        limit = _after_lines(text, start, min(start + size, len(text)), lines)
        end = text.rfind("\n", start, limit)
        if end >= start:
            yield text[start:end], joint
            start, joint = end + 1, "\n"
        else:
            cut = _between_letters(text, start, limit)
            yield text[start:cut], joint
            start, joint = cut, ""
    yield text[start:], joint


def _fences(text: str) -> list[_Fence]:
    out: list[_Fence] = []
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


def _prose(text: str, start: int, stop: int, fences: Sequence[_Fence], size: int, most: int) -> Iterator[Chunk]:
    joint: str | None = None
    head = ""
    while start < stop:
        cut = _cut(text, start, stop, fences, size, most)
        source = text[start:cut]
        yield Chunk(source, head + source, None, joint)
        ends_block = _END.fullmatch(text, max(text.rfind("\n", start, cut - 1) + 1, start), cut) is not None
        head = "" if ends_block or cut >= stop else _open_head(head + source)
        joint = None if ends_block or head else "\n" if source.endswith("\n") else " " if source.endswith(" ") else ""
        start = cut


def _cut(text: str, start: int, stop: int, fences: Sequence[_Fence], size: int, most: int) -> int:
    """Where the part that begins here ends."""
    if stop - start <= size and text.count("\n", start, stop) <= MOST_LINES:
        return _out_of_fences(stop, start, stop, fences)
    if sum(text.count(mark, start, start + most) for mark in "[*_`") > most // DENSE:
        size, most = max(size // DENSE, 1), max(most // DENSE, 1)
    limit = _after_lines(text, start, min(start + most, stop), _most_lines(text, start))
    ends = (found.end() for found in _END.finditer(text, min(start + size, limit), limit))
    inside = (end for end in ends if _fence_at(end, fences) is None)
    cut = next(inside, None)
    if cut is None and limit < stop:
        end = text.rfind("\n", start, limit) + 1
        cut = end if end > start else between_words(text, start, limit)
    return _out_of_fences(cut or limit, start, stop, fences)


def _out_of_fences(cut: int, start: int, stop: int, fences: Sequence[_Fence]) -> int:
    """A cut that is in no fenced block, and has few of them in front of it."""
    first = bisect_right(fences, start, key=lambda fence: fence.start - 1)
    if first + MOST_FENCES < len(fences) and fences[first + MOST_FENCES].start < cut:
        return fences[first + MOST_FENCES].start
    inside = _fence_at(cut, fences)
    if inside is None:
        return cut
    return inside.start if inside.start > start else min(inside.stop, stop)


def _fence_at(place: int, fences: Sequence[_Fence]) -> _Fence | None:
    """The fenced block that goes on at this place."""
    at = bisect_right(fences, place, key=lambda fence: fence.start)
    return fences[at - 1] if at and fences[at - 1].start < place < fences[at - 1].stop else None


def _most_lines(text: str, start: int) -> int:
    """Fewer of a table."""
    second = text.find("\n", start) + 1
    columns = text.count("|", second, text.find("\n", second) % (len(text) + 1)) if second else 0
    return MOST_LINES if columns < 2 else max(MOST_CELLS // columns, 4)


def _after_lines(text: str, start: int, limit: int, lines: int) -> int:
    """The end of so many lines, at most `limit`."""
    if text.count("\n", start, limit) <= lines:
        return limit
    at = start
    for _ in range(lines):
        at = text.find("\n", at, limit) + 1
    return at


def between_words(text: str, start: int, limit: int) -> int:
    """Behind a space, where there is one near; else between two letters."""
    space = text.rfind(" ", max(limit - _BACK, start + 1), limit)
    return space + 1 if space > 0 else _between_letters(text, start, limit)


def _between_letters(text: str, start: int, limit: int) -> int:
    """Never between a letter and its marks, nor inside an emoji, where they are of any length known."""
    least = max(limit - _BACK, start + 1)
    at = limit
    while at > least and at < len(text) and _goes_on(text[at - 1], text[at]):
        at -= 1
    return at if at > least else limit


def _goes_on(before: str, character: str) -> bool:
    marks = unicodedata.combining(character) or character in _JOINERS or ord(character) in _TONES
    return bool(marks) or before == _JOINERS[0]


def _open_head(source: str) -> str:
    """The head of the table that a part ends in, "" for none."""
    if not source.endswith("\n") or "|" not in source[-_HEAD:]:
        return ""
    begin = source.rfind("\n\n") + 2 if "\n\n" in source else 0
    first = source.find("\n", begin) + 1
    end = source.find("\n", first) + 1
    is_head = "|" in source[begin:first] and 0 < end - begin <= _HEAD
    return source[begin:end] if is_head and _RULER.match(source[first : end - 1]) else ""


SCHEMES = frozenset({"http", "https", "mailto"})
BLANK = re.compile(r"\n[ \t]*\n\s*")
_NEWLINE, _BREAK = "\n", "<br />\n"
MANY_COLUMNS = 6
MOST_KNOWN = 256  # texts whose rendering is kept
MOST_BRACKETS = (
    250  # "[" in a paragraph; with more it is shown as it was written: the parser's work grows with the square
)
MARKUP = re.compile(r"[*_`#<>\[\]\\|~&\x00]|[^\S \n]|^ *(?:[-+=]|\d+[.)])|^ {4}|  $", re.MULTILINE)  # may be Markdown


@dataclass(frozen=True, slots=True)
class Prose:
    html: str


@dataclass(frozen=True, slots=True)
class Code:
    language: str
    text: str


Segment = Prose | Code


def is_safe_link(url: str) -> bool:
    """Whether a link may be offered at all."""
    try:
        return urlsplit(url).scheme.lower() in SCHEMES
    except ValueError:
        return False


class Markdown:
    """A parser; made once and used for every message. The library is loaded with the first message."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, list[Segment]] = OrderedDict()

    def load(self) -> None:
        """Load the library now, which takes 50 ms, so that the first message need not wait for it."""
        _ = self._parser

    def segments(self, text: str) -> list[Segment]:
        """The message in pieces: prose up to the next top-level code block, the code block, and so on."""
        text = few_marks(text)
        known = self._known.pop(text, None)
        if known is None:
            known = self._parse(text)
        self._known[text] = known
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return known

    def _parse(self, text: str) -> list[Segment]:
        return self.parse_in_full(text) if MARKUP.search(text) else _paragraphs(text)

    def parse_in_full(self, text: str) -> list[Segment]:
        """What `segments` gives, without its short cut."""
        tokens = self._parser.parse(text)
        out: list[Segment] = []
        start = 0
        for at, token in enumerate(tokens):
            if token.level == 0 and token.type in ("fence", "code_block"):
                self._add_prose(out, tokens[start:at])
                out.append(Code(token.info.strip().split(" ")[0].lower(), token.content.rstrip("\n")))
                start = at + 1
        self._add_prose(out, tokens[start:])
        return out

    def _add_prose(self, out: list[Segment], tokens: Sequence[Token]) -> None:
        if tokens:
            out.append(Prose(self._parser.renderer.render(tokens, self._parser.options, {})))

    @cached_property
    def _parser(self) -> MarkdownIt:
        from markdown_it import MarkdownIt
        from mdit_py_plugins.tasklists import tasklists_plugin

        parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
        parser.core.ruler.at("inline", _inline)
        parser.use(tasklists_plugin)  # not footnotes: long messages are parsed in parts, and a note may be in another
        rules = {
            "heading_open": _heading_open,
            "heading_close": _heading_close,
            "list_item_open": _list_item_open,
            "html_inline": _task_box,
            "image": _image,
            "link_open": _link_open,
            "table_open": _table_open,
            "fence": _nested_code,
        }
        for name, rule in rules.items():
            parser.add_render_rule(name, rule)
        return parser


def _inline(state: Any) -> None:
    """What stands in paragraphs, headings and cells. One of very many brackets is shown as it was written."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if token.content.count("[") <= MOST_BRACKETS:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
            continue
        for at, line in enumerate(token.content.split("\n")):
            if at:
                token.children.append(Token("softbreak", "br", 0))
            token.children.append(Token("text", "", 0, content=line))


def _list_item_open(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, Any]) -> str:
    """A task's box takes the place of its bullet."""
    if tokens[at].attrs.get("class") == "task-list-item":
        return '<li class="task" style="list-style-type: none">'
    return str(renderer.renderToken(tokens, at, options, env))


def _task_box(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """☐ or ☑ for the input element of a task, which Qt does not show.

    With HTML switched off, no other inline HTML reaches the renderer.
    """
    return "☑" if "checked" in tokens[at].content else "☐"


def _heading_open(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """A paragraph of its own class: Qt enlarges its headings beyond any style sheet."""
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
    """One of many columns is set smaller, so that fewer words break."""
    head = takewhile(lambda token: token.type != "thead_close", tokens[at:])
    is_dense = sum(token.type == "th_open" for token in head) >= MANY_COLUMNS
    kind, padding = (' class="dense"', 3) if is_dense else ("", 5)
    return f'<table{kind} border="1" cellspacing="0" cellpadding="{padding}">'


def _nested_code(_renderer: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
    """A code block inside a list or quote stays within its prose."""
    return f"<pre>{escape(tokens[at].content.rstrip())}</pre>"


def _escape(text: str) -> str:
    """As the parser does it."""
    return escape(text, quote=False).replace('"', "&quot;")


def _paragraphs(text: str) -> list[Segment]:
    """Text without any markup, which most short replies are: what the parser makes of it, a hundred times faster."""
    blocks = ("\n".join(line.strip() for line in block.strip().split("\n")) for block in BLANK.split(text.strip()))
    html = "".join(f"<p>{_escape(block).replace(_NEWLINE, _BREAK)}</p>\n" for block in blocks if block)
    return [Prose(html)] if html else []
