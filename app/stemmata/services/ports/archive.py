"""What the use cases need from the world. The store, the formats and the system implement these structurally.

Every archive call runs on the db thread: a service hands over a *job*, a function of the reader or writer, and
gets a Future. A write job is one transaction; it commits when the job returns and leaves no trace when it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol, TypeVar

from stemmata.domain.chat.run import OpenRun, Partial, PartialText, Queued
from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.session_facts import (
    Body,
    Checkpoint,
    Discovered,
    EntryRow,
    ExportSource,
    Hit,
    LeafMove,
    Matches,
    ReadEvent,
    SearchPage,
    Session,
    SessionInfo,
    SourceRead,
)
from stemmata.domain.entries.tree import Tree

T = TypeVar("T")


class Pages(Protocol):
    """Rows for a viewport, at most 64 a call. Bound to the thread that first uses it."""

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]: ...

    def bodies(self, keys: Sequence[int], *, limit: int = 65536) -> dict[int, Body]:
        """Bodies with every block cut at `limit` characters."""
        ...

    def blob(self, digest: str) -> bytes | None: ...

    def blob_head(self, digest: str, size: int) -> bytes | None:
        """The first bytes of it, as many as `size`."""
        ...


class ArchiveReader(Protocol):
    """Reads of committed state."""

    def sessions(self, *, trashed: bool = False) -> list[Session]: ...

    def session(self, key: int) -> Session:
        """Raises NotFoundError."""
        ...

    def find_session(self, name: str) -> Session:
        """By id, by a unique prefix of the id or of the source id, or `latest`. Raises NotFoundError."""
        ...

    def session_holding(self, session: int, id: str) -> int | None:
        """The oldest other session of the same source and folder that has an entry of this id."""
        ...

    def tree(self, session: int) -> Tree:
        """The whole skeleton: the session's own entries and, for a fork, the shared ones above them."""
        ...

    def tail(self, entry: int, count: int) -> list[int]:
        """Keys of the last `count` entries of the path to this entry, oldest first; cost independent of depth."""
        ...

    def has_trash(self, session: int) -> bool: ...

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]: ...

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]: ...

    def ids(self, session: int) -> list[str]:
        """The source ids of the entries of `tree(session)`, in the same order."""
        ...

    def entry_key(self, session: int, id: str) -> int:
        """Key of the entry with this source id (or unique prefix) in the session's tree. Raises NotFoundError."""
        ...

    def previews(self, session: int) -> list[str]:
        """The previews of the entries of `tree(session)`, in the same order."""
        ...

    def leaf_moves(self, session: int) -> Iterator[LeafMove]:
        """Newest first; each is read when it is asked for, within the job."""
        ...

    def draft(self, session: int) -> str:
        """What was being written in the session, "" for nothing."""
        ...

    def draft_attached(self, session: int) -> tuple[Block, ...]:
        """What was to go with it."""
        ...

    def queued(self, session: int) -> list[Queued]:
        """What waits to be sent, in the order of delivery."""
        ...

    def open_runs(self) -> list[OpenRun]:
        """Runs that have not ended, of this process or another, dead or alive; oldest first."""
        ...

    def partials(self, run: int) -> list[Partial]:
        """What has come of the reply that streams, in its order."""
        ...

    def matches(
        self,
        query: str,
        *,
        session: int | None = None,
        role: str = "",
        tool: str = "",
        limit: int = 50,
        stopped: Callable[[], bool] = ...,
    ) -> Matches:
        """Full text. Words are ANDed, "quoted phrases" kept together, the last word is a prefix.

        `role`: who says it, or the kind of an entry that nobody says; `tool`: whose result it is. At least
        `limit` matches are found, if there are so many. `stopped` is asked again and again; once it says so,
        CancelledError is raised.
        """
        ...

    def hits(self, query: str, keys: Sequence[int]) -> tuple[Hit, ...]:
        """What the query found in these entries, in their order."""
        ...

    def search(
        self, query: str, *, session: int | None = None, role: str = "", limit: int = 50, offset: int = 0
    ) -> SearchPage:
        """A page of the hits of `matches`."""
        ...

    def blob(self, digest: str) -> bytes | None: ...

    def raw(self, session: int) -> Iterator[bytes]:
        """The session's source, byte for byte, in chunks; nothing for sessions made here."""
        ...

    def record(self, entry: int) -> bytes | None:
        """The source record of one entry, byte for byte."""
        ...

    def checkpoints(self) -> dict[str, Checkpoint]:
        """All files ever imported, by path."""
        ...

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far this file was read; None for one that never was."""
        ...

    def files_of_lost_records(self) -> list[str]:
        """Files that may still hold the source records of entries that have lost theirs."""
        ...

    def is_left_out(self, path: str) -> bool:
        """Whether the session of this file was deleted, and the file not imported since."""
        ...

    def totals(self) -> Mapping[str, int]:
        """sessions, entries, bytes (size of the archive file)."""
        ...

    def check(self) -> list[str]:
        """Integrity problems in words; empty when all is well."""
        ...


class ArchiveWriter(ArchiveReader, Protocol):
    """Writes inside the transaction of the job. Reads see what the job wrote."""

    def create_session(self, info: SessionInfo, *, path: str = "") -> int:
        """Key of the new session, or of the one with the same source and source id."""
        ...

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        """Add entries; those that the session (or its lineage) already holds, by id and content, are passed over.

        One whose id stands for other content is added beside that as a variant, under an id made of both, and so is
        what hangs from it in the file that comes in.
        Parents and targets are looked up by source id within the session and its lineage, also when they come
        later in the same call. Returns the keys of those added, in order.
        """
        ...

    def add_blob(self, digest: str, data: bytes) -> None: ...

    def begin_source(self, session: int, path: str, offset: int = 0) -> None:
        """A file that holds the session comes in, from this byte on; what stands before was taken from it earlier.

        Raises RereadError when the archive does not know what stands before.
        """
        ...

    def add_raw(self, session: int, offset: int, data: bytes) -> None:
        """Bytes of the file. They go before the entries that are made of them, and follow on each other."""
        ...

    def end_source(self, session: int, *, whole: bool = True) -> SourceRead:
        """The file has ended. A file that holds only the beginning of what is here leaves no trace.

        Bytes once taken stay, whatever other files of the session hold, or this one later. What is told of entries
        beside their content is as the last reading of their own version says; of a `whole` version, entries that the
        reading does not know any more go, unless anything hangs from them.
        """
        ...

    def key_in_source(self, session: int, id: str) -> int | None:
        """Key of what the file that comes in calls so; None for one that it has not told of."""
        ...

    def move_leaf(self, session: int, entry: int | None, reason: str, *, time: int) -> None: ...

    def update_session(self, session: int, **facts: object) -> None:
        """Set title, starred, archived, trashed, tags, details, parent, path."""
        ...

    def restate(self, session: int, info: SessionInfo) -> None:
        """What the source says of the session now: all but its title, and but what was noted here."""
        ...

    def save_draft(self, session: int, text: str, *, time: int, attached: Iterable[Block] | None = ()) -> None:
        """One draft a session, "" for none. `attached` are its attachments, None for those that it has; their blobs
        are added apart, and go with them where nothing else names them. Raises NotFoundError for an unknown session.
        """
        ...

    def enqueue(self, session: int, blocks: Iterable[Block], *, time: int) -> int:
        """A message that waits, behind those that wait already; its key. Its blobs are added apart."""
        ...

    def change_queued(self, session: int, key: int, blocks: Iterable[Block]) -> None:
        """As `move_queued` and `drop_queued`, raises NotFoundError for a message that waits no longer."""
        ...

    def move_queued(self, session: int, key: int, position: int) -> None:
        """To this place, counted from 0."""
        ...

    def drop_queued(self, session: int, key: int) -> None: ...

    def take_queued(self, session: int) -> Queued | None:
        """The first that waits, taken out; None when there is none."""
        ...

    def begin_run(self, session: int, owner: str, *, time: int) -> int:
        """The number of a new run; it counts up over all sessions."""
        ...

    def follow_run(self, run: int, tip: int | None, connection: str = "", model: str = "") -> None:
        """Where the run stands now, and whom it asks."""
        ...

    def save_partial(self, run: int, partial: Partial) -> None:
        """In place of what was kept of that block before; nothing happens once the run has ended."""
        ...

    def grow_partial(self, run: int, more: PartialText) -> None:
        """Append to a block that `save_partial` stored; nothing happens once the run has ended."""
        ...

    def drop_partials(self, run: int) -> None: ...

    def end_run(self, run: int) -> None: ...

    def refresh(self, session: int) -> Session:
        """Recompute the session's totals after entries were added or the leaf moved."""
        ...

    def delete_session(self, session: int) -> None: ...

    def save_checkpoint(self, checkpoint: Checkpoint, session: int) -> None: ...

    def repair(self) -> list[str]:
        """Mend what `check` finds, as far as it can be; what was done, in words."""
        ...

    def breathe(self) -> None:
        """Called by long jobs every few milliseconds of work: lets waiting *read* jobs run in between."""
        ...


