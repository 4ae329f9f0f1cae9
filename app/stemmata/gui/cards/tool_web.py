"""Web pages that a tool read or found: their titles, and their addresses as links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.tool_kinds import MOST_READ, arguments_of
from stemmata.domain.text.untrusted import parse_json
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import caption, first_text, link, plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 20  # pages listed
LONGEST = 300  # characters of a title
_LINKS = re.compile(r"^Links: (\[.*\])\n*", re.MULTILINE)


def pieces(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a web request: the link, the question and the answer."""
    arguments = arguments_of(call)
    url, question = first_text(arguments, ["url"]), first_text(arguments, ["prompt", "query"])
    out: list[Piece] = link(style, url) if url else []
    if question:
        out += [caption(style, tr("Query")), plain(style, question, color="dim")]
    found = list(islice(pages_of(answer), MOST))
    if found:
        out.append(caption(style, tr("Pages")))
        out += [piece for title, target in found for piece in link(style, target, title)]
    return [*out, *_answer(style, content, answer, arguments, call.name)] if out else []


def _answer(
    style: CardStyle, content: CardContent, answer: LoadedEntry | None, arguments: Mapping[str, Any], tool: str
) -> list[Piece]:
    """Return the pieces of the answer, without a list of pages that is shown as links."""
    text = plain_text(answer.body.blocks) if answer is not None else ""
    pages, rest = written_pages(text)
    if answer is None or not pages:
        return result(style, content, answer, arguments, tool)
    return parts.long_prose(style, CardContent(answer, whole=content.whole), rest, gap=2) if rest.strip() else []


def written_pages(text: str) -> tuple[list[object], str]:
    """Return the pages that a search writes as JSON into its answer (Claude Code), and the rest of the answer."""
    found = _LINKS.search(text) if len(text) <= MOST_READ else None
    if found is None:
        return [], text
    try:
        pages = parse_json(found[1])
    except (ValueError, RecursionError):
        return [], text
    return pages, text[: found.start()] + text[found.end() :]


def pages_of(answer: LoadedEntry | None) -> Iterator[tuple[str, str]]:
    """Yield title and address of the pages that a web search found, from its details (Claude Code: `results`)."""
    if answer is None:
        return
    results = answer.details.get("results")
    if not isinstance(results, list):
        results = written_pages(plain_text(answer.body.blocks))[0]
    for item in results:
        inside = item.get("content") if isinstance(item, dict) else None
        for page in inside if isinstance(inside, list) else (item,):
            if isinstance(page, dict) and first_text(page, ["url"]):
                yield first_text(page, ["title"])[:LONGEST], first_text(page, ["url"])
