"""Watch folders in a thread that waits for the system's change notices and reports changed files.

Notices can be missing, so the folders are also scanned: at the start, when a folder reappears, periodically, and
continuously on network file systems and where the system's limit of watched folders is reached.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import suppress

from stemmata.domain.settings.settings import FolderScan, WatchMethod
from stemmata.system.following.followed_folder import FollowedFolder

TICK = 1.0  # seconds between two checks whether the folders exist
STEP_MS = 50  # delay until a change is noticed
GATHER_MS = 200  # maximum time for collecting successive changes
WAIT_MS = 500  # wait for a notice before scanning due folders
REST = 0.5  # pause after a sighting, as a share of the time that handling it took
LONGEST_REST = 0.5  # seconds, so that a line written right after a long import is shown within a second
STOP_TIMEOUT = 10.0  # seconds that the thread may take to end
ADDED = 1  # the change kind of watchfiles for a new path
log = logging.getLogger(__name__)

SightingCallback = Callable[[FolderScan], None]


Changes = Collection[tuple[int, str]]  # kind and path
# Yields the system's change notices for the folders; an empty set after WAIT_MS without changes. Ends with the event.
OpenNotices = Callable[[list[str], threading.Event], Generator[Changes, None, None]]


def rest_after(seconds: float) -> float:
    """Return the seconds to pause after a sighting that took this long to handle; other jobs run meanwhile."""
    return min(LONGEST_REST, REST * seconds)


class FolderWatch:
    """Implements `services.following.Watch`. Only files whose name `is_wanted` accepts are reported."""

    def __init__(
        self,
        is_wanted: Callable[[str], bool],
        open_notices: OpenNotices | None = None,
        folder: Callable[[str, Callable[[str], bool]], FollowedFolder] = FollowedFolder,
    ) -> None:
        self._is_wanted, self._open, self._folder = is_wanted, open_notices or _notices, folder
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wanted: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None
        self._folders: list[FollowedFolder] = []  # used by the thread only, like the attributes below
        self._notices: Generator[Changes, None, None] | None = None

    def start(self, folders: Sequence[str], handle: SightingCallback) -> None:
        """Call `handle` in a separate thread, first with all files, then at least every TICK.

        A second call replaces the set of followed folders. Changes that occur while `handle` runs are reported next.
        """
        with self._lock:
            self._wanted = tuple(folders)
            if self._thread is None and self._wanted and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, args=(handle,), name="follow", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the thread for good. Do not call this from `handle`."""
        self._stop.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(STOP_TIMEOUT)
            if thread.is_alive():
                log.warning("The thread that follows folders did not end.")

    # -- on the thread ----------------------------------------------------------------------------------------

    def _run(self, handle: SightingCallback) -> None:
        while not self._stop.is_set():
            try:
                rest = rest_after(self._report_changes(handle))
            except Exception:
                log.exception("Scanning the followed folders failed.")
                rest = TICK
                for folder in self._folders:
                    folder.forget()  # report unhandled files again
            self._stop.wait(rest)
        self._close()

    def _report_changes(self, handle: SightingCallback) -> float:
        """Report the changed files and return the seconds that handling them took."""
        files = self._appear() or self._changed()
        begun = time.monotonic()
        handle(FolderScan(tuple(dict.fromkeys(files)), tuple(folder.followed for folder in self._folders)))
        return time.monotonic() - begun

    def _appear(self) -> list[str]:
        """Update the list of folders, and request change notices for those that exist.

        Returns files that changed meanwhile. The notices start before the first scan, so no change is missed.
        """
        wanted = self._wanted
        known = {folder.name: folder for folder in self._folders}
        others = list(known) != list(wanted)
        self._folders = [known.get(name) or self._folder(name, self._is_wanted) for name in wanted]
        changed = [folder.appear() for folder in self._folders]
        if others or any(changed):
            self._close()
            for folder in self._folders:
                folder.scan_soon()  # pending notices are lost
        real = [folder.real for folder in self._folders if folder.is_there and folder.way is WatchMethod.TOLD]
        if self._notices is not None or not real:
            return []
        self._notices = self._open(real, self._stop)
        return self._reported_files()

    def _changed(self) -> list[str]:
        """Wait for changes, at most one TICK, and return the changed files."""
        files = self._scanned_files()
        if files:
            return files
        if self._notices is not None:
            return self._reported_files()
        self._stop.wait(min([TICK, *(folder.wait for folder in self._folders)]))
        return self._scanned_files()

    def _scanned_files(self) -> list[str]:
        """Scan the folders that are due and return their changed files."""
        return [file for folder in self._folders for file in folder.scan()]

    def _reported_files(self) -> list[str]:
        """Return the files that changed according to the system; scan instead when notices fail."""
        assert self._notices is not None
        try:
            changes = next(self._notices, ())
        except Exception:  # on any error, scanning replaces the notices
            log.info("The system reports no changes; the folders are scanned instead.", exc_info=True)
            self._close()
            for folder in self._folders:
                if folder.is_there:
                    folder.poll()
            return []
        return [
            file
            for kind, path in sorted(changes)
            for folder in self._folders
            for file in folder.changed_files(path, added=kind == ADDED)
        ]

    def _close(self) -> None:
        notices, self._notices = self._notices, None
        if notices is not None:
            with suppress(Exception):
                notices.close()


def _notices(folders: list[str], stop: threading.Event) -> Generator[Changes, None, None]:
    from watchfiles import watch  # takes 40 ms to import, which would delay the first window

    yield from watch(
        *folders,
        watch_filter=None,
        debounce=GATHER_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=WAIT_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
