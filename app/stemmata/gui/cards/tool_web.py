"""Web pages that a tool read or found: their titles, and their addresses as links."""

from __future__ import annotations

from collections.abc import Iterator

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.tool_kinds import arguments_of
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_line import details_of
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import caption, first_text, link, plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 20  # pages listed
LONGEST = 300  # characters of a title


def pieces(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a web request: the link, the question and the answer."""
    arguments = arguments_of(call)
    url, question = first_text(arguments, ["url"]), first_text(arguments, ["prompt", "query"])
    out: list[Piece] = link(style, url) if url else []
    if question:
        out += [caption(style, tr("Query")), plain(style, question, color="dim")]
    found = list(pages_of(answer))[:MOST]
    if found:
        out.append(caption(style, tr("Pages")))
        out += [piece for title, target in found for piece in link(style, target, title)]
    return [*out, *result(style, content, answer, arguments, call.name)] if out else []


def pages_of(answer: LoadedEntry | None) -> Iterator[tuple[str, str]]:
    """Yield title and address of the pages that a web search found, from its details (Claude Code: `results`)."""
    results = details_of(answer).get("results") if answer is not None else None
    for item in results if isinstance(results, list) else ():
        inside = item.get("content") if isinstance(item, dict) else None
        for page in inside if isinstance(inside, list) else (item,):
            if isinstance(page, dict) and first_text(page, ["url"]):
                yield first_text(page, ["title"])[:LONGEST], first_text(page, ["url"])
