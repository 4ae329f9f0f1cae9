"""Markdown of messages → prose (the HTML subset of QTextDocument) and fenced code, in order.

Nothing of the text reaches the document as markup: raw HTML is escaped, images become words, links keep their target
only where it is http, https or mailto.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from stemmata.gui.text.chunks import few_marks

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SCHEMES = frozenset({"http", "https", "mailto"})
BLANK = re.compile(r"\n[ \t]*\n\s*")
_NEWLINE, _BREAK = "\n", "<br />\n"
MANY_COLUMNS = 6
MOST_KNOWN = 256  # texts whose rendering is kept
MOST_BRACKETS = (
    250  # "[" in a paragraph; with more it is shown as it was written: the parser's work grows with the square
)
MARKUP = re.compile(r"[*_`#<>\[\]\\|~&\x00]|[^\S \n]|^ *(?:[-+=]|\d+[.)])|^ {4}|  $", re.MULTILINE)  # may be Markdown
TASK = re.compile(r"\[([ xX])\]\s")


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

        parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
        parser.core.ruler.at("inline", _inline)
        parser.core.ruler.push("tasks", _mark_tasks)
        rules = {
            "heading_open": _heading_open,
            "heading_close": _heading_close,
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


def _mark_tasks(state: Any) -> None:
    """`[ ]` and `[x]` at the start of a list item become ☐ and ☑ in place of its bullet."""
    for item, paragraph, token in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        kinds = item.type, paragraph.type, token.type
        if kinds == ("list_item_open", "paragraph_open", "inline") and token.children:
            first = token.children[0]
            found = TASK.match(first.content) if first.type == "text" else None
            if found:
                first.content = ("☐ " if found[1] == " " else "☑ ") + first.content[found.end() :]
                item.attrSet("class", "task")
                item.attrSet("style", "list-style-type: none")


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
