"""The ports to the archive, the formats and the clock. The store, the formats and the system implement them.

Every call of the archive runs on the db thread: a service passes a *job*, a function of the reader or writer, and
gets a Future. A write job is one transaction: it commits when the job returns and rolls back when it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol, TypeVar

from stemmata.domain.chat.run import OpenRun, Partial, PartialText, QueuedMessage
from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.embedding import EmbeddingBatch, Neighbour
from stemmata.domain.search.hits import Hit, SearchPage, Share, UnreadHit, UnreadHits
from stemmata.domain.search.query import Filters, Query
from stemmata.domain.sessions.lineage import ForkPoint
from stemmata.domain.sessions.session import LeafMove, Session, SessionInfo
from stemmata.domain.sessions.steps import History, StepChange
from stemmata.domain.sources.reading import Checkpoint, Removal, SourceRead

T = TypeVar("T")


class Pages(Protocol):
    """Reads rows for a viewport, at most 64 per call. Bound to the thread that first uses it."""

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        """Return the rows of entries by key, names cut at 65,536 characters; missing entries are left out."""

    def bodies(self, keys: Sequence[int], *, limit: int = 65536) -> dict[int, Body]:
        """Return the bodies of entries by key, with every block cut at `limit` characters."""
        ...

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of a blob by SHA-256 in hex; None when it is missing."""

    def blob_head(self, digest: str, size: int) -> bytes | None:
        """Return the first `size` bytes of a blob; None when it is missing."""
        ...


class EntrySource(Protocol):
    """The part of the archive that summaries and prunings read."""

    def session(self, key: int, /) -> Session:
        """Return a session by key."""

    def tree(self, session: int, /) -> Tree:
        """Return a session's tree."""

    def rows(self, keys: Sequence[int], /) -> dict[int, EntryRow]:
        """Return the rows of entries."""

    def bodies(self, keys: Sequence[int], /) -> dict[int, Body]:
        """Return the contents of entries."""


