"""Convert text from sessions to HTML in which nothing is active."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from stemmata.domain.text.formulas import inline_formula
from stemmata.domain.text.links import is_safe_link

MOST_MARKDOWN = 200_000  # characters; a longer text is shown as plain text, since parsing it takes seconds
# Not allowed in HTML. A lone surrogate cannot be encoded.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# A text without any of these has only paragraphs: they are marks, and spaces where a line begins or ends.
_MARKS = re.compile(r"[`*_\[\]<>&\\$~|]|[^\S\n ]|^[ #+=:\d-]| $", re.MULTILINE)
_BETWEEN_PARAGRAPHS = re.compile(r"\n{2,}")
_LOWER = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6"}  # the page has headings above the text


class _Renderer(RendererHTML):
    """Renders images as their description and links with an address that a page may open."""

    def image(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Return the description of an image, since the file loads none."""
        return f"[{escaped(tokens[idx].content) or 'image'}]"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the start of a link that sends its target no information about this page.

        The parser also makes a link of `[text]()`. Without an address, the page shows it as text.
        """
        if not tokens[idx].attrGet("href"):
            return "<a>"
        tokens[idx].attrSet("rel", "noopener noreferrer")
        return self.renderToken(tokens, idx, options, env)

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the beginning of a cell. Its alignment is a class, since the policy of the page forbids styles."""
        style = str(tokens[idx].attrs.pop("style", ""))
        if style:
            tokens[idx].attrSet("class", style.partition(":")[2])
        return self.renderToken(tokens, idx, options, env)

    th_open = td_open


def _math_inline(_renderer: Any, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
    """Return a formula as it is written: Markdown would take its underscores and backslashes."""
    return f"<code>{escaped(tokens[idx].content)}</code>"


def _math_block(_renderer: Any, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
    """Return a formula on lines of its own as it is written."""
    return preformatted(tokens[idx].content.strip("\n"))


class _Parser(MarkdownIt):
    """A parser that makes links of web and mail addresses only."""

    def validateLink(self, url: str) -> bool:
        return is_safe_link(url)


class Markup:
    """Converts Markdown to HTML. Reuse one instance for a whole document, because it keeps its parser."""

    @cached_property
    def _parser(self) -> MarkdownIt:
        parser = _Parser("commonmark", {"html": False}, renderer_cls=_Renderer)
        parser.enable(["table", "strikethrough"]).use(tasklists_plugin).use(dollarmath_plugin, allow_labels=False)
        parser.inline.ruler.at("math_inline", inline_formula)
        parser.add_render_rule("math_inline", _math_inline)
        parser.add_render_rule("math_block", _math_block)
        return parser

    def of(self, text: str) -> str:
        """Return the HTML of a Markdown text. HTML in the text is shown as it is written."""
        text = cleaned(text)
        if len(text) > MOST_MARKDOWN:
            return preformatted(text)
        return self._parsed(text) if _MARKS.search(text) else _paragraphs(text)

    def _parsed(self, text: str) -> str:
        env: dict[str, Any] = {}
        tokens = self._parser.parse(text, env)
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = _LOWER.get(token.tag, token.tag)
        return str(self._parser.renderer.render(tokens, self._parser.options, env))


def _paragraphs(text: str) -> str:
    """Return the HTML of a text without marks, which takes a hundredth of the time of the parser."""
    parts = _BETWEEN_PARAGRAPHS.split(text.strip("\n"))
    return "".join(f"<p>{escapeHtml(part)}</p>\n" for part in parts if part)


def cleaned(text: str) -> str:
    """Return the text with a replacement character for each character that a page must not contain."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Return the text for an element or a quoted attribute."""
    return html.escape(cleaned(text))


def one_line(text: str) -> str:
    """Return the text on one line, for an element or a quoted attribute."""
    return escaped(" ".join(text.split()))


def preformatted(text: str) -> str:
    """Return the text as a block with its own line ends and spaces."""
    return f"<pre>{escaped(text)}</pre>"
