"""Web pages that a tool read or found: their titles, and their addresses as links."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, first_text, plain_text
from stemmata.domain.tool_calls.kinds import arguments_of
from stemmata.domain.tool_calls.web_pages import FoundPage, found_pages, written_pages
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import caption, link, of_result, plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 20  # pages listed


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
    found = _found(answer)
    if found:
        out.append(caption(style, tr("Pages")))
        for page in found:
            out += link(style, page.address, page.title)
            out += [plain(style, page.excerpt, color="dim")] if page.excerpt else []
    return [*out, *_answer(style, content, answer, arguments, call.name)] if out else []


def _found(answer: LoadedEntry | None) -> list[FoundPage]:
    if answer is None:
        return []
    return list(islice(found_pages(answer.details, plain_text(answer.body.blocks)), MOST))


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
