"""Web pages that a tool read or found: their titles, and their addresses as links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.tool_kinds import MOST_READ, arguments_of
from stemmata.domain.text.untrusted import parse_json
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import caption, first_text, link, of_result, plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 20  # pages listed
LONGEST = 300  # characters of a title
_LISTS = ("results", "organic", "organic_results", "items", "pages", "sources", "data")
_ADDRESSES = ("url", "link", "href", "uri")
_EXCERPTS = ("snippet", "description", "excerpt", "summary", "text", "content")
_LINKS = re.compile(r"^Links: (\[.*\])\n*", re.MULTILINE)


def pieces(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a web request: the link, the question and the answer."""
    arguments = arguments_of(call)
    url, question = (
        first_text(arguments, ["url"]),
        first_text(arguments, ["prompt", "query", "search_term", "searchTerm", "objective"]),
    )
    out: list[Piece] = link(style, url) if url else []
    if question:
        out += [caption(style, tr("Query")), plain(style, question, color="dim")]
    found = list(islice(pages_of(answer), MOST))
    if found:
        out.append(caption(style, tr("Pages")))
        for page in found:
            out += link(style, page.address, page.title)
            out += [plain(style, page.excerpt, color="dim")] if page.excerpt else []
    return [*out, *_answer(style, content, answer, arguments, call.name)] if out else []


def _answer(
    style: CardStyle, content: CardContent, answer: LoadedEntry | None, arguments: Mapping[str, Any], tool: str
) -> list[Piece]:
    """Return the pieces of the answer, without a list of pages that is shown as links."""
    text = plain_text(answer.body.blocks) if answer is not None else ""
    pages, rest = written_pages(text)
    if answer is None or not pages:
        return result(style, content, answer, arguments, tool)
    shown = parts.long_prose(style, CardContent(answer, whole=content.whole), rest, gap=2) if rest.strip() else []
    return of_result(shown, answer)


def written_pages(text: str) -> tuple[list[object], str]:
    """Return the pages that a search writes as JSON into its answer, and the rest of the answer.

    Claude Code writes a line with a list between words, others an object or a list alone.
    """
    found = _LINKS.search(text) if len(text) <= MOST_READ else None
    is_json = len(text) <= MOST_READ and text.lstrip()[:1] in ("{", "[")
    if found is None and not is_json:
        return [], text
    try:
        value = parse_json(found[1] if found is not None else text)
    except (ValueError, RecursionError):
        return [], text
    if found is not None:
        return value, text[: found.start()] + text[found.end() :]
    pages = value
    if isinstance(value, dict):
        pages = next((inner for name in _LISTS if isinstance(inner := value.get(name), list)), [])
    return (pages, "") if pages and all(_page(item) is not None for item in pages) else ([], text)


class FoundPage(NamedTuple):
    """A page of the web that a search found. `excerpt` is a part of its text, "" for none."""

    title: str
    address: str
    excerpt: str = ""


def pages_of(answer: LoadedEntry | None) -> Iterator[FoundPage]:
    """Yield the pages that a web search found, from its details (Claude Code: `results`) or from its answer."""
    if answer is None:
        return
    results = answer.details.get("results")
    if not isinstance(results, list):
        results = written_pages(plain_text(answer.body.blocks))[0]
    for item in results:
        inside = item.get("content") if isinstance(item, dict) else None
        for part in inside if isinstance(inside, list) else (item,):
            if (page := _page(part)) is not None:
                yield page


def _page(item: object) -> FoundPage | None:
    """Return the page that an object describes; None without an address."""
    address = first_text(item, _ADDRESSES) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not address:
        return None
    excerpt = " ".join(first_text(item, _EXCERPTS)[:LONGEST].split())
    return FoundPage(first_text(item, ("title", "name"))[:LONGEST], address, excerpt)
