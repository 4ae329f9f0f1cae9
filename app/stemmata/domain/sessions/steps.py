"""Steps of a history: the actions of a person, each undone and redone as a whole.

A step is in the history of every session that it changes. A change that the list of sessions shows (names, stars,
tags, the archive, the trash, forks, imports) is in the history of the list as well, whose scope is `LIST`. Some of
these steps, `COMING_AND_GOING`, make sessions, put them away or return them. They are also a history of their own,
whose scope is `SESSIONS`, since the session that they belong to is often not the one that is open afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from stemmata.domain.sessions.details import is_named_here
from stemmata.domain.sessions.session import Session

CONTINUING = "continuing"
LIST = 0  # the scope of the list of sessions; positive scopes are keys of sessions
SESSIONS = -1  # the scope of those steps of the list that make sessions, put them away or return them
COMING_AND_GOING = ("fork", "compact-into-new", "archived", "not-archived", "trashed", "not-trashed")


class Fact(StrEnum):
    """The kind of value that a change of a step changes. Values are text.

    "" for none or off, "1" for on, else as noted.
    """

    LEAF = "leaf"  # the store key of the leaf
    PROMPT = "prompt"  # the message `entry` went to the composer; nothing in the archive changes
    LABEL = "label"  # the label of `entry`
    PIN = "pin"
    DELETED = "deleted"  # whether the branch that begins with `entry` is in the trash
    TITLE = "title"  # the name of the session, behind a character: "1" when a person gave it, else "0"
    TAGS = "tags"  # a JSON list
    STARRED = "starred"
    ARCHIVED = "archived"
    TRASHED = "trashed"
    CREATED = "created"  # `continuing` for a session that got the queue and the conversation of its origin, else "1"


LISTED = frozenset({Fact.TITLE, Fact.TAGS, Fact.STARRED, Fact.ARCHIVED, Fact.TRASHED, Fact.CREATED})


class StepChange(NamedTuple):
    """One change of a step: the fact of a session, or of its entry (store key), was `before` and became `after`."""

    session: int
    fact: Fact
    before: str
    after: str
    entry: int | None = None

    @property
    def scopes(self) -> tuple[int, ...]:
        """The histories that the change belongs to. The new session of a fork begins without a history."""
        if self.fact is Fact.CREATED:
            return (LIST,)
        return (LIST, self.session) if self.fact in LISTED else (self.session,)


@dataclass(frozen=True, slots=True)
class Step:
    """A step as it is listed: what was done, to what (`name`, "" for none), and to how many."""

    key: int
    what: str
    name: str = ""
    count: int = 1
    leaf: int | None = None  # the new leaf of its session; None also when the step did not move the leaf
    is_external: bool = False  # whether another process did it, or this one before it last opened the archive
    undone: int = 0  # 0 for a step that is done; of two undone steps, the one that was undone last has more
    # only in the history SESSIONS: keys of the changed sessions, and of those from which new ones were made
    sessions: frozenset[int] = frozenset()


class History(NamedTuple):
    """The steps that the next undo and the next redo apply to; None when there is none."""

    next_undo: Step | None = None
    next_redo: Step | None = None


def continuing(origin: int) -> str:
    """Return the value of CREATED for a session that continues the session `origin` (store key)."""
    return f"{CONTINUING} {origin}"


def continued_session(value: str, parent: int | None) -> int | None:
    """Return the session that a new session of this value of CREATED continues; None for a fork.

    It is not always the present parent: when a session is deleted, the sessions that came from it become children of
    its own parent. Earlier programs stored no key, then it is `parent`.
    """
    word, _, key = value.partition(" ")
    if word != CONTINUING:
        return None
    return int(key) if key else parent


def key_text(key: int | None) -> str:
    """Return the value of a leaf for a step."""
    return "" if key is None else str(key)


def key_of(text: str) -> int | None:
    """Return the leaf that a step's value names."""
    return int(text) if text else None


def title_value(session: Session) -> str:
    """Return the name of a session as a step's value."""
    return f"{int(is_named_here(session.details))}{session.title if session.named else ''}"


def tags_value(tags: Iterable[str]) -> str:
    """Return tags as a step's value."""
    return json.dumps(sorted(tags), ensure_ascii=False)
