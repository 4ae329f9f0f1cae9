"""Imports: discover files, read them, store them, and report what happened to every line.

Each file is one transaction, so that it is stored completely or not at all. There is one exception: when a large file
to which its tool appends is imported for the first time, its beginning is stored first, so that its session appears
at once. Files that did not change since the last import are not opened. A file that has grown adds only its new
entries.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from stemmata.domain.errors import CancelledError, KnownError, NotFoundError, RereadError, UnreadableSourceError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.steps import Fact, StepChange
from stemmata.domain.sources.reading import Checkpoint, UnusedPart
from stemmata.domain.sources.report import GoneSession, ImportedFile, ImportedSession, ImportReport, SkippedFile
from stemmata.domain.sources.session_files import Discovered
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import caught, run_in_thread
from stemmata.services.importing.file_importer import FileImporter
from stemmata.services.importing.pausing import PauseSwitch
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.ports.sources import Formats, UnpackedFolder

_FAULTY = (UnreadableSourceError, NotFoundError)  # faults of the file itself; other errors may be temporary
LARGE = 4_000_000  # bytes, which take a tenth of a second
START = 1_000_000  # bytes of a large file that are stored first
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an import: `done` of `total` files, the file being read, and its sessions so far."""

    done: int
    total: int
    path: str
    sessions: int = 0


