"""What one mutation changed: published once, and every view decides whether it cares."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag


class Change(IntFlag):
    NONE = 0
    SESSIONS = 1  # the list of sessions, or facts shown in it
    ENTRIES = 2  # entries were added
    LEAF = 4
    MARKS = 8  # labels, pins, names
    SETTINGS = 16
    TOOLS = 32  # servers of tools came, went, or learnt


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """`session` is None when more than one is concerned; `entries` are the keys that were added."""

    what: Change
    session: int | None = None
    entries: tuple[int, ...] = ()
    initiator: object = None
