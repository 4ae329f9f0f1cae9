"""Import one source file: store the events of its reader in one transaction."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from stemmata.domain.entries.entry import ANNOTATION_KINDS, Entry
from stemmata.domain.errors import CancelledError, NotFoundError, RereadError, UnreadableSourceError
from stemmata.domain.sessions.details import (
    changed_in_source,
    conversation_key,
    conversation_of,
    gone_from_source,
    is_named_here,
    with_further_facts,
    with_gone_from_source,
    with_named_in_tool,
)
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sources.reading import (
    Begin,
    Blob,
    Checkpoint,
    End,
    Raw,
    Removal,
    Repaired,
    Skipped,
    SourceShape,
    Unchanged,
    UnusedPart,
)
from stemmata.domain.sources.report import GoneSession, ImportedFile, ImportedSession
from stemmata.domain.text.phrases import Phrase
from stemmata.services.importing.read_ahead import EntryGroup, Event, ReadAhead
from stemmata.services.ports.archive import ArchiveWriter, Clock
from stemmata.services.ports.sources import Formats

MILLISECOND = 1_000_000  # ns
_COPIED = (SourceShape.LOG, SourceShape.EXPORT)
LATEST = 9_000_000_000_000  # ms since the epoch: later times do not fit the archive


@dataclass(slots=True)
class _SessionBeingRead:
    """The session whose events are being read from the file, and what was stored of it so far."""

    key: int
    path: str
    begin: Begin
    grown: bool = False  # whether the session already had entries in the archive
    outdated: bool = False  # the archive has read a later state of the session, such as a newer export
    reappeared: bool = False  # its tool had deleted the session, and has it again
    is_newer: bool = False  # the source says that the session changed since the archive read it
    is_dated: bool = False  # the source says when the session changed
    # keys of the added entries; stays empty for a new session, whose entries are only counted
    added: array[int] = field(default_factory=lambda: array("q"))
    count: int = 0  # number of added entries
    last: str | None = None  # source id of the last entry that may be a leaf
    skipped: list[Skipped] = field(default_factory=list)
    repaired: list[Repaired] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _FileBeforeReading:
    """The size, time, first bytes and writes of a file before it is read, and `known`, its last checkpoint."""

    size: int
    mtime: int
    head: str
    writes: int
    known: Checkpoint | None

    def is_later(self, *, has_new: bool) -> bool:
        """Return whether the missing entries were removed since the last reading, so that the file is no older copy.

        An older copy of a database has been written less often. An older copy of a document has nothing new, or was
        written earlier.
        """
        if self.known is None:
            return False
        if self.writes or self.known.writes:
            return 0 < self.known.writes <= self.writes
        return has_new and self.mtime >= self.known.mtime


class FileImporter:
    """Imports one file into the archive. Use each instance once.

    The file is read ahead on another thread, which also calls `prepare`. `progress` is told the number of sessions
    that were read so far.
    """

    def __init__(
        self,
        formats: Formats,
        prepare: Callable[[Sequence[Entry]], Sequence[Entry]],
        clock: Clock,
        cancelled: Callable[[], bool],
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._formats = formats
        self._prepare = prepare
        self._clock = clock
        self._cancelled = cancelled
        self._progress = progress
        self._done: list[ImportedSession] = []
        self._unused: list[UnusedPart] = []
        self._checkpoint: Checkpoint | None = None
        self._first: int | None = None
        self._unchanged = 0  # sessions that the reader skipped
        self._present: frozenset[str] | None = None  # the tool's ids of all sessions of a database
        self._gone: list[GoneSession] = []
        self._before = _FileBeforeReading(0, 0, "", 0, None)
        self._has_deleted = False  # whether sessions of the file were deleted from the archive since it was read
        self._branched = False
        self._hidden: list[int] = []  # sessions that were archived

    def import_file(
        self,
        writer: ArchiveWriter,
        path: Path,
        format: str,
        *,
        whole: bool = False,
        revive: bool = False,
        start: int = 0,
        named: Path | None = None,
    ) -> ImportedFile:
        """Import the file. Returns nothing when another process has already imported this state of it.

        A file of an archive that was unpacked to `path` is stored under the name `named`.

        With `start`, only about that number of bytes is imported, as if the file had no more. The next reading
        continues after these bytes. Returns nothing for a file that was imported before, or that cannot be read so.

        `revive`: sessions of the file that were deleted from the archive are imported again.

        Raises KnownError, CancelledError or RereadError, each with the archive unchanged. After a RereadError the
        caller must try again with a new instance and `whole`.
        """
        # read inside the transaction, so that no other process imports meanwhile
        named = named or path
        known = writer.checkpoint(str(named))
        if known is not None and self._formats.is_unchanged(path, known):
            return ImportedFile()
        format = format or self._formats.identify(path)
        beginning = self._formats.read_start(path, format, start) if start else None
        if start and (known is not None or beginning is None):
            return ImportedFile()
        self._before = before = _FileBeforeReading(*self._formats.head(path), self._formats.writes(path), known)
        self._has_deleted = known is not None and not known.mtime
        since = None if whole or (revive and self._has_deleted) else known  # None: the reader begins at the start
        read = partial(self._formats.read, path, format, since) if beginning is None else lambda: beginning
        with closing(ReadAhead(read, self._prepare, lambda: self._pause(writer), size=before.size)) as events:
            self._store(writer, named, events)
        if self._formats.shape(format) is SourceShape.DATABASE and before.is_later(has_new=False):
            self._mark_gone(writer, str(named))
        self._save_checkpoint(writer, named, is_start=beginning is not None)
        return ImportedFile(tuple(self._done), tuple(self._unused), tuple(self._gone), tuple(self._hidden))

    def _store(self, writer: ArchiveWriter, path: Path, events: Iterable[Event]) -> None:
        """Store the sessions of the file."""
        current: _SessionBeingRead | None = None
        for event in events:
            if isinstance(event, Begin):
                current = self._begin_session(writer, event, path)
            elif isinstance(event, UnusedPart):
                self._unused.append(replace(event, path=str(path)))
            elif isinstance(event, Unchanged):
                self._unchanged, self._checkpoint, self._present = event.sessions, event.checkpoint, event.ids
            elif current is None:
                raise UnreadableSourceError(Phrase("{0} has content before its first session.", path))
            elif isinstance(event, End):
                self._end_session(writer, current, event)
                current = None
            else:
                self._store_event(writer, current, event)
        is_emptied = self._present is not None and self._before.known is not None
        if current is not None or not (self._done or self._unchanged or is_emptied):
            raise UnreadableSourceError(Phrase("{0} contains no session.", path))

    def _pause(self, writer: ArchiveWriter) -> None:
        """Let other jobs read. Raises CancelledError if the import was cancelled or paused."""
        writer.breathe()
        if self._cancelled():
            raise CancelledError("The import was cancelled; this file was not imported.")

    def _begin_session(self, writer: ArchiveWriter, event: Begin, path: Path) -> _SessionBeingRead:
        """Create the session, or find it in the archive."""
        if self._done:
            self._progress(len(self._done))
            self._pause(writer)
        key = writer.create_session(event.info, path=str(path))
        if self._first is None:
            self._first = key
        known = writer.session(key)
        reappeared = gone_from_source(known.details) > 0
        if reappeared:
            writer.update_session(key, details=with_gone_from_source(known.details, 0))
        before, now = changed_in_source(known.details), changed_in_source(event.info.details)
        writer.begin_source(key, str(path), event.offset)
        return _SessionBeingRead(
            key,
            str(path),
            event,
            grown=known.entries > 0,
            outdated=before > now > 0,
            reappeared=reappeared,
            is_newer=now > before > 0,
            is_dated=now > 0,
        )

    def _store_event(
        self, writer: ArchiveWriter, current: _SessionBeingRead, event: EntryGroup | Skipped | Repaired | Blob | Raw
    ) -> None:
        """Store one event of the session that is being read, or note it for the report."""
        match event:
            case EntryGroup():
                self._store_entries(writer, current, event.entries)
                self._pause(writer)
            case Raw():
                writer.add_raw(current.key, event.offset, event.data)
            case Blob():
                writer.add_blob(event.digest, event.data)
            case Skipped():
                current.skipped.append(event)
            case _:
                current.repaired.append(event)

    def _store_entries(self, writer: ArchiveWriter, current: _SessionBeingRead, entries: Sequence[Entry]) -> None:
        """Append entries to the session, and note the last one that may be its leaf."""
        said = (entry.id for entry in reversed(entries) if entry.kind not in ANNOTATION_KINDS)
        current.last = next(said, current.last)
        is_start = not current.count and not current.begin.offset
        if is_start and self._formats.has_unique_ids(current.begin.info.source):
            self._find_origin(writer, current, entries[0])
        added = writer.append(current.key, entries)
        if current.begin.offset:
            self._check_grown(writer, current, entries, len(added))
        current.count += len(added)
        if current.grown:
            current.added.extend(added)

    def _check_grown(
        self, writer: ArchiveWriter, current: _SessionBeingRead, entries: Sequence[Entry], added: int
    ) -> None:
        """Raise RereadError unless all entries after the offset are new and the archive has what they name."""
        new = sum(entry.record is None or entry.record.offset >= current.begin.offset for entry in entries)
        if new != added:
            raise RereadError("Some are in the archive already.")
        if writer.has_unclear_ids(current.key):
            raise RereadError("Some have the id of another entry, or name what is not in the archive.")

    def _find_origin(self, writer: ArchiveWriter, current: _SessionBeingRead, first: Entry) -> None:
        """Find the origin of a session whose file does not name it.

        A fork repeats the first entry of its origin; a session that was continued in a new file hangs from an entry
        of the previous file.
        """
        session = writer.session(current.key)
        if session.parent is None and not session.entries:
            named = (writer.session_holding(current.key, id) for id in (first.id, first.parent) if id is not None)
            origin = next((found for found in named if found is not None), None)
            # a fork of the session is not its origin
            if origin is not None and writer.session(origin).parent != current.key:
                writer.update_session(current.key, parent=origin)

    def _end_session(self, writer: ArchiveWriter, current: _SessionBeingRead, end: End) -> None:
        """Finish the session: its leaf, the entries that its file lacks, its facts, its report."""
        leaf = self._leaf_in_source(writer, current, end)
        is_older = current.outdated or self._is_older_copy(writer, current, leaf)
        if not is_older:
            self._move_leaf(writer, current, leaf)
        read = writer.end_source(current.key, whole=not current.begin.offset, removal=self._removal(current, end))
        if not read.older and not is_older:
            self._update_facts(writer, current, end)
            self._make_current(writer, current.key, current.begin.info)
        if current.count:
            self._hide_repetition(writer, current)
        self._branched |= read.branched
        session = writer.refresh(current.key)
        if end.checkpoint is not None:
            self._checkpoint = end.checkpoint
        self._done.append(
            ImportedSession(
                key=session.key,
                id=session.id,
                source=session.source,
                source_id=session.source_id,
                title=session.title,
                entries=session.entries,
                new_entries=0 if read.older else current.count,
                added=() if read.older or read.changed_earlier else tuple(current.added),
                branches=session.branches,
                skipped=tuple(current.skipped),
                repaired=(*current.repaired, *map(_conflict, read.conflicts)),
                variants=tuple(variant for _, variant in read.conflicts),
                older=read.older or (is_older and not current.count),
                changed_earlier=read.changed_earlier,
                path=current.path,
                created=not current.grown,
                removed=read.removed,
                returned=read.returned,
                reappeared=current.reappeared,
            )
        )

    def _hide_repetition(self, writer: ArchiveWriter, current: _SessionBeingRead) -> None:
        """Archive the session that repeats this one with less and was imported before it, unless a person used it."""
        info = current.begin.info
        source = self._formats.repeated_by(info.source)
        other = writer.session_of(source, info.source_id) if source else None
        if other is None or other.archived or other.starred:
            return
        if all(move.reason == "import" for move in writer.leaf_moves(other.key)):
            writer.update_session(other.key, archived=True)
            self._hidden.append(other.key)
            title = self._formats.title(source)
            current.repaired.append(Repaired(f"{title} has a transcript that repeats this session: it was archived."))

    def _removal(self, current: _SessionBeingRead, end: End) -> Removal | None:
        """Return how this reading marks the entries that the session lacks; None for a part of a file, and for logs.

        Unreadable lines and lost ones may contain the missing entries, and an earlier state of a session lacks the
        later ones: in these cases no entry is marked.
        """
        shape = self._formats.shape(current.begin.info.source)
        if shape is SourceShape.LOG or current.begin.offset or current.outdated:
            return None
        is_later = current.is_newer
        if shape is not SourceShape.EXPORT:
            is_later |= self._before.is_later(has_new=current.count > 0)
        path = "" if shape is SourceShape.EXPORT else current.path
        damaged = bool(current.skipped) or end.damaged
        return Removal(self._clock.now(), path, marks=is_later and not damaged, damaged=damaged)

    def _mark_gone(self, writer: ArchiveWriter, path: str) -> None:
        """Mark the sessions that the database no longer contains. An older copy of it is not compared."""
        for session in writer.sessions_of_file(path):
            parts = session.source_id.split("/")  # the last part is the tool's id, which may contain a slash itself
            ids = {"/".join(parts[at:]) for at in range(len(parts))}
            if ids & (self._present or frozenset()) or gone_from_source(session.details):
                continue
            writer.update_session(session.key, details=with_gone_from_source(session.details, self._clock.now()))
            self._gone.append(
                GoneSession(
                    key=session.key,
                    id=session.id,
                    source=session.source,
                    source_id=session.source_id,
                    title=session.title,
                    path=path,
                )
            )

    def _update_facts(self, writer: ArchiveWriter, current: _SessionBeingRead, end: End) -> None:
        """Update title, folder and start of the session from its own file; another file adds what is missing."""
        info, known = current.begin.info, writer.session(current.key)
        if known.path == current.path or not known.cwd:
            is_earlier = 0 < known.created_at < info.created_at
            if is_earlier and not writer.is_only_file(current.path, current.key):  # another file has the start
                info = replace(info, created_at=known.created_at)
            writer.restate(current.key, info)
        else:
            writer.restate(current.key, _further_facts(known, info))
        title = end.title or info.title
        is_damaged = bool(current.skipped) or end.damaged  # the title may be in what cannot be read
        whole = known.path == current.path and not current.begin.offset and not is_damaged
        if (title or whole) and not is_named_here(known.details):
            is_named = bool(title) and (end.named if end.title else info.named)
            details = with_named_in_tool(writer.session(current.key).details, on=is_named)
            writer.update_session(current.key, title=title, details=details)

    def _make_current(self, writer: ArchiveWriter, session: int, info: SessionInfo) -> None:
        """Make the session the current one of its conversation, unless another became so as late or later."""
        key, updated = conversation_key(info.details), conversation_of(info.details).get("updatedAt")
        if not key:
            return
        time = updated * MILLISECOND if isinstance(updated, int) and 0 < updated < LATEST else info.created_at
        current = writer.current_session(key)
        if current is None or current[0] == session or current[1] < time:
            writer.make_current(key, session, time=time)

    def _is_older_copy(self, writer: ArchiveWriter, current: _SessionBeingRead, leaf: int | None) -> bool:
        """Return whether the file is an older copy of a session whose source does not say when it changed.

        Such a copy adds nothing, and lacks the entry at which the session stood. Documents and databases may also
        lack it because the user took it back, so they are no older copies by this sign.
        """
        shape = self._formats.shape(current.begin.info.source)
        if current.count or current.begin.offset or current.is_dated or shape not in _COPIED:
            return False
        imported = (move.after for move in writer.leaf_moves(current.key) if move.reason == "import")
        stood = next(imported, None)
        return stood is not None and stood != leaf and not writer.is_in_source(current.key, stood)

    def _leaf_in_source(self, writer: ArchiveWriter, current: _SessionBeingRead, end: End) -> int | None:
        """Return the key of the source's current entry; None for the start of the session."""
        wanted = end.leaf if end.leaf_known else current.last
        if wanted is None:
            return None
        try:
            return writer.key_in_source(current.key, wanted) or writer.entry_key(current.key, wanted)
        except NotFoundError:  # it is in another file of the session, which is not imported yet
            return writer.key_in_source(current.key, current.last or "")

    def _move_leaf(self, writer: ArchiveWriter, current: _SessionBeingRead, leaf: int | None) -> None:
        """Move the leaf to the source's current entry, unless the user moved the leaf in Stemmata.

        A copy of a log moves no leaf: it does not say that the session has gone on in another file since.
        """
        last = next(writer.leaf_moves(current.key), None)
        if last is not None and (last.reason != "import" or self._is_copy(writer, current)):
            return
        if last is None or last.after != leaf:
            writer.move_leaf(current.key, leaf, "import", time=self._clock.now())

    def _is_copy(self, writer: ArchiveWriter, current: _SessionBeingRead) -> bool:
        """Return whether the file is a log that was read before, at another path."""
        is_log = self._formats.shape(current.begin.info.source) is SourceShape.LOG
        return is_log and self._before.known is None and writer.is_held(current.key)

    def _save_checkpoint(self, writer: ArchiveWriter, path: Path, *, is_start: bool) -> None:
        """Store how far the file was read, so that the next reading goes on there."""
        before = self._before
        checkpoint = self._checkpoint or Checkpoint(str(path), before.size, before.mtime, before.size, 0, before.head)
        writes = max(before.writes, before.known.writes if before.known is not None else 0)
        size = checkpoint.offset if is_start else before.size  # another size than the file's: there is more to read
        checkpoint = replace(
            checkpoint, path=str(path), size=size, mtime=before.mtime, head=before.head, writes=writes
        )
        if self._has_deleted and self._unchanged:  # they are still to be read when the file is imported by hand
            checkpoint = replace(checkpoint, mtime=0)
        if self._branched:  # only a complete read maps all ids of the file
            checkpoint = replace(checkpoint, offset=0, lines=0)
        writer.save_checkpoint(checkpoint, self._first)


def _further_facts(known: Session, info: SessionInfo) -> SessionInfo:
    """Return the facts that a further file of a session adds: an earlier start, and details that are missing."""
    created = info.created_at if info.created_at < known.created_at else 0
    details = with_further_facts(known.details, info.details)
    return SessionInfo(source=info.source, source_id=info.source_id, created_at=created, details=details)


def _conflict(conflict: tuple[str, str]) -> Repaired:
    id, variant = conflict
    return Repaired(f"The archive has other content for the id {id}: both are kept, this one as {variant}.", variant)
