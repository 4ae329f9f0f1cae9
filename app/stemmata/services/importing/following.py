"""Following folders: their sessions are imported as they grow, and what stands in the way is told once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from stemmata.domain.entries.session_facts import Checkpoint, ImportReport, SkippedFile
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import Followed, FollowingNews, Sighting, Way
from stemmata.domain.text.phrases import Phrase, template
from stemmata.services.importing.importing import Importing
from stemmata.services.ports.archive import Archive, ArchiveReader, Formats

_FOLDERS = {
    Way.GONE: template(
        "The followed folder {0} is not there. What was imported is kept; it is followed again once it is back."
    ),
    Way.REFUSED: template(
        "The followed folder {0} may not be read. What was imported is kept; it is followed again once it may."
    ),
    Way.NETWORK: template(
        "{0} lies on a network file system, which does not tell of changes: it is looked through again and again "
        "instead."
    ),
    Way.LIMIT: template(
        "The system watches no more folders for this program: {0} is looked through again and again instead. "
        "On Linux the limit is fs.inotify.max_user_watches."
    ),
}


def folder_news(folder: Followed) -> FollowingNews | None:
    """None where all is well."""
    words = _FOLDERS.get(folder.way)
    if words is None:
        return None
    return FollowingNews(folder.folder, Phrase(words, folder.folder), bad=not folder.is_followed)


def folder_back(folder: Followed) -> FollowingNews:
    return FollowingNews(folder.folder, Phrase("{0} is followed again.", folder.folder))


def folder_left(folder: Followed) -> FollowingNews:
    return FollowingNews(folder.folder, Phrase("{0} is followed no longer.", folder.folder))


def file_news(reason: str) -> str:
    return Phrase("A followed session cannot be read on. {0} What was imported is kept.", reason)


def link_news(file: str) -> str:
    return Phrase(
        "A followed session is not read on: {0} is a link now, and links are not followed. "
        "What was imported is kept.",
        file,
    )


def well_again(about: str) -> FollowingNews:
    """`about` is a file, "" for the archive."""
    if not about:
        return FollowingNews(about, Phrase("What had come meanwhile is imported: nothing was lost."))
    return FollowingNews(about, Phrase("{0} is read on again.", about))


AT_ONCE = 32  # files between two looks whether to stop, and whether the archive still takes them
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds until what failed through no fault of the file is tried again
ARCHIVE = ""  # what news about the archive are about
log = logging.getLogger(__name__)

Tell = Callable[[FollowingNews], None]
Came = Callable[[ImportReport], None]


class Watch(Protocol):
    """What looks at the folders. `told` is called from a thread of its own, one call after the other."""

    def start(self, folders: Sequence[str], told: Callable[[Sighting], None]) -> None:
        """While it runs: follow these from now on."""
        ...

    def stop(self) -> None: ...


class Following:
    """One for the program, however many windows there are. What is imported is published with this as initiator."""

    def __init__(self, archive: Archive, importing: Importing, formats: Callable[[], Formats], watch: Watch) -> None:
        self._archive, self._importing, self._formats, self._watch = archive, importing, formats, watch
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._tellers: list[tuple[Tell, Came]] = []
        self._last: dict[str, Followed] = {}  # the thread's own, as all below
        self._bad: dict[str, str] = {}  # what was told and still holds, by what it is about
        self._again: dict[Path, None] = {}
        self._due, self._wait = 0.0, FIRST_WAIT

    def follow(self, folders: Sequence[str]) -> None:
        """Follow these folders from now on, and no others."""
        self._watch.start(folders, self._on_sighting)

    def subscribe(self, tell: Tell, came: Came = lambda _report: None) -> Callable[[], None]:
        """Hear of trouble and its end, and of what was imported, on another thread; returns how to end that."""
        teller = (tell, came)
        with self._lock:
            self._tellers.append(teller)

        def unsubscribe() -> None:
            with self._lock:
                if teller in self._tellers:
                    self._tellers.remove(teller)

        return unsubscribe

    def close(self) -> None:
        """Break off the import of a file, of which nothing is kept then, and end. May be called twice."""
        self._stopped.set()
        self._watch.stop()

    # -- on the watch's thread ----------------------------------------------------------------------------------

    def _on_sighting(self, sighting: Sighting) -> None:
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
        """What failed before, once it is time to try again."""
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
            self._well(ARCHIVE)

    def _try(self, batch: Sequence[Path]) -> bool:
        """Whether some failed through no fault of theirs. A file that a bug keeps out keeps out no other."""
        try:
            return self._import_batch(batch)
        except KnownError as error:  # of the archive as a whole
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
                self._well(str(file))
            else:
                self._skip(file, fault, known=known[file] is not None)
        if report.sessions:
            self._call(lambda _tell, came: came(report))
        return any(fault.passing for fault in report.skipped_files)

    def _is_known(self, file: Path, *, found: Checkpoint | bool) -> bool | None:
        """Whether a file is as it was imported, or left out since it was deleted here; None for one that is new."""
        if isinstance(found, bool):
            return found or None
        return self._formats().is_unchanged(file, found)

    def _is_to_be_read(self, file: Path, *, known: bool | None) -> bool:
        """A file that is not as it was, and begun: a tool may make it before it writes to it."""
        if file.is_symlink():
            if known is not None:
                self._trouble(str(file), link_news(str(file)))
            return False
        if known:
            self._well(str(file))
        try:
            return not known and file.lstat().st_size > 0
        except OSError:
            return False

    def _skip(self, file: Path, fault: SkippedFile, *, known: bool) -> None:
        if fault.passing:
            self._again[file] = None
            self._trouble(ARCHIVE, fault.reason)
        elif fault.fault or (known and file.exists()):
            self._trouble(str(file), file_news(fault.reason))
        else:
            log.info("Not imported: %s", fault.reason)  # not a session, or not yet

    # -- telling ------------------------------------------------------------------------------------------------

    def _compare(self, folders: Sequence[Followed]) -> None:
        """Tell what has become of the folders."""
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
            self._tell(FollowingNews(about, text, bad=True))

    def _well(self, about: str) -> None:
        if self._bad.pop(about, None) is not None:
            self._tell(well_again(about))

    def _tell(self, news: FollowingNews) -> None:
        self._call(lambda tell, _came: tell(news))

    def _call(self, act: Callable[[Tell, Came], None]) -> None:
        with self._lock:
            tellers = list(self._tellers)
        for teller in tellers:
            act(*teller)


def _found(reader: ArchiveReader, files: Sequence[Path]) -> dict[Path, Checkpoint | bool]:
    """How far each file was read; else whether it is left out."""
    return {file: reader.checkpoint(str(file)) or reader.is_left_out(str(file)) for file in files}
