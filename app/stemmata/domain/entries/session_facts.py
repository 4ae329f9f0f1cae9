"""What the archive says about a session, its entries and its imports: values that cross threads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.json_text import compact_json

_HERE = "namedHere"  # among the session's details


def is_named_here(details: str) -> bool:
    return _facts(details).get(_HERE) is True


def named_here(details: str, *, on: bool) -> str:
    """The session's details, saying whether the person named it."""
    facts = {name: value for name, value in _facts(details).items() if name != _HERE}
    return compact_json(facts | {_HERE: True} if on else facts) if facts or on else ""


def _facts(details: str) -> dict[str, Any]:
    try:
        found = json.loads(details or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the list shows it. Times in ns. `leaf` and `key` are store keys."""

    key: int
    id: str  # our id: short, unique, stable
    source: str
    source_id: str
    title: str  # the given name, else the first prompt's first line, else ""
    named: bool  # whether the title was given
    cwd: str
    parent: int | None  # key of the session it was forked from or spawned by
    leaf: int | None
    created_at: int
    updated_at: int
    entries: int
    branches: int  # without what is in the trash
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


LONGEST = 40  # characters: it has to fit a row


def tag_of(text: str) -> str:
    """What a person typed as a tag, so that `#tag` can be typed to find it; "" when nothing is left."""
    return "-".join(text.replace("#", " ").split())[:LONGEST]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """Facts about a session that its source or its maker states. Times in ns, 0 = unknown."""

    source: str  # "pi", "openclaw", "claude-code", "stemmata"
    source_id: str  # the source's own id of the session; unique per source
    title: str = ""  # display name when one was given; else empty and the first prompt stands for it
    cwd: str = ""
    created_at: int = 0
    parent_source_id: str = ""  # session this one was forked from or spawned by, by its source id
    details: str = ""  # JSON text with the extras of the source (header fields, routing, …)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One entry as a list row shows it: the skeleton with its strings, no bodies."""

    key: int
    id: str
    parent: int | None
    kind: Kind
    role: Role
    time: int
    flags: Flag
    provider: str
    model: str
    tool: str
    call: str
    name: str
    target: int | None
    preview: str  # at most 200 characters, one line
    tokens: int  # estimated
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Body:
    """The content of an entry. `cut` is the number of characters left out of over-long blocks on request."""

    key: int
    blocks: tuple[Block, ...]
    details: str = ""
    cut: int = 0


def whole_entry(row: EntryRow, body: Body) -> Entry:
    """Row and body put together again. Parent and target are store keys in a row and are left out."""
    return Entry(
        id=row.id,
        kind=row.kind,
        role=row.role,
        time=row.time,
        blocks=body.blocks,
        provider=row.provider,
        model=row.model,
        tool=row.tool,
        call=row.call,
        name=row.name,
        usage=row.usage,
        flags=row.flags,
        details=body.details,
    )


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A session with its whole tree, ready for navigation and context."""

    session: Session
    tree: Tree


@dataclass(frozen=True, slots=True)
class LeafMove:
    """One move of a session's leaf. `reason`: import, continue, fork, compact, prune, undo, redo, edit, append.

    `elsewhere`: another process made it, or this one when it had the archive open before.
    """

    key: int
    before: int | None
    after: int | None
    time: int
    reason: str
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A full-text hit. In `snippet` the matches stand between U+E000 and U+E001 (private use, never in text)."""

    session: int
    entry: int
    id: str
    role: Role
    kind: Kind
    time: int
    snippet: str


class Match(NamedTuple):
    """Where a full-text hit is, before its words are read."""

    session: int
    entry: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Matches:
    """Newest first. `more`: there are others, which were not looked for."""

    found: tuple[Match, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The first hits of `total`; `more`: there are others that were not counted."""

    total: int
    hits: tuple[Hit, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read; it is kept raw. `line` counts from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a file was read. `state` is the reader's own JSON text, handed back when the file has grown.

    `offset` is the byte after the last complete line read. `head` is a hash of the first bytes (identity).
    """

    path: str
    size: int
    mtime: int
    offset: int
    lines: int
    head: str
    state: str = ""


# -- what a reader yields, in this order: Begin, then Entry | Skipped | Repaired | Blob | Raw in any order, then End;
#    and again from Begin for the next session of the same source


@dataclass(frozen=True, slots=True)
class Begin:
    """A session starts. What follows is all of it, unless it is gone on with from the byte `offset`.

    Of what stands before that byte only entries are told of which something else is to be said now. All others are
    new, if nothing is amiss, and their parents are among them or in the archive: whoever takes them checks that, and
    raises RereadError if not.
    """

    info: SessionInfo
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Repaired:
    """Damage that was mended, in words for the report: an orphan attached as a root, a cycle cut, a duplicate id."""

    what: str
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of an image or attachment, by their SHA-256 in hex. Comes before the entry that uses it."""

    digest: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Raw:
    """Source bytes, verbatim and gapless from `offset` on: what export gives back. Chunks of any size."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    """The session's source ends. `leaf` is the entry (source id) the source stands at, None for its own rule.

    `title` is the last name the source gave, "" for none.
    """

    leaf: str | None = None
    leaf_known: bool = False
    title: str = ""
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What became of a file's part for one session.

    `older`: the archive holds all of it and more, so nothing was changed. `conflicts`: ids that the file uses for
    other content, each with the id of the variant that is kept beside. `branched`: some of its ids stand for others.
    `retold`: entries that were here before changed their place or marks, or went.
    """

    older: bool = False
    conflicts: tuple[tuple[str, str], ...] = ()
    branched: bool = False
    retold: bool = False


ReadEvent = Begin | Entry | Skipped | Repaired | Blob | Raw | End


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """The integrity report of one imported session. `added` are keys, where an earlier import was gone on with.

    `variants` are the ids of new entries whose source gives them the id of another entry. `older`: the archive holds
    all of the file and more. `retold`: what is told of earlier entries has changed.
    """

    key: int
    id: str
    source: str
    source_id: str
    title: str
    entries: int
    new_entries: int
    branches: int
    skipped: tuple[Skipped, ...] = ()
    repaired: tuple[Repaired, ...] = ()
    added: tuple[int, ...] = ()
    variants: tuple[str, ...] = ()
    older: bool = False
    retold: bool = False


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """`passing`: it is not the file's fault, and another try may do. `fault`: it is one of this program."""

    path: str
    reason: str
    passing: bool = False
    fault: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport:
    sessions: tuple[ImportedSession, ...] = ()
    skipped_files: tuple[SkippedFile, ...] = ()
    unchanged: int = 0  # files that had not changed since they were last imported
    cancelled: bool = False
    paths: tuple[str, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether nothing at all was left out."""
        return not self.skipped_files and not any(session.skipped for session in self.sessions)


@dataclass(frozen=True, slots=True)
class Discovered:
    """Sessions of one tool found on this machine, before anything is imported."""

    source: str
    name: str  # the tool's name, for people
    folder: str
    files: tuple[str, ...]
    size: int  # bytes


class ExportSource(Protocol):
    """A session as the writers of formats see it. The indices are those of the tree."""

    @property
    def session(self) -> Session: ...

    @property
    def tree(self) -> Tree: ...

    @property
    def leaf(self) -> int | None:
        """Index in the tree; None for the start."""
        ...

    def raw(self) -> Iterator[bytes]: ...

    def rows(self, entries: Sequence[int]) -> list[EntryRow]:
        """The rows of the entries at these indices, in this order."""
        ...

    def bodies(self, entries: Sequence[int]) -> list[Body]: ...

    def record(self, entry: int) -> bytes | None: ...

    def blob(self, digest: str) -> bytes | None: ...