class ArchiveReader(Protocol):
    """Reads the committed state of the archive."""

    def sessions(self, *, trashed: bool = False) -> list[Session]:
        """Return all sessions, newest first; with `trashed`, those in the trash."""

    def newest_sessions(self, count: int) -> list[Session]:
        """Return the `count` newest sessions outside the trash and those they came from, newest first."""

    def summary(self, session: int) -> str:
        """Return the summary that the session got when it was finalised last; "" for none. Raises NotFoundError."""
        ...

    def session(self, key: int) -> Session:
        """Return a session by its store key. Raises NotFoundError."""
        ...

    def find_session(self, name: str) -> Session:
        """Return a session by its id, a unique prefix of its id or source id, or `latest`. Raises NotFoundError."""
        ...

    def session_holding(self, session: int, id: str) -> int | None:
        """Return the oldest other session of the same source and folder with an entry of this id; None for none."""
        ...

    def session_of(self, source: str, source_id: str) -> Session | None:
        """Return the session with this source and source id, None if there is none."""
        ...

    def sessions_of_file(self, path: str) -> list[Session]:
        """Return the sessions that were first imported from this file."""
        ...

    def fork_points(self) -> dict[int, ForkPoint]:
        """Return the last shared entry of each session that shares entries of another one."""
        ...

    def tree(self, session: int) -> Tree:
        """Return the whole tree: the session's own entries and, for a fork, the shared entries above them."""
        ...

    def passing_tree(self, session: int) -> Tree:
        """Return the tree of a session without keeping it for the next question."""
        ...

    def tail(self, entry: int, count: int) -> list[int]:
        """Return the keys of the last `count` entries of the path to an entry, oldest first.

        The time does not depend on the depth.
        """
        ...

    def ascent(self, entry: int) -> list[range]:
        """Return the keys of the path to an entry as ranges, the last ones first. Faster than `tail`."""
        ...

    def has_trash(self, session: int) -> bool:
        """Whether the session has branches in the trash."""

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        """Return the rows of entries by key; missing entries are left out."""

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]:
        """Return the bodies of entries by key; missing entries are left out."""

    def cut_bodies(self, keys: Sequence[int], limit: int) -> dict[int, Body]:
        """Return the bodies of entries by key, with every block cut at `limit` characters."""

    def ids(self, session: int) -> list[str]:
        """Return the source ids of the entries of `tree(session)`, in the same order."""
        ...

    def entry_key(self, session: int, id: str) -> int:
        """Return the key of an entry of the session's tree by source id or unique prefix. Raises NotFoundError."""
        ...

    def previews(self, session: int) -> list[str]:
        """Return the previews of the entries of `tree(session)`, in the same order."""
        ...

    def leaf_moves(self, session: int) -> Iterator[LeafMove]:
        """Yield the leaf moves, newest first. Each is read on demand, so iterate within the job."""
        ...

    def history(self, scope: int) -> History:
        """Return the next steps to undo and to redo of a session, or of the list of sessions (LIST)."""
        ...

    def step_changes(self, step: int) -> list[StepChange]:
        """Return the changes of a step in their order; none for an unknown step."""
        ...

    def draft(self, session: int) -> str:
        """Return the text of the session's draft; "" for none."""
        ...

    def draft_attached(self, session: int) -> tuple[Block, ...]:
        """Return the attachments of the session's draft."""
        ...

    def queued(self, session: int) -> list[QueuedMessage]:
        """Return the queued messages, in the order of delivery."""
        ...

    def current_session(self, key: str) -> tuple[int, int] | None:
        """Return the current session of a conversation by the conversation's key, and the time (ns) it became so.

        None when the archive does not know the conversation.
        """
        ...

    def open_runs(self) -> list[OpenRun]:
        """Return the runs that have not ended, of any process, even of a dead one; oldest first."""
        ...

    def partials(self, run: int) -> list[Partial]:
        """Return the stored parts of a run's streaming reply, in order."""
        ...

    def unread_hits(
        self,
        query: str,
        *,
        session: int | None = None,
        role: str = "",
        tool: str = "",
        limit: int = 50,
        stopped: Callable[[], bool] = ...,
    ) -> UnreadHits:
        """Search the full text. Words are ANDed, "quoted phrases" stay together, the last word is a prefix.

        `role` is the role of the entry, or its kind when it has no role; `tool` is the tool of a result. At least
        `limit` hits are found if they exist. `stopped` is called repeatedly; once it returns True,
        CancelledError is raised.
        """
        ...

    def fitting(self, filters: Filters, keys: Sequence[int]) -> tuple[UnreadHit, ...]:
        """Return the entries with these keys that the filters let through, in the order of the keys.

        Filters by file are ignored, as is the scope. Sessions in the trash are left out.
        """
        ...

    def find(
        self,
        query: Query,
        *,
        session: int | None = None,
        by_rank: bool = False,
        below: int | None = None,
        share: Share | None = None,
        suits: Callable[[UnreadHit], bool] | None = None,
        seconds: float = ...,
        stopped: Callable[[], bool] = ...,
    ) -> UnreadHits:
        """Return the newest, or the best, entries that match a query with filters, without sessions in the trash.

        `share` limits those of each session. The scope of the filters is ignored; instead, `suits` tells whether an
        entry is wanted, given its session, key and kind. After about `seconds` the search ends with what it has
        found; `UnreadHits.rest`, given as `below`, goes on. `stopped` is called repeatedly; once it returns True,
        CancelledError is raised.
        """
        ...

    def hits(self, query: str, keys: Sequence[int], *, long: bool = False) -> tuple[Hit, ...]:
        """Return the hits of a query in these entries, in their order; with three lines of context when `long`."""
        ...

    def search(
        self, query: str, *, session: int | None = None, role: str = "", limit: int = 50, offset: int = 0
    ) -> SearchPage:
        """Return a page of the hits of `unread_hits`."""
        ...

    def unembedded(self, model: str, limit: int) -> EmbeddingBatch:
        """Return at most `limit` prompts, summaries and titles that the embedding model was not given yet."""
        ...

    def nearest(self, model: str, vector: bytes, limit: int, *, session: int | None = None) -> tuple[Neighbour, ...]:
        """Return the texts whose vectors are nearest to a packed vector of the same model, the nearest first.

        With a session, only its texts are compared.
        """
        ...

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of a blob by SHA-256 in hex; None when it is missing."""

    def raw(self, session: int) -> Iterator[bytes]:
        """Yield the session's source in chunks, byte for byte; nothing for a session created in Stemmata."""
        ...

    def record(self, entry: int) -> bytes | None:
        """Return the source record of an entry, byte for byte; None when there is none."""
        ...

    def records(self, entries: Sequence[int]) -> dict[int, bytes]:
        """Return the source records of entries by key, without entries that have none."""
        ...

    def checkpoints(self) -> dict[str, Checkpoint]:
        """Return the checkpoints of all imported files, by path."""
        ...

    def checkpoint(self, path: str) -> Checkpoint | None:
        """Return the checkpoint of a file: how far it was read; None when it was never imported."""
        ...

    def files_of_lost_records(self) -> list[str]:
        """Return the paths of files that may hold the missing source records of entries."""
        ...

    def is_only_file(self, path: str, session: int) -> bool:
        """Whether no other file than this one was read for the session."""
        ...

    def is_left_out(self, path: str) -> bool:
        """Whether the file's session was deleted for good and the file was not imported since."""
        ...

    def totals(self) -> Mapping[str, int]:
        """Return the totals by name: sessions, entries, bytes (size of the archive file)."""
        ...

    def check(self) -> list[str]:
        """Return the archive's integrity problems as sentences; empty when it is sound."""
        ...


