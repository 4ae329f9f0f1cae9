"""Following folders: a thread that sleeps in the system's notices and says what may have changed.

What the system does not tell is looked for: at the start, when a folder comes back, now and then, and all the time
on network file systems and where the system's limit of watched folders is reached.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import suppress

from stemmata.domain.settings.settings import FolderScan, WatchMethod
from stemmata.system.following.followed_folder import FollowedFolder

TICK = 1.0  # seconds between two looks whether the folders are there
STEP_MS = 50  # how soon a change is noticed
GATHER_MS = 200  # changes that come one after the other are gathered for so long at most
WAIT_MS = 500  # without a change, before other folders get their turn
REST = 0.5  # share of the time that a sighting took to be dealt with, before the next one
LONGEST_REST = 1.0  # seconds
PATIENCE = 10.0  # seconds that what is being dealt with may take at the end
ADDED = 1  # of the kinds of changes
log = logging.getLogger(__name__)

SightingCallback = Callable[[FolderScan], None]


Changes = Collection[tuple[int, str]]  # kind and path
# the system's notices of changes below folders, empty after a while without any; ends with the event
OpenNotices = Callable[[list[str], threading.Event], Generator[Changes, None, None]]


class FolderWatch:
    """Implements `services.following.Watch`."""

    def __init__(
        self,
        open_notices: OpenNotices | None = None,
        folder: Callable[[str], FollowedFolder] = FollowedFolder,
    ) -> None:
        self._open, self._folder = open_notices or _notices, folder
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wanted: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None
        self._folders: list[FollowedFolder] = []  # the thread's own, as all below
        self._notices: Generator[Changes, None, None] | None = None

    def start(self, folders: Sequence[str], told: SightingCallback) -> None:
        """Call `told` from a thread of its own, first with all there is, then at least every TICK.

        When the call returns, what has changed meanwhile comes next. While it runs: follow other folders from now on.
        """
        with self._lock:
            self._wanted = tuple(folders)
            if self._thread is None and self._wanted and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, args=(told,), name="follow", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End for good. Not to be called from `told`."""
        self._stop.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(PATIENCE)
            if thread.is_alive():
                log.warning("The thread that follows folders did not end.")

    # -- on the thread ----------------------------------------------------------------------------------------

    def _run(self, told: SightingCallback) -> None:
        while not self._stop.is_set():
            try:
                took = self._sight(told)
            except Exception:
                log.exception("A look at the followed folders failed.")
                took = LONGEST_REST / REST
                for folder in self._folders:
                    folder.forget()  # what was not dealt with is told again
            self._stop.wait(min(LONGEST_REST, REST * took))
        self._close()

    def _sight(self, told: SightingCallback) -> float:
        """Seconds that it took to deal with what was seen."""
        files = self._appear() or self._changed()
        begun = time.monotonic()
        told(FolderScan(tuple(dict.fromkeys(files)), tuple(folder.followed for folder in self._folders)))
        return time.monotonic() - begun

    def _appear(self) -> list[str]:
        """Take up what is to be followed now, and have the system tell of the folders that are there.

        What it told at once: from then on nothing is missed, since the first look comes after.
        """
        wanted = self._wanted
        known = {folder.name: folder for folder in self._folders}
        others = list(known) != list(wanted)
        self._folders = [known.get(name) or self._folder(name) for name in wanted]
        changed = [folder.appear() for folder in self._folders]
        if others or any(changed):
            self._close()
            for folder in self._folders:
                folder.look_soon()  # what was on its way is lost
        real = [folder.real for folder in self._folders if folder.is_there and folder.way is WatchMethod.TOLD]
        if self._notices is not None or not real:
            return []
        self._notices = self._open(real, self._stop)
        return self._told()

    def _changed(self) -> list[str]:
        """Wait for a change, at most a TICK."""
        files = self._looked()
        if files:
            return files
        if self._notices is not None:
            return self._told()
        self._stop.wait(min([TICK, *(folder.wait for folder in self._folders)]))
        return self._looked()

    def _looked(self) -> list[str]:
        return [file for folder in self._folders for file in folder.look()]

    def _told(self) -> list[str]:
        assert self._notices is not None
        try:
            changes = next(self._notices, ())
        except Exception:  # whatever ails it, looking does as well
            log.info("The system does not tell of changes.", exc_info=True)
            self._close()
            for folder in self._folders:
                if folder.is_there:
                    folder.poll()
            return []
        return [
            file
            for kind, path in sorted(changes)
            for folder in self._folders
            for file in folder.told(path, added=kind == ADDED)
        ]

    def _close(self) -> None:
        notices, self._notices = self._notices, None
        if notices is not None:
            with suppress(Exception):
                notices.close()


def _notices(folders: list[str], stop: threading.Event) -> Generator[Changes, None, None]:
    from watchfiles import watch  # 40 ms: not for the first window

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
