"""The writer that write jobs get, one for each job, inside the job's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from peewee import SqliteDatabase

from stemmata.domain.chat.run import Partial, PartialText, QueuedMessage
from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.search.embedding import EmbeddingBatch
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sessions.steps import StepChange
from stemmata.domain.sources.reading import Checkpoint, Removal, SourceRead
from stemmata.domain.text.phrases import Phrase
from stemmata.store.chat.drafts import DraftWriter
from stemmata.store.chat.queue import QueueWriter
from stemmata.store.chat.runs import RunWriter
from stemmata.store.core.database import ArchiveConnection, begin_bulk, connection_of, leave_log
from stemmata.store.core.models import BlobTable, EntryTable, ShareTable
from stemmata.store.core.rows import find_row, insert_row
from stemmata.store.entries.appending import Appender, Changed, Read
from stemmata.store.entries.entry_rows import store_place
from stemmata.store.entries.prepared import PreparedEntries
from stemmata.store.entries.records import RecordWriter
from stemmata.store.entries.rederiving import rederive, withdraw
from stemmata.store.entries.removals import note_removals
from stemmata.store.entries.tree_loader import LoadedTree
from stemmata.store.imports.imports import renew_checkpoint, save_checkpoint
from stemmata.store.reader import Reader, TreeCache
from stemmata.store.search.embeddings import EmbeddingWriter
from stemmata.store.search.signs import SignCache
from stemmata.store.sessions.leaf_moves import LeafMoveWriter
from stemmata.store.sessions.session_writer import ArchiveSessionWriter
from stemmata.store.sessions.steps import StepWriter
from stemmata.store.upkeep.deletion import delete_session
from stemmata.store.upkeep.integrity import repair
from stemmata.store.upkeep.refreshing import Refresher

LARGE_JOB = 8_000_000  # bytes of sources


class Writer(Reader):
    """Implements `services.ports.ArchiveWriter` for one write job. Call `finish` before the commit."""

    def __init__(
        self,
        database: SqliteDatabase,
        breathe: Callable[[], None],
        writer: int,
        trees: TreeCache,
        signs: SignCache,
    ) -> None:
        super().__init__(ArchiveConnection(connection_of(database), database), writer, trees, signs)
        self.has_written_bulk = False  # whether the job has enlarged the page cache
        self._has_changed_earlier = False
        self._raw_size = 0  # bytes of sources that the job stores
        self.leaves_log = False  # whether the job is so large that another thread copies the log meanwhile
        # trees of sessions as this job changed them, which other jobs must not see before the commit
        self._job_trees = TreeCache()
        self.breathe = breathe
        self._database = database
        self._session_writer = ArchiveSessionWriter(database)
        self._step_writer = StepWriter(self.connection, writer)
        self._leaf_move_writer = LeafMoveWriter(self.connection, writer, self._step_writer)
        self._record_writer = RecordWriter(database)
        self._appender = Appender(database, self._sessions, self._repositories.trees, self._record_writer)
        self._versions: dict[int, int | None] = {}  # session → the version to which the read file belongs
        self._draft_writer = DraftWriter(database)
        self._queue_writer = QueueWriter(database)
        self._run_writer = RunWriter(database)
        self._refresher = Refresher(database, self._repositories.trees, self._repositories.content)

    def create_session(self, info: SessionInfo, *, path: str = "") -> int:
        """Create a session and return its key; a known source id gives the key that exists."""
        return self._session_writer.create(info, path)

    @staticmethod
    def prepared(entries: Iterable[Entry]) -> PreparedEntries:
        """Return the entries with their columns, which needs no connection."""
        return PreparedEntries.of(entries)

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        """Add entries and return the keys of the new ones."""
        return self._appender.append(session, entries)

    def has_unclear_ids(self, session: int) -> bool:
        """Return whether the file being read has an id of other content, or names an entry that is not stored."""
        return self._appender.has_unclear_ids(session)

    def add_embeddings(self, model: str, batch: EmbeddingBatch, vectors: Sequence[bytes]) -> None:
        """Store the packed vectors of a batch, one for each text."""
        EmbeddingWriter(self._database, self._repositories.search, self._signs).add(model, batch, vectors)

    def add_blob(self, digest: str, data: bytes) -> None:
        """Store a blob under its SHA-256 unless it is stored."""
        row = {"digest": digest, "size": len(data), "data": data}
        insert_row(self.connection, BlobTable, row, or_ignore=True)

    def add_raw(self, session: int, offset: int, data: bytes) -> None:
        """Store bytes of the session's source file that follow the last stored bytes."""
        self._raw_size += len(data)
        if self._raw_size >= LARGE_JOB and not self.leaves_log:
            self.leaves_log = True
            leave_log(self.connection)
        self._record_writer.add(session, offset, data)

    def begin_source(self, session: int, path: str, offset: int = 0) -> None:
        """Begin a file of the session at byte `offset`."""
        self._begin_bulk()
        self.connection.execute("SAVEPOINT source")
        self._record_writer.begin(session, path, offset)
        self._appender.begin(session)

    def end_source(self, session: int, *, whole: bool = True, removal: Removal | None = None) -> SourceRead:
        """End the file; roll it back if an earlier file held more. `whole`: it was read from its beginning.

        With a `removal` that marks, a file that held more before has become shorter, and is not rolled back.
        """
        taken, read = self._record_writer.end(session), self._appender.end(session)
        self._versions[session] = taken.version
        is_later = removal is not None and removal.marks
        is_older = taken.older and not is_later
        if is_older:
            self.connection.execute("ROLLBACK TO source")
            self._appender.forget()
            self._record_writer.forget()
            self._repositories.records.forget()
            self._has_changed_earlier = True  # the keys of its entries are used again
        self.connection.execute("RELEASE source")
        if is_older:
            return SourceRead(older=True)
        changed = self._rederive(taken.version, read, any_version=is_later, removal=removal)
        if whole and taken.version is not None and not taken.made and not taken.older:
            changed += withdraw(self.connection, session, taken.version, read.seen, read.first)
        removed = returned = 0
        if removal is not None and (read.told or not read.fresh):
            removed, returned = note_removals(self.connection, session, read, removal)
        changed_earlier = bool(changed or removed or returned)
        self._has_changed_earlier |= changed_earlier
        return SourceRead(
            conflicts=read.conflicts,
            branched=read.branched,
            changed_earlier=changed_earlier,
            removed=removed,
            returned=returned,
        )

    def _rederive(self, version: int | None, read: Read, *, any_version: bool, removal: Removal | None) -> int:
        """Update entries to the facts of the latest reading; returns how many changed.

        These are the entries of its own version, and with `any_version` all: they belong to its version from now on.
        When the reading is damaged, entries keep their parents.
        """
        found = [one for one in read.changed if version is not None and (any_version or one.version == version)]
        if removal is not None and removal.damaged:
            found = [one for each in found if (one := _with_stored_parent(each)).facts != one.before]
        for one in found:
            rederive(self.connection, one.key, one.facts)
            if one.version != version and one.record is not None and version is not None:
                store_place(self.connection, one.key, version, one.record)
        return len(found)

    def is_held(self, session: int) -> bool:
        """Return whether an earlier file of the session had all bytes of the open one."""
        return self._record_writer.is_held(session)

    def key_in_source(self, session: int, id: str) -> int | None:
        """Return the key that an id has in the open file, None if it has not occurred."""
        return self._appender.key_of(session, id)

    def is_in_source(self, session: int, entry: int) -> bool:
        """Return whether the part of the open file that was read so far has an entry of the session."""
        return self._appender.is_in_source(session, entry)

    def move_leaf(self, session: int, entry: int | None, reason: str, *, time: int) -> None:
        """Move the session's leaf. Raises NotFoundError for an entry outside the session and its lineage."""
        if entry is not None:
            self._admit(session, entry)
        self._leaf_move_writer.move(session, entry, reason, time)

    def begin_step(self, what: str, name: str = "", *, count: int = 1, join: int | None = None) -> None:
        """Begin a step of the history; the changes noted from here on belong to it.

        `join` is the key of an earlier step that is continued instead.
        """
        self._step_writer.begin(what, name, count, join)

    def note_change(self, change: StepChange, *, also: Iterable[int] = ()) -> int:
        """Add a change to the step that was begun and return it; `also` are further sessions that get the step."""
        return self._step_writer.note(change, also)

    def set_undone(self, step: int, *, undone: bool) -> None:
        """Mark a step as undone, or as done again."""
        self._step_writer.set_undone(step, undone=undone)

    def drop_step(self, step: int) -> None:
        """Remove a step from all histories. Its changes stay."""
        self._step_writer.drop(step)

    def _admit(self, session: int, entry: int) -> None:
        """Share an entry of the lineage with the session, when its leaf moves there.

        An entry that the session shares already may belong to another session: it is handed to one of the forks when
        its first session is deleted.
        """
        owner = find_row(self.connection, EntryTable, ("session",), key=entry)
        if owner == (session,):
            return
        if owner is None or (
            owner[0] not in self._sessions.lineage(session) and self.tree(session).get(entry) is None
        ):
            raise NotFoundError(Phrase("The session has no entry {0}.", str(entry)))
        insert_row(self.connection, ShareTable, {"session": session, "entry": entry}, or_ignore=True)

    def _begin_bulk(self) -> None:
        self.has_written_bulk = True
        begin_bulk(self.connection)

    @property
    def has_reshaped(self) -> bool:
        """Whether the job has changed or deleted entries that existed before it, or before its last reading."""
        return self._has_changed_earlier or self._appender.has_relinked

    def tree(self, session: int) -> Tree:
        """Return the session's tree as the job has left it so far; others see it after the commit."""
        return self._loaded(session).tree

    def _loaded(self, session: int) -> LoadedTree:
        known = None if self.has_reshaped else self._job_trees.get(session) or self._trees.get(session)
        loaded = self._repositories.trees.loaded(session, known)
        if not self.has_reshaped:
            self._job_trees.put(session, loaded)
        return loaded

    def keep_trees(self) -> None:
        """Hold the trees of the job and their cached facts for later jobs. To be called after the commit."""
        self._trees.adopt(self._job_trees)

    def update_session(self, session: int, **facts: object) -> None:
        """Change facts of a session."""
        self._session_writer.update(session, facts)

    def restate(self, session: int, info: SessionInfo) -> None:
        """Store the facts that a reading of the source found about the session."""
        self._session_writer.restate(session, info)

    def save_draft(
        self, session: int, text: str, *, time: int, attached: Iterable[Block] | None = ()
    ) -> None:  # fmt: skip
        """Store the session's draft. Raises NotFoundError for an unknown session."""
        self._sessions.get(session)
        self._draft_writer.save(session, text, time, attached)

    def note_hand_off(self, session: int, source: str, source_id: str) -> None:
        """Note that a session was handed over to a tool as a new session, which is its child once it is imported."""
        self._session_writer.note_hand_off(session, source, source_id)

    def make_current(self, key: str, session: int, *, time: int) -> None:
        """Make a session the current one of a conversation."""
        self._repositories.conversations.make_current(key, session, time)

    def enqueue(self, session: int, blocks: Iterable[Block], *, time: int) -> int:
        """Add a message to the session's queue and return its key. Raises NotFoundError for an unknown session."""
        self._sessions.get(session)
        return self._queue_writer.add(session, blocks, time)

    def change_queued(self, session: int, key: int, blocks: Iterable[Block]) -> None:
        """Replace the content of a queued message."""
        self._queue_writer.change(session, key, blocks)

    def move_queued(self, session: int, key: int, position: int) -> None:
        """Move a queued message to a position."""
        self._queue_writer.move(session, key, position)

    def drop_queued(self, session: int, key: int) -> None:
        """Remove a queued message."""
        self._queue_writer.drop(session, key)

    def hand_over_queue(self, session: int, to: int) -> None:
        """Move all queued messages of a session to the end of the queue of the session `to`."""
        self._queue_writer.hand_over(session, to)

    def take_queued(self, session: int) -> QueuedMessage | None:
        """Remove the first queued message and return it; None if the queue is empty."""
        return self._queue_writer.take(session)

    def begin_run(self, session: int, owner: str, *, time: int) -> int:
        """Store a new run and return its key. Raises NotFoundError for an unknown session."""
        self._sessions.get(session)
        return self._run_writer.begin(session, owner, time=time)

    def follow_run(self, run: int, tip: int | None, connection: str = "", model: str = "") -> None:
        """Store the tip, the connection and the model of a run."""
        self._run_writer.follow(run, tip, connection, model)

    def save_partial(self, run: int, partial: Partial) -> None:
        """Store a block of a run's reply in place of its earlier state."""
        self._run_writer.save_partial(run, partial)

    def grow_partial(self, run: int, more: PartialText) -> None:
        """Store more text of an open block."""
        self._run_writer.grow_partial(run, more)

    def drop_partials(self, run: int) -> None:
        """Delete the stored blocks of a run."""
        self._run_writer.drop_partials(run)

    def end_run(self, run: int) -> None:
        """Delete a run with its stored blocks."""
        self._run_writer.end(run)

    def refresh(self, session: int) -> Session:
        """Compute the session's totals again and return it; store the columns of its tree if it is large."""
        loaded = self._loaded(session)
        self._refresher.refresh(self._sessions.get(session), loaded.tree)
        if not loaded.is_shared:
            self._repositories.tree_pieces.keep(session, loaded.tree, loaded.labels)
        return self._sessions.get(session)

    def restore_columns(self, session: int, most: int) -> bool:
        """Store the pieces of a session's tree that are missing or damaged, at most `most` of them.

        Return whether none is left. A tree that is not in memory any more also counts as done, because it would have
        to be read from its rows again.
        """
        if self._trees.get(session) is None:
            return True
        pieces, loaded = self._repositories.tree_pieces, self._loaded(session)
        pieces.drop(session, pieces.damaged(session))
        return loaded.is_shared or pieces.keep(session, loaded.tree, loaded.labels, most)

    def delete_session(self, session: int) -> None:
        """Delete a session. Its forks keep the entries that they share with it."""
        self._begin_bulk()
        self._has_changed_earlier = True
        self.finish()
        delete_session(self._database, session, self.breathe)
        self._appender.forget()

    def save_checkpoint(self, checkpoint: Checkpoint, session: int | None) -> None:
        """Store how far a file was read. None: all its sessions are as they were, so it keeps its old checkpoint."""
        if session is None:
            renew_checkpoint(self._database, checkpoint)
        else:
            save_checkpoint(self._database, checkpoint, session, self._versions.get(session))

    def raw(self, session: int) -> Iterator[bytes]:
        """Iterate the session's source file in chunks, including bytes of this job."""
        self._record_writer.flush()
        return super().raw(session)

    def records(self, entries: Sequence[int]) -> dict[int, bytes]:
        """Return the source bytes of one entry, including bytes of this job; None when it has none."""
        self._record_writer.flush()
        return super().records(entries)

    def repair(self) -> list[str]:
        """Repair the archive and return a sentence for each repair."""

        self._begin_bulk()
        self._has_changed_earlier = True
        return list(repair(self.connection))

    def close(self) -> None:
        """End the thread that compresses, whether or not the job succeeded."""
        self._record_writer.close()

    def finish(self) -> None:
        """Store the buffered rows."""
        self._record_writer.flush()
        self._appender.settle()


def _with_stored_parent(changed: Changed) -> Changed:
    """Return the changed facts of an entry without another parent than the stored one."""
    parent = changed.before.parent
    return changed if parent is None else changed._replace(facts=changed.facts._replace(parent=parent))