class ArchiveWriter(ArchiveReader, Protocol):
    """Writes inside the job's transaction. Its reads see the job's own writes."""

    def create_session(self, info: SessionInfo, *, path: str = "") -> int:
        """Create a session and return its key; an existing session of the same source and source id is returned."""
        ...

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        """Append entries. Entries that the session or its lineage already holds, by id and content, are skipped.

        An entry whose id belongs to other content is added as a variant, under an id made from both, as are its
        descendants in the same file.
        Parents and targets are resolved by source id within the session and its lineage, also when they come
        later in the same call. Returns the keys of the added entries, in order.
        """
        ...

    def has_unclear_ids(self, session: int) -> bool:
        """Return whether the file that is being imported has an id of other content, or names an unknown entry.

        Of the session's entries, only those count that were appended since `begin_source`.
        """
        ...

    def add_embeddings(self, model: str, batch: EmbeddingBatch, vectors: Sequence[bytes]) -> None:
        """Store the packed vectors of a batch, one for each text."""

    def add_blob(self, digest: str, data: bytes) -> None:
        """Store the bytes of an attachment under its SHA-256 in hex."""

    def begin_source(self, session: int, path: str, offset: int = 0) -> None:
        """Begin to import a file that holds the session, from a byte offset. Earlier bytes were imported before.

        Raises RereadError when the archive does not know the earlier bytes.
        """
        ...

    def add_raw(self, session: int, offset: int, data: bytes) -> None:
        """Store bytes of the file. Store them without gaps, and before the entries that are read from them."""
        ...

    def end_source(self, session: int, *, whole: bool = True, removal: Removal | None = None) -> SourceRead:
        """End the import of a file. A file that holds only the beginning of the stored session changes nothing.

        Stored bytes stay, even if other files of the session, or this file later, contain other bytes. Facts of
        entries other than their content come from the last reading of their own version. After a `whole` reading,
        entries that it no longer contains are removed, unless they have children. With a `removal` that marks, the
        reading is known to be the latest state of the source: entries that it misses are marked as removed by the
        tool, those that it contains get their place from it, and a file that holds only the beginning has become
        shorter.
        """
        ...

    def is_held(self, session: int) -> bool:
        """Return whether an earlier file of the session had all bytes of the imported file."""
        ...

    def key_in_source(self, session: int, id: str) -> int | None:
        """Return the key of an entry by its id in the imported file; None when the file has not named it yet."""
        ...

    def is_in_source(self, session: int, entry: int) -> bool:
        """Return whether the part of the imported file that was read so far has an entry of the session."""
        ...

    def move_leaf(self, session: int, entry: int | None, reason: str, *, time: int) -> None:
        """Move the leaf to an entry (None is the start) and log the move with its reason.

        The move belongs to the step that was begun. Without one, the reasons `append` and `back` continue the last
        step of the session's run; `import`, `fork`, `undo` and `redo` are in no history; others are steps themselves.
        """

    def begin_step(self, what: str, name: str = "", *, count: int = 1, join: int | None = None) -> None:
        """Begin a step of the history: the job's changes from here on are undone together.

        `join` goes on with an earlier step and adds to its `count`. A step without changes is not stored.
        """

    def note_change(self, change: StepChange, *, also: Iterable[int] = ()) -> int:
        """Add a change to the step that was begun, and return its key.

        Steps that were undone before it can no longer be redone. `also` are further sessions whose history gets the
        step.
        """
        ...

    def set_undone(self, step: int, *, undone: bool) -> None:
        """Mark a step as undone, or as done again."""

    def drop_step(self, step: int) -> None:
        """Remove a step from all histories. Its changes stay."""

    def update_session(self, session: int, **facts: object) -> None:
        """Set facts of a session.

        These are title, starred, archived, trashed, tags, details, parent, path, summary and finalised.
        """
        ...

    def restate(self, session: int, info: SessionInfo) -> None:
        """Replace the session's facts by those of its source, except the title and what the user has set."""
        ...

    def save_draft(self, session: int, text: str, *, time: int, attached: Iterable[Block] | None = ()) -> None:
        """Store the session's only draft; "" deletes it. `attached` None keeps its attachments. Their blobs are added
        separately and are deleted with them when nothing else refers to them. Raises NotFoundError.
        """
        ...

    def note_hand_off(self, session: int, source: str, source_id: str) -> None:
        """Note that a session was handed over to the tool `source` as a new session with this source id.

        When that session is imported, its parent is the session that was handed over.
        """

    def make_current(self, key: str, session: int, *, time: int) -> None:
        """Make a session the current one of a conversation. `time` is in ns."""

    def enqueue(self, session: int, blocks: Iterable[Block], *, time: int) -> int:
        """Append a message to the queue and return its key. Its blobs are added separately."""
        ...

    def change_queued(self, session: int, key: int, blocks: Iterable[Block]) -> None:
        """Replace a queued message. This and the next two raise NotFoundError when the message left the queue."""
        ...

    def move_queued(self, session: int, key: int, position: int) -> None:
        """Move a queued message to a position, counted from 0."""
        ...

    def hand_over_queue(self, session: int, to: int) -> None:
        """Move all queued messages of a session to the end of the queue of the session `to`."""
        ...

    def drop_queued(self, session: int, key: int) -> None:
        """Delete a queued message."""

    def take_queued(self, session: int) -> QueuedMessage | None:
        """Remove the first queued message and return it; None when the queue is empty."""
        ...

    def begin_run(self, session: int, owner: str, *, time: int) -> int:
        """Store a new run and return its number, which increases over all sessions."""
        ...

    def follow_run(self, run: int, tip: int | None, connection: str = "", model: str = "") -> None:
        """Store the tip of a run and the connection and model that it uses."""
        ...

    def save_partial(self, run: int, partial: Partial) -> None:
        """Replace a stored block of a run's streaming reply. Ignored after the run has ended."""
        ...

    def grow_partial(self, run: int, more: PartialText) -> None:
        """Append text to a block that `save_partial` stored. Ignored after the run has ended."""
        ...

    def drop_partials(self, run: int) -> None:
        """Delete the stored parts of a run's streaming reply."""

    def end_run(self, run: int) -> None:
        """End a run and delete its stored parts."""

    def refresh(self, session: int) -> Session:
        """Recompute the session's totals after entries were added or the leaf moved, and return the session."""
        ...

    def delete_session(self, session: int) -> None:
        """Delete a session for good."""

    def save_checkpoint(self, checkpoint: Checkpoint, session: int | None) -> None:
        """Store how far a file was read. None: all its sessions are as they were, so it keeps its old checkpoint."""

    def repair(self) -> list[str]:
        """Repair the problems that `check` finds, as far as possible, and return the repairs as sentences."""
        ...

    def breathe(self) -> None:
        """Let waiting *read* jobs run. Long jobs call this every few milliseconds."""
        ...


class Archive(Protocol):
    """The port of the archive. Thread-safe; jobs run in order on the db thread."""

    @property
    def pages(self) -> Pages:
        """Return a reader of rows for the calling thread."""

    @property
    def place(self) -> str:
        """The path of the archive's file."""
        ...

    def prepared(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return the entries with their stored forms, so that `append` need not compute them.

        Any thread may call this.
        """
        ...

    def read(self, job: Callable[[ArchiveReader], T]) -> Future[T]:
        """Run a read job on the db thread."""

    def write(self, job: Callable[[ArchiveWriter], T]) -> Future[T]:
        """Run a write job on the db thread, in one transaction."""

    def changed_elsewhere(self) -> Future[bool]:
        """Return whether another process wrote to the archive since the last call, or since it was opened."""
        ...

    def close(self) -> None:
        """Finish the jobs under way and close the archive."""


class Clock(Protocol):
    """Tells the present time, and makes new ids."""

    def now(self) -> int:
        """Return the time in nanoseconds since the epoch."""
        ...

    def new_id(self) -> str:
        """Return a new entry id: 8 hex characters."""
        ...
