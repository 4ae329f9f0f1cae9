"""Markdown from a transcript made harmless: it shows what it says, and does nothing.

What does something is HTML, pictures (a viewer fetches them) and links to anything but the web or a mail address.
Text without these goes out as it is; the rest is escaped and looked at again, and shown as code if that failed.
"""

from __future__ import annotations

import re
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ACTIVE = frozenset({"html_block", "html_inline", "image"})
_SAFE_LINK = re.compile(r"(?:https?:|mailto:|#|[^:]*$)", re.IGNORECASE)
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_END = "stemmata-end-of-text"


class _AnyLink(MarkdownIt):
    """Takes every address for a link, so that it can be looked at."""

    def validateLink(self, _url: str) -> bool:
        return True


class InertMarkdown:
    """Keeps one parser; use one for a whole document."""

    @cached_property
    def _parser(self) -> MarkdownIt:
        return _AnyLink("commonmark", {"html": True}).enable(["table", "strikethrough"])

    def of(self, text: str) -> str:
        """The text with nothing active in it and no code block left open."""
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        tokens = self._parser.parse(text)
        if _is_active(tokens):
            text = _escaped(text, tokens)
            tokens = self._parser.parse(text)
            if _is_active(tokens):
                return fenced(text)
        return self._closed(text, tokens)

    def _closed(self, text: str, tokens: list[Token]) -> str:
        if not tokens or tokens[-1].type != "fence":
            return text
        after = self._parser.parse(f"{text}\n\n{_END}")
        return f"{text}\n{tokens[-1].markup}" if after[-1].type == "fence" else text


def fenced(text: str, language: str = "") -> str:
    """A code block that no run of backticks in the text can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def code_span(text: str) -> str:
    """One line of code inside a line."""
    line = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


def _is_active(tokens: list[Token]) -> bool:
    waiting = list(tokens)
    while waiting:
        token = waiting.pop()
        if token.type in _ACTIVE:
            return True
        if token.type == "link_open" and not _SAFE_LINK.match(str(token.attrs.get("href", ""))):
            return True
        waiting.extend(token.children or ())
    return False


def _escaped(text: str, tokens: list[Token]) -> str:
    """Escapes outside code blocks. Lines as the parser counts them: LF, CR LF or CR."""
    lines = re.split(r"\r\n|\n|\r", text)
    code = {at for token in tokens if token.type in ("fence", "code_block") and token.map for at in range(*token.map)}
    for at, line in enumerate(lines):
        if at not in code:
            lines[at] = _HTML.sub("&lt;", line).replace("![", "\\![").replace("](", "]\\(")
    return "\n".join(lines)