@dataclass(slots=True)
class _ImportState:
    """The state of one import. Only the db thread uses it."""

    format: str
    initiator: object
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    files: list[Path] = field(default_factory=list)
    folders: list[UnpackedFolder] = field(default_factory=list)
    named: dict[Path, Path] = field(default_factory=dict)  # unpacked file → its name in its archive
    begun: dict[int, int] = field(default_factory=dict)  # session of such a beginning → its place in `sessions`
    to_begin: set[Path] = field(default_factory=set)  # large new files whose beginning is to be stored first
    revive: bool = False  # whether sessions that were deleted from the archive are imported again
    by_person: bool = False  # whether the new sessions are a step of the history
    step: int | None = None
    at: int = 0
    sessions: list[ImportedSession] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    unused: list[UnusedPart] = field(default_factory=list)
    notes: list[Phrase] = field(default_factory=list)
    gone: list[GoneSession] = field(default_factory=list)
    unchanged: int = 0
    stopped: bool = False
    pause: PauseSwitch = field(default_factory=PauseSwitch)
    out: Future[ImportReport] = field(default_factory=Future)

    def close(self) -> None:
        """Remove the folders to which archives were unpacked."""
        while self.folders:
            self.folders.pop().close()

    def fail(self, error: BaseException) -> None:
        """End the import with an error, which the future of the import raises."""
        self.close()
        self.out.set_exception(error)

    def name_of(self, path: Path) -> Path:
        """Return the name by which people know a file."""
        return self.named.get(path, path)

    def is_to_stop(self) -> bool:
        """Return whether the import of the present file must be rolled back, because the import was cancelled or
        paused.
        """
        return self.cancelled() or self.pause.is_paused

    @contextmanager
    def skipping(self, path: Path) -> Iterator[None]:
        """Report a path whose work in this block fails as skipped, so that the other paths are imported."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the report names any error
            self.skipped.append(_left_out(self.name_of(path), error))

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """End the import after this block when the work in it is cancelled."""
        try:
            yield
        except CancelledError:
            self.stopped = True

    def report(self) -> ImportReport:
        """Return the report of the import so far."""
        files = tuple(map(str, map(self.name_of, self.files)))
        return ImportReport(
            tuple(self.sessions),
            tuple(self.skipped),
            self.unchanged,
            self.stopped,
            files,
            tuple(self.unused),
            tuple(self.gone),
            tuple(self.notes),
        )


class Importing:
    """Discovers and imports session files. The callbacks `progress` and `cancelled` run on the db thread."""

    def __init__(self, archive: Archive, formats: Formats, notices: Notices, clock: Clock) -> None:
        self._archive = archive
        self._formats = formats
        self._notices = notices
        self._clock = clock

    def tool_name(self, source: str) -> str:
        """Return the name of the tool from which sessions of this source come, as people know it."""
        return self._formats.title(source)

    @property
    def names(self) -> Sequence[str]:
        """The names of the formats that can be read."""
        return self._formats.import_names()

    def discover(self) -> Future[list[Discovered]]:
        """List the session files in the standard folders of the tools on this machine. Reads only names and sizes."""
        return self._archive.read(lambda _: self._formats.discover())

    def import_paths(
        self,
        paths: Sequence[Path],
        *,
        format: str = "",
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        pause: PauseSwitch | None = None,
        initiator: object = None,
    ) -> Future[ImportReport]:
        """Import files and folders. A bad file does not fail the import: the report names it with the reason.

        `pause` lets the import wait; the file that is being imported is rolled back, and read again when the import
        continues. The change sets carry `initiator`.
        """
        work = _ImportState(format, initiator or self, progress, cancelled, pause=pause or PauseSwitch())
        work.revive = work.by_person = True

        def listed(future: Future[None]) -> None:
            error = future.exception()
            if error is not None:
                work.fail(error)
            else:
                self._next(work)

        def list_files(folders: Mapping[Path, UnpackedFolder | None]) -> None:
            job = self._archive.read(lambda reader: self._list(reader, work, paths, folders))
            job.add_done_callback(listed)

        archives = [path for path in paths if path.suffix.lower() == ".zip"]
        if archives:  # on a separate thread: unpacking may take long
            run_in_thread(lambda: list_files(self._unpacked(work, archives)))
        else:
            list_files({})
        return work.out

    def import_files(
        self, files: Sequence[Path], *, cancelled: Callable[[], bool], initiator: object
    ) -> Future[ImportReport]:
        """Import exactly these files."""
        work = _ImportState("", initiator, lambda _: None, cancelled, list(files))
        self._next(work)
        return work.out

    def find_lost(self) -> Future[ImportReport]:
        """Read the files of sessions without source records again; `repair` marked them."""
        work = _ImportState("", self, lambda _: None, lambda: False)

        def found(future: Future[list[str]]) -> None:
            error = future.exception()
            if error is not None:
                work.fail(error)
                return
            work.files.extend(path for path in map(Path, future.result()) if path.is_file())
            self._next(work)

        self._archive.read(lambda reader: reader.files_of_lost_records()).add_done_callback(found)
        return work.out

    def _unpacked(self, work: _ImportState, paths: Sequence[Path]) -> dict[Path, UnpackedFolder | None]:
        """Unpack the archives of tools' folders until the import ends; None for one that cannot be unpacked."""
        out: dict[Path, UnpackedFolder | None] = {}
        for path in paths:
            with work.skipping(path), work.stopping():
                out[path] = None
                folder = self._formats.unpacked(path, work.cancelled)
                if folder is None:
                    del out[path]
                    continue
                work.folders.append(folder)
                work.skipped += [SkippedFile(f"{path}/{name}", reason) for name, reason in folder.left_out]
                out[path] = folder
        return out

    def _list(
        self,
        reader: ArchiveReader,
        work: _ImportState,
        paths: Sequence[Path],
        folders: Mapping[Path, UnpackedFolder | None],
    ) -> None:
        known = reader.checkpoints()
        for path in paths:
            found: Sequence[Path] = ()
            with work.skipping(path):
                found = self._expanded(work, path, folders)
            for file in found:
                with work.skipping(file):
                    self._list_file(work, file, known.get(str(work.name_of(file))))
        work.files.sort(key=_order)

    def _expanded(
        self, work: _ImportState, path: Path, folders: Mapping[Path, UnpackedFolder | None]
    ) -> Sequence[Path]:
        """Return the session files of a path, or of the folder to which it was unpacked."""
        folder = folders.get(path)
        if path in folders and folder is None:
            return ()
        try:
            found, unseen = self._formats.expand(folder.path if folder is not None else path, work.format)
        except UnreadableSourceError as error:
            if folder is None:
                raise
            raise UnreadableSourceError(
                Phrase("{0} contains neither a chat export nor session files.", path)
            ) from error
        if unseen:
            reason = Phrase(
                "{0} contains many files that are not named like sessions. Stemmata did not look at {1} of them. If "
                "they are chats, import them by name.",
                path,
                unseen,
            )
            work.notes.append(reason)
        if folder is not None:
            work.named |= {file: path / file.relative_to(folder.path) for file in found}
        return found

    def _list_file(self, work: _ImportState, file: Path, before: Checkpoint | None) -> None:
        if before is not None and self._formats.is_unchanged(file, before):
            work.unchanged += 1
        else:
            work.files.append(file)
            if before is None and _order(file)[0]:
                work.to_begin.add(file)

    def _next(self, work: _ImportState) -> None:
        """Import the next file, then continue. Each file is a job of its own, so that other jobs run in between."""
        if not work.cancelled() and work.pause.holds(lambda: self._continue(work)):
            return
        if work.at == len(work.files) or work.stopped or work.cancelled():
            work.stopped |= work.at < len(work.files)
            work.progress(Progress(work.at, len(work.files), ""))
            work.close()
            work.out.set_result(work.report())
            return
        path = work.files[work.at]
        work.progress(Progress(work.at, len(work.files), str(work.name_of(path))))

        is_start = path in work.to_begin

        def stored(future: Future[ImportedFile]) -> None:
            try:
                if is_start:
                    self._take_start(work, path, future)
                else:
                    work.at += self._take(work, path, future)
                self._next(work)
            except Exception as error:  # noqa: BLE001 - handed on through the future
                work.fail(error)

        storing = self._written(work, path, start=START) if is_start else self._file(work, path)
        storing.add_done_callback(stored)

    def _continue(self, work: _ImportState) -> None:
        """Continue on the db thread, on whichever thread `resume` is called."""
        self._archive.read(lambda _: None).add_done_callback(lambda _: self._next(work))

    def _file(self, work: _ImportState, path: Path) -> Future[ImportedFile]:
        return caught(self._written(work, path), RereadError, lambda: self._written(work, path, whole=True))

    def _written(
        self, work: _ImportState, path: Path, *, whole: bool = False, start: int = 0
    ) -> Future[ImportedFile]:
        def progress(sessions: int) -> None:
            work.progress(Progress(work.at, len(work.files), str(work.name_of(path)), sessions))

        importer = FileImporter(self._formats, self._archive.prepared, self._clock, work.is_to_stop, progress)

        def job(writer: ArchiveWriter) -> ImportedFile:
            imported = importer.import_file(
                writer,
                path,
                work.format,
                whole=whole,
                revive=work.revive,
                start=start,
                named=work.name_of(path),
            )
            if work.by_person:
                _note_created(writer, work, imported)
            return imported

        return self._archive.write(job)

    def _take(self, work: _ImportState, path: Path, future: Future[ImportedFile]) -> bool:
        """Note the result of a file. Returns False for a file that was rolled back: it may be read again."""
        error = future.exception()
        if error is None:
            imported = future.result()
            self._note_sessions(work, imported)
            work.unused.extend(imported.unused)
            work.gone.extend(imported.gone)
            work.unchanged += not imported.sessions and not imported.gone  # another process imported it first
            for gone in imported.gone:
                self._notices.publish(ChangeSet(Change.SESSIONS, gone.key, initiator=work.initiator))
            for hidden in imported.hidden:
                self._notices.publish(ChangeSet(Change.SESSIONS, hidden, initiator=work.initiator))
        elif isinstance(error, CancelledError):
            work.stopped = work.cancelled()
            return False
        else:
            work.skipped.append(_left_out(work.name_of(path), error))
        return True

    def _take_start(self, work: _ImportState, path: Path, future: Future[ImportedFile]) -> None:
        """Note the beginning of a large file. The report lists its problems when the rest is read."""
        error = future.exception()
        if error is None:
            imported = future.result()
            self._note_sessions(work, imported)
            first = len(work.sessions) - len(imported.sessions)
            work.begun = {one.key: first + at for at, one in enumerate(imported.sessions)}
        elif isinstance(error, CancelledError):
            work.stopped = work.cancelled()
            return
        elif not isinstance(error, KnownError):
            log.error("The beginning of %s cannot be imported.", path, exc_info=error)
        work.to_begin.discard(path)

    def _note_sessions(self, work: _ImportState, imported: ImportedFile) -> None:
        """Add sessions to the report, the rest of one to its beginning, and tell the other parts of the program."""
        for session in imported.sessions:
            at = work.begun.pop(session.key, None)
            if at is not None:
                work.sessions[at] = _joined(work.sessions[at], session)
            else:
                work.sessions.append(session)
            if session.new_entries or session.removed or session.returned or session.reappeared:
                what = Change.SESSIONS | Change.ENTRIES
                self._notices.publish(ChangeSet(what, session.key, session.added, initiator=work.initiator))