class Archive(Protocol):
    """The one archive. Thread-safe; jobs run in order on the db thread."""

    @property
    def pages(self) -> Pages: ...

    def read(self, job: Callable[[ArchiveReader], T]) -> Future[T]: ...

    def write(self, job: Callable[[ArchiveWriter], T]) -> Future[T]: ...

    def changed_elsewhere(self) -> Future[bool]:
        """Whether another process wrote to the archive since this was last asked, or since it was opened."""
        ...

    def close(self) -> None: ...


class Formats(Protocol):
    """All formats we can read and write."""

    def discover(self) -> list[Discovered]:
        """Sessions of every tool in its standard folders on this machine."""
        ...

    def expand(self, path: Path, format: str = "") -> list[Path]:
        """The session files that a file or folder stands for. Raises UnreadableSourceError, NotFoundError."""
        ...

    def identify(self, path: Path) -> str:
        """Name of the format, by content first. Raises UnreadableSourceError with the reason."""
        ...

    def read(self, path: Path, format: str, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Stream the file's sessions. `since`: continue behind what was read before, if it still stands there and
        the reader can."""
        ...

    def is_unchanged(self, path: Path, known: Checkpoint) -> bool:
        """Whether the file, and those that belong to it, are as they were then. False when it is gone."""
        ...

    def session_file(self, path: Path) -> Path | None:
        """The session file that this is, or belongs to (a subagent's), by its name; None for anything else."""
        ...

    def head(self, path: Path) -> tuple[int, int, str]:
        """size, mtime (ns) and a hash of the first bytes, to see whether a file has changed."""
        ...

    def export_names(self) -> Sequence[str]: ...

    def export(self, name: str, source: ExportSource) -> Iterator[bytes]:
        """The session in a foreign format. Raises KnownError when that format cannot hold it."""
        ...


class Clock(Protocol):
    def now(self) -> int:
        """Nanoseconds since the epoch."""
        ...

    def new_id(self) -> str:
        """A fresh entry id: 8 hex characters."""
        ...
