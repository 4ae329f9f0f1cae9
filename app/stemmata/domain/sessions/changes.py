"""Describes what one write changed. It is published once, and every view decides whether to refresh."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag


class Change(IntFlag):
    """The aspects of the archive that a write changed."""

    NONE = 0
    SESSIONS = 1  # the list of sessions, or a fact that it shows
    ENTRIES = 2  # entries were added
    LEAF = 4
    MARKS = 8  # labels, pins, names
    SETTINGS = 16
    TOOLS = 32  # a tool server was added or removed, or its tools changed


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The changes of one write: aspects, session, keys of the added entries, and the part of the program behind it.

    `session` is None when the write concerns more than one session.
    """

    what: Change
    session: int | None = None
    entries: tuple[int, ...] = ()
    initiator: object = None
