"""A session as the archive lists it, a new session as its source describes it, and a move of a session's leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stemmata.domain.entries.tree import Tree  # the list of sessions is painted before trees are loaded

MAX_TAG_LENGTH = 40  # characters of a tag, so that it fits a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the list shows it. Times are in nanoseconds; `key`, `parent` and `leaf` are store keys."""

    key: int
    id: str  # Stemmata's own id: short, unique, never changed
    source: str
    source_id: str
    title: str  # the given name, else the first line of the first prompt, else ""
    named: bool  # whether the title is a given name
    cwd: str
    parent: int | None  # key of the session it was forked from or spawned by
    leaf: int | None
    created_at: int
    updated_at: int
    entries: int
    branches: int  # without branches in the trash
    compactions: int
    context_tokens: int | None  # at the leaf; see `context_kind`
    context_kind: str  # reported | estimated | unknown
    model: str  # "provider/model" in force at the leaf, or ""
    cost: int  # millionths of a dollar over all branches
    starred: bool = False
    archived: bool = False
    trashed: bool = False
    tags: tuple[str, ...] = ()
    path: str = ""  # source file, "" for sessions made here
    details: str = ""
    finalised: int | None = None  # key of the last entry that the stored summary covers; None while it is open

    @property
    def state(self) -> str:
        """`finalised` when the session was left with a summary and got no message since, else `open`."""
        return "open" if self.finalised is None else "finalised"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """Facts about a session as its source states them. Times are in nanoseconds, 0 when unknown."""

    source: str  # "pi", "openclaw", "claude-code", "stemmata"
    source_id: str  # the source's own id of the session; unique per source
    title: str = ""  # the given name; "" lets the first prompt serve as the title
    named: bool = False  # whether a person gave the title in the tool, as far as the source says
    cwd: str = ""
    created_at: int = 0
    parent_source_id: str = ""  # session this one was forked from or spawned by, by its source id
    details: str = ""  # JSON text with the extras of the source (header fields, routing, …)
    tags: tuple[str, ...] = ()  # the tags that a new session gets
    first_entry: str = ""  # id of the first entry; a copy of the source that lacks the session's id is named by it


@dataclass(frozen=True, slots=True)
class SessionTree:
    """A session with its whole tree, without the content of the entries."""

    session: Session
    tree: Tree


class LeafMove(NamedTuple):
    """One move of a session's leaf, from the entry `before` to the entry `after` (store keys).

    `reason` is import, continue, fork, compact, prune, undo, redo, edit or append. `is_external` is true for a move
    that another process made, or this process before it last opened the archive.
    """

    key: int
    before: int | None
    after: int | None
    time: int
    reason: str
    is_external: bool = False


def normalized_tag(text: str) -> str:
    """Return the typed text as a tag without spaces and `#`, so that `#tag` finds it; "" when nothing is left."""
    return "-".join(text.replace("#", " ").split())[:MAX_TAG_LENGTH]
