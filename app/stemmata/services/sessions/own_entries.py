"""Entries that are made here: marked as ours, put below the tip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.services.ports.archive import ArchiveWriter, Clock


def own_entry(clock: Clock, kind: Kind, **facts: Any) -> Entry:
    """An entry of ours, made now. `facts` are further fields; its flags go beside OWN."""
    flags = facts.pop("flags", Flag.NONE) | Flag.OWN
    return Entry(id=clock.new_id(), kind=kind, time=clock.now(), flags=flags, **facts)


def put_below(writer: ArchiveWriter, clock: Clock, session: int, entry: Entry, tip: int | None) -> int:
    """Key of the entry once it hangs from the tip, None for a root. The leaf comes along when it stood there."""
    parent = None if tip is None else writer.rows([tip])[tip].id
    [key] = writer.append(session, [replace(entry, parent=parent)])
    if writer.session(session).leaf == tip:
        writer.move_leaf(session, key, "append", time=clock.now())
    return key