def _joined(start: ImportedSession, rest: ImportedSession) -> ImportedSession:
    """Return the report on a session whose beginning was imported before the rest."""
    return replace(
        rest,
        new_entries=start.new_entries + rest.new_entries,
        added=() if start.created else (*start.added, *rest.added),
        created=start.created,
        skipped=tuple(dict.fromkeys((*start.skipped, *rest.skipped))),
        repaired=tuple(dict.fromkeys((*start.repaired, *rest.repaired))),
        variants=tuple(dict.fromkeys((*start.variants, *rest.variants))),
    )


def _note_created(writer: ArchiveWriter, work: _ImportState, imported: ImportedFile) -> None:
    """Add the sessions that the archive did not have to the import's step in the history of the list."""
    created = [session for session in imported.sessions if session.created]
    if created:
        name = created[0].title if work.step is None and len(created) == 1 else ""
        writer.begin_step("import", name, count=len(created), join=work.step)
        for session in created:
            work.step = writer.note_change(StepChange(session.key, Fact.CREATED, "", "1"))


def _order(file: Path) -> tuple[int, int]:
    """Return the key by which files are ordered: large ones last, so that sessions appear soon.

    Among the other files the oldest comes first. A fork is younger than its origin, so the origin is stored before
    the fork.
    """
    with suppress(OSError):
        found = file.stat()
        return found.st_size if found.st_size >= LARGE else 0, found.st_mtime_ns
    return 0, 0


def _left_out(path: Path, error: BaseException) -> SkippedFile:
    """Return the report's line for a file that was not imported. An unexpected error is logged with its traceback."""
    if isinstance(error, KnownError):
        return SkippedFile(str(path), str(error), is_transient=not isinstance(error, _FAULTY))
    log.error("%s cannot be imported.", path, exc_info=error)
    reason = Phrase(
        "{0} could not be imported because of a bug in Stemmata ({1}). The archive is unchanged. The "
        "log has the details.",
        path,
        type(error).__name__,
    )
    return SkippedFile(str(path), reason, fault=True)
