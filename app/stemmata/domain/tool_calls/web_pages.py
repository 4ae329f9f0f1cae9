"""The pages that a search of the web found, from the answer of the tool or from its details."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import first_text
from stemmata.domain.text.untrusted import parse_json
from stemmata.domain.tool_calls.kinds import MOST_READ

LONGEST = 300  # characters of a title or an excerpt
_LISTS = ("results", "organic", "organic_results", "items", "pages", "sources", "data")
_ADDRESSES = ("url", "link", "href", "uri")
_EXCERPTS = ("snippet", "description", "excerpt", "summary", "text", "content")
_LINKS = re.compile(r"^Links: (\[.*\])\n*", re.MULTILINE)


class FoundPage(NamedTuple):
    """A page of the web that a search found. `excerpt` is a part of its text, "" for none."""

    title: str
    address: str
    excerpt: str = ""


def found_pages(details: Mapping[str, Any], text: str) -> Iterator[FoundPage]:
    """Yield the pages that a search found, from its details (Claude Code: `results`) or from its answer."""
    results = details.get("results")
    if not isinstance(results, list):
        results = written_pages(text)[0]
    for item in results:
        inside = item.get("content") if isinstance(item, dict) else None
        for part in inside if isinstance(inside, list) else (item,):
            if (page := _page(part)) is not None:
                yield page


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


def _page(item: object) -> FoundPage | None:
    """Return the page that an object describes; None when the object has no address."""
    address = first_text(item, _ADDRESSES) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not address:
        return None
    excerpt = " ".join(first_text(item, _EXCERPTS)[:LONGEST].split())
    return FoundPage(first_text(item, ("title", "name"))[:LONGEST], address, excerpt)
