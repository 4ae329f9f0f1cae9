"""Ids for entries whose own id is taken: files that were damaged or put together by hand repeat ids."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from stemmata.domain.entries.entry import Entry


def free_id(id: str, taken: Container[str]) -> str:
    """Return the id, or `…~2`, `…~3` and so on when it is taken. The caller adds it to those that are taken."""
    if id not in taken:
        return id
    last, free = 1, 2  # a number that is taken, and one that may be free; doubled, as a file may repeat an id often
    while f"{id}~{free}" in taken:
        last, free = free, 2 * free
    while free - last > 1:
        between = (last + free) // 2
        last, free = (between, free) if f"{id}~{between}" in taken else (last, between)
    return f"{id}~{free}"


def with_free_id(entry: Entry, message: str, taken: set[str]) -> Entry:
    """Return an entry of the message with this id, with a free id if its own is that of another entry.

    The entry with the id of the message keeps it. `taken` are the ids of all messages and of the entries before; the
    id of this entry is added to it.
    """
    id = entry.id if entry.id == message else free_id(entry.id, taken)
    taken.add(id)
    return replace(entry, id=id)
