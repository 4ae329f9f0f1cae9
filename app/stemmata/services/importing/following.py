"""Following folders: import their sessions as they grow, and report each obstacle once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import FolderScan, FolderStatus, FollowingNotice, WatchMethod
from stemmata.domain.sources.reading import Checkpoint
from stemmata.domain.sources.report import ImportReport, SkippedFile
from stemmata.domain.text.phrases import Phrase, template
from stemmata.services.importing.importing import Importing
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.sources import Formats, Watch

_FOLDERS = {
    WatchMethod.GONE: template(
        "The followed folder {0} does not exist. Imported sessions are kept. It is followed again once it is back."
    ),
    WatchMethod.REFUSED: template(
        "The followed folder {0} cannot be read. Imported sessions are kept. It is followed again once it can be "
        "read."
    ),
    WatchMethod.NETWORK: template(
        "{0} is on a network file system, which does not report changes. Stemmata scans it regularly instead."
    ),
    WatchMethod.LIMIT: template(
        "The system watches no more folders for this program. Stemmata scans {0} regularly instead. "
        "On Linux the limit is fs.inotify.max_user_watches."
    ),
}


def folder_news(folder: FolderStatus) -> FollowingNotice | None:
    """Return the news about a folder that cannot be followed; None when it can."""
    words = _FOLDERS.get(folder.way)
    if words is None:
        return None
    return FollowingNotice(folder.folder, Phrase(words, folder.folder), bad=not folder.is_followed)


def folder_back(folder: FolderStatus) -> FollowingNotice:
    """Return the news that a folder can be followed again."""
    return FollowingNotice(folder.folder, Phrase("{0} is followed again.", folder.folder))


def folder_left(folder: FolderStatus) -> FollowingNotice:
    """Return the news that a folder disappeared."""
    return FollowingNotice(folder.folder, Phrase("{0} is no longer followed.", folder.folder))


def file_news(reason: str) -> str:
    """Return the text for a file that could not be imported."""
    return Phrase("A followed session cannot be read further. {0} The imported part is kept.", reason)


def link_notice(file: str) -> str:
    """Return the text for a file that is not followed because it is a link to another folder."""
    return Phrase(
        "A followed session is not read further: its file {0} is a symbolic link now. The imported part is kept.",
        file,
    )


def recovery_notice(about: str) -> FollowingNotice:
    """Return the news that an obstacle is gone. `about` is its file, or "" for the archive."""
    if not about:
        return FollowingNotice(about, Phrase("All entries added meanwhile are imported. Nothing was lost."))
    return FollowingNotice(about, Phrase("{0} is followed again.", about))


AT_ONCE = 32  # files per batch; between batches the thread checks whether to stop and whether the archive is writable
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds until a failure that is not the file's fault is retried
ARCHIVE = ""  # the subject of news about the archive itself
log = logging.getLogger(__name__)

Tell = Callable[[FollowingNotice], None]
Came = Callable[[ImportReport], None]


class Following:
    """Follows the chosen folders; one instance serves all windows.

    It is the initiator of the imports' change sets.
    """

    def __init__(self, archive: Archive, importing: Importing, formats: Callable[[], Formats], watch: Watch) -> None:
        self._archive, self._importing, self._formats, self._watch = archive, importing, formats, watch
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._tellers: list[tuple[Tell, Came]] = []
        self._last: dict[str, FolderStatus] = {}  # this field and those below belong to the watching thread
        self._bad: dict[str, str] = {}  # the reported obstacles that still exist, by file
        self._again: dict[Path, None] = {}
        self._due, self._wait = 0.0, FIRST_WAIT

    def follow(self, folders: Sequence[str]) -> None:
        """Follow exactly these folders from now on."""
        self._watch.start(folders, self._on_sighting)

    def subscribe(self, tell: Tell, came: Came = lambda _report: None) -> Callable[[], None]:
        """Subscribe to obstacles and imports.

        The callbacks run on another thread. Returns the function to unsubscribe.
        """
        teller = (tell, came)
        with self._lock:
            self._tellers.append(teller)

        def unsubscribe() -> None:
            with self._lock:
                if teller in self._tellers:
                    self._tellers.remove(teller)

        return unsubscribe

    def close(self) -> None:
        """Stop following. An import under way is cancelled and rolled back. Calling it twice is harmless."""
        self._stopped.set()
        self._watch.stop()

    # -- on the watch's thread ----------------------------------------------------------------------------------

    def _on_sighting(self, sighting: FolderScan) -> None:
        self._compare(sighting.folders)
        files = dict.fromkeys(self._due_again())
        for name in sighting.files:
            main = self._session_file(Path(name))
            if main is not None:
                files[main] = None
        if files:
            self._import(iter(files))

    def _session_file(self, path: Path) -> Path | None:
        try:
            return self._formats().session_file(path)
        except Exception:
            log.exception("%s cannot be imported.", path)
            return None

    def _due_again(self) -> list[Path]:
        """Return the files whose retry is due."""
        if not self._again or time.monotonic() < self._due:
            return []
        files, self._again = list(self._again), {}
        return files

    def _import(self, files: Iterator[Path]) -> None:
        failed = False
        while (batch := list(islice(files, AT_ONCE))) and not self._stopped.is_set():
            if failed:
                self._again.update(dict.fromkeys(batch))
                continue
            failed = self._try(batch)
        if failed:
            self._due = time.monotonic() + self._wait
            self._wait = min(LONGEST_WAIT, 2 * self._wait)
        elif not self._again:
            self._wait = FIRST_WAIT
            self._report_recovery(ARCHIVE)

    def _try(self, batch: Sequence[Path]) -> bool:
        """Import a batch; returns whether a file failed for a reason outside it.

        A bug on one file does not stop the import of the others.
        """
        try:
            return self._import_batch(batch)
        except KnownError as error:  # concerns the whole archive
            self._again.update(dict.fromkeys(batch))
            self._trouble(ARCHIVE, str(error))
            return True
        except Exception:
            if len(batch) > 1:
                failed = [self._try([file]) for file in batch]
                return any(failed)
            log.exception("%s cannot be imported.", batch[0])
            return False

    def _import_batch(self, batch: Sequence[Path]) -> bool:
        found = self._archive.read(lambda reader: _found(reader, batch)).result()
        known = {file: self._is_known(file, found=found[file]) for file in batch}
        changed = [file for file in batch if self._is_to_be_read(file, known=known[file])]
        if not changed:
            return False
        report = self._importing.import_files(changed, cancelled=self._stopped.is_set, initiator=self).result()
        skipped = {file.path: file for file in report.skipped_files}
        for file in changed:
            fault = skipped.get(str(file))
            if fault is None:
                self._report_recovery(str(file))
            else:
                self._skip(file, fault, known=known[file] is not None)
        if report.sessions:
            self._call(lambda _tell, came: came(report))
        return any(fault.is_transient for fault in report.skipped_files)

    def _is_known(self, file: Path, *, found: Checkpoint | bool) -> bool | None:
        """Return whether the archive already knows this state of a file; None for a new file.

        A file whose session was deleted for good counts as known.
        """
        if isinstance(found, bool):
            return found or None
        return self._formats().is_unchanged(file, found)

    def _is_to_be_read(self, file: Path, *, known: bool | None) -> bool:
        """Whether a changed file has content to read. A new file may be empty until its tool writes to it."""
        if file.is_symlink():
            if known is not None:
                self._trouble(str(file), link_notice(str(file)))
            return False
        if known:
            self._report_recovery(str(file))
        try:
            return not known and file.lstat().st_size > 0
        except OSError:
            return False

    def _skip(self, file: Path, fault: SkippedFile, *, known: bool) -> None:
        if fault.is_transient:
            self._again[file] = None
            self._trouble(ARCHIVE, fault.reason)
        elif fault.fault or (known and file.exists()):
            self._trouble(str(file), file_news(fault.reason))
        else:
            log.info("Not imported: %s", fault.reason)  # the file is not a session, or not yet

    # -- telling ------------------------------------------------------------------------------------------------

    def _compare(self, folders: Sequence[FolderStatus]) -> None:
        """Report the folders whose state changed."""
        for folder in folders:
            before = self._last.get(folder.folder)
            if before == folder:
                continue
            news = folder_news(folder)
            if news is not None:
                self._tell(news)
            elif before is not None and not before.is_followed:
                self._tell(folder_back(folder))
        now = {folder.folder: folder for folder in folders}
        for before in self._last.values():
            if before.folder not in now and not before.is_followed:
                self._tell(folder_left(before))
        self._last = now

    def _trouble(self, about: str, text: str) -> None:
        if self._bad.get(about) != text:
            self._bad[about] = text
            self._tell(FollowingNotice(about, text, bad=True))

    def _report_recovery(self, about: str) -> None:
        if self._bad.pop(about, None) is not None:
            self._tell(recovery_notice(about))

    def _tell(self, news: FollowingNotice) -> None:
        self._call(lambda tell, _came: tell(news))

    def _call(self, act: Callable[[Tell, Came], None]) -> None:
        with self._lock:
            tellers = list(self._tellers)
        for teller in tellers:
            act(*teller)


def _found(reader: ArchiveReader, files: Sequence[Path]) -> dict[Path, Checkpoint | bool]:
    """Return each file's checkpoint, or whether its session was deleted for good."""
    return {file: reader.checkpoint(str(file)) or reader.is_left_out(str(file)) for file in files}
