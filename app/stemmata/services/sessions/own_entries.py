"""Entries that Stemmata creates: flagged as its own and appended below the branch's tip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.services.ports.archive import ArchiveWriter, Clock


def own_entry(clock: Clock, kind: Kind, **facts: Any) -> Entry:
    """Create an entry with the current time and the flag OWN. `facts` are further fields."""
    flags = facts.pop("flags", Flag.NONE) | Flag.OWN
    return Entry(id=clock.new_id(), kind=kind, time=clock.now(), flags=flags, **facts)


def put_below(writer: ArchiveWriter, clock: Clock, session: int, entry: Entry, tip: int | None) -> int:
    """Append an entry below `tip` (None appends a root) and return its key.

    A leaf at `tip` moves to the new entry.
    """
    parent = None if tip is None else writer.rows([tip])[tip].id
    [key] = writer.append(session, [replace(entry, parent=parent)])
    if writer.session(session).leaf == tip:
        writer.move_leaf(session, key, "append", time=clock.now())
    return key
