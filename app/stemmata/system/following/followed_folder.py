"""One followed folder: whether it exists, which of its files changed, and when to scan it next."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from stemmata.domain.settings.settings import FolderStatus, WatchMethod

State = tuple[int, int, int]  # size, mtime and ctime in ns; ctime also shows changed permissions


def states_below(folder: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, State]]:
    """Yield path and state of the regular files with a wanted name.

    Links are not followed; folders that cannot be listed are skipped.
    """
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as listing:
            for item in listing:
                if item.is_dir(follow_symlinks=False):
                    waiting.append(item.path)
                elif is_wanted(item.name) and item.is_file(follow_symlinks=False):
                    with suppress(OSError):  # the file has disappeared
                        yield item.path, _state(item.stat(follow_symlinks=False))


def state_of(path: str) -> State | None:
    """Return the state of a regular file or link; None for a missing or other file."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return _state(found) if stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode) else None


def _state(found: os.stat_result) -> State:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


# Linux file systems that show changes made by other machines or the host without reporting them.
_SILENT = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|vboxsf|vmhgfs|prl_fs|davfs|ncpfs|coda|"
    r"fuse\.(sshfs|rclone|s3fs|gcsfuse|vmhgfs-fuse|davfs2?|glusterfs|curlftpfs|smbnetfs)"
)
MOUNTS = "/proc/self/mounts"


def is_silent(folder: str, mounts: str = MOUNTS) -> bool:
    """Return whether the folder is on a network file system; False when that cannot be determined."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return False
    folder = os.path.realpath(folder)
    best, kind = "", ""
    for fields in lines:
        if len(fields) > 2:
            point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[1])
            if len(point) >= len(best) and (folder == point or folder.startswith(point.rstrip("/") + "/")):
                best, kind = point, fields[2]
    return _SILENT.fullmatch(kind) is not None


POLL = 0.5  # seconds between two scans of a folder without change notices
CHECK = 60.0  # seconds between two scans of a folder with change notices, in case a notice is missing
SHARE = 20  # scans take at most 1/SHARE of the time


class FollowedFolder:
    """The state of one followed folder. `name` is the path as the user wrote it, possibly with `~`.

    `is_wanted` returns whether a file of this name may belong to a session.

    At first all its files count as changed.
    """

    def __init__(
        self,
        name: str,
        is_wanted: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
        silent: Callable[[str], bool] = is_silent,
    ) -> None:
        self.name = name
        self.path = os.path.abspath(os.path.expanduser(name))
        self.real = self.path
        self.way = WatchMethod.GONE
        self._is_wanted, self._clock, self._silent = is_wanted, clock, silent
        self._seen: tuple[int, int] | None = None  # device and inode; None while the folder is missing
        self._device: int | None = None  # device of the folder when it last existed
        self._states: dict[str, State] = {}
        self._due = 0.0

    @property
    def followed(self) -> FolderStatus:
        """The folder's name and the way it is followed."""
        return FolderStatus(self.name, self.way)

    @property
    def is_there(self) -> bool:
        """Whether the folder exists and can be listed."""
        return self._seen is not None

    @property
    def is_polled(self) -> bool:
        """Whether the system reports no changes in the folder."""
        return self.way in (WatchMethod.NETWORK, WatchMethod.LIMIT)

    @property
    def wait(self) -> float:
        """Seconds until the next scan."""
        return max(0.0, self._due - self._clock()) if self.is_there else CHECK

    def appear(self) -> bool:
        """Check whether the folder exists; return True when it appeared, disappeared or was replaced."""
        before, self._seen = self._seen, self._identity()
        if self._seen is not None and self._seen != before:
            self.real = os.path.realpath(self.path)
            self.way = WatchMethod.NETWORK if self._silent(self.real) else WatchMethod.TOLD
            self._due = 0.0
        return self._seen != before

    def poll(self) -> None:
        """Scan the folder from now on, because the system reports no more changes."""
        self.way, self._due = WatchMethod.LIMIT, 0.0

    def scan_soon(self) -> None:
        """Make the next scan due now."""
        self._due = 0.0

    def forget(self) -> None:
        """Treat all files as changed in the next scan."""
        self._states.clear()
        self.scan_soon()

    def scan(self) -> list[str]:
        """Return the files that changed since the last scan if a scan is due, else []."""
        if self.wait:
            return []
        begun = self._clock()
        states = dict(states_below(self.path, self._is_wanted))
        changed = [path for path, state in states.items() if self._states.get(path) != state]
        self._states = states
        took = self._clock() - begun
        self._due = self._clock() + max(POLL if self.is_polled else CHECK, SHARE * took)
        return changed

    def changed_files(self, path: str, *, added: bool) -> Iterator[str]:
        """Yield the changed files that a change notice refers to: the file, or the files in a new folder."""
        inside = self._inside(path)
        if inside is None:
            return
        found = states_below(inside, self._is_wanted) if added and os.path.isdir(inside) else self._one(inside)
        for file, state in found:
            if self._states.get(file) != state:
                self._states[file] = state
                yield file

    def _one(self, path: str) -> Iterator[tuple[str, State]]:
        state = state_of(path) if self._is_wanted(os.path.basename(path)) else None
        if state is not None:
            yield path, state

    def _inside(self, path: str) -> str | None:
        """Return the path below `self.path`; None when a symbolic link led out of the folder."""
        if not path.startswith(self.real.rstrip(os.sep) + os.sep):
            return None
        folder = os.path.dirname(path)
        if os.path.realpath(folder) != folder:
            return None
        return os.path.join(self.path, os.path.relpath(path, self.real))

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)
            with os.scandir(self.path) as listing:
                is_empty = next(listing, None) is None
        except PermissionError:
            self.way = WatchMethod.REFUSED
        except OSError:
            self.way = WatchMethod.GONE
        else:
            device, self._device = self._device, found.st_dev
            if not is_empty or device in (None, found.st_dev):
                return found.st_dev, found.st_ino
            self._device, self.way = device, WatchMethod.GONE  # the empty mount point of an unmounted disk
        return None
