"""What the full-text index holds of an entry: the same text that the view `searchable` computes, only faster."""

from __future__ import annotations

from stemmata.domain.blocks import Text, ToolCall
from stemmata.domain.entries import Entry, Kind, Role
from stemmata.store.stored_text import stored

LENGTH = 1_000_000  # characters of one entry that are indexed
_NAMED = frozenset({Kind.LABEL, Kind.SESSION_INFO})


def search_text(entry: Entry, body: str) -> str | None:
    """None where only the view can tell: characters SQLite takes in its own way, and bodies with a head.

    `body` is the entry's JSON as it is stored.
    """
    if len(body) > LENGTH or "\\u0000" in body or "\\ud" in body:
        return None
    parts: list[str] = []
    for block in entry.blocks:
        if isinstance(block, Text):
            parts.append(block.text)
        elif isinstance(block, ToolCall):
            parts.append(f"{block.name} {_words(block.arguments)}")
    text = "\n".join(parts)
    if entry.role is Role.BASH_EXECUTION or entry.kind in _NAMED:
        return f"{stored(entry.name)}\n{text}"
    return text


def _words(arguments: str) -> str:
    """JSON text with its escapes opened, as far as words would otherwise run together."""
    return arguments.replace("\\\\", " ").replace("\\n", " ").replace("\\t", " ")
