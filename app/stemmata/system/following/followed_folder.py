"""One followed folder: whether it is there, what of its files changed, when it is looked through next."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from stemmata.domain.settings.settings import FolderStatus, WatchMethod

ENDING = ".jsonl"  # or somewhere in the name: transcripts that were put aside carry more behind it
State = tuple[int, int, int]  # size, mtime and ctime in ns: rights that change count too


def is_wanted(name: str) -> bool:
    return ENDING in name


def states_below(folder: str) -> Iterator[tuple[str, State]]:
    """Regular files that may be transcripts; links are not followed, and what may not be listed is passed over."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as listing:
            for item in listing:
                if item.is_dir(follow_symlinks=False):
                    waiting.append(item.path)
                elif is_wanted(item.name) and item.is_file(follow_symlinks=False):
                    with suppress(OSError):  # gone again
                        yield item.path, _state(item.stat(follow_symlinks=False))


def state_of(path: str) -> State | None:
    """None for what is gone, or is neither a regular file nor a link."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return _state(found) if stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode) else None


def _state(found: os.stat_result) -> State:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


# those of Linux that show what other machines write, or a host, and tell nothing of it
_SILENT = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|vboxsf|vmhgfs|prl_fs|davfs|ncpfs|coda|"
    r"fuse\.(sshfs|rclone|s3fs|gcsfuse|vmhgfs-fuse|davfs2?|glusterfs|curlftpfs|smbnetfs)"
)
MOUNTS = "/proc/self/mounts"


def is_silent(folder: str, mounts: str = MOUNTS) -> bool:
    """Whether the folder lies on a network file system; False where that cannot be found out."""
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


POLL = 0.5  # seconds between two looks at a folder that nothing is told of
CHECK = 60.0  # … and at one that we are told of, should something have been left out
SHARE = 20  # a look may take one part in so many of the time


class FollowedFolder:
    """`name` as the person has it, perhaps with `~`. All its files count as changed at first."""

    def __init__(
        self, name: str, clock: Callable[[], float] = time.monotonic, silent: Callable[[str], bool] = is_silent
    ) -> None:
        self.name = name
        self.path = os.path.abspath(os.path.expanduser(name))
        self.real = self.path
        self.way = WatchMethod.GONE
        self._clock, self._silent = clock, silent
        self._seen: tuple[int, int] | None = None  # device and inode, as long as it is there
        self._device: int | None = None  # that it was on when it was there last
        self._states: dict[str, State] = {}
        self._due = 0.0

    @property
    def followed(self) -> FolderStatus:
        return FolderStatus(self.name, self.way)

    @property
    def is_there(self) -> bool:
        return self._seen is not None

    @property
    def is_polled(self) -> bool:
        return self.way in (WatchMethod.NETWORK, WatchMethod.LIMIT)

    @property
    def wait(self) -> float:
        """Seconds until it is to be looked through."""
        return max(0.0, self._due - self._clock()) if self.is_there else CHECK

    def appear(self) -> bool:
        """Find out whether it is there; True when that is not as it was before, or it is another one."""
        before, self._seen = self._seen, self._identity()
        if self._seen is not None and self._seen != before:
            self.real = os.path.realpath(self.path)
            self.way = WatchMethod.NETWORK if self._silent(self.real) else WatchMethod.TOLD
            self._due = 0.0
        return self._seen != before

    def poll(self) -> None:
        """The system tells nothing of it any more."""
        self.way, self._due = WatchMethod.LIMIT, 0.0

    def look_soon(self) -> None:
        """It is time to look, whatever is told."""
        self._due = 0.0

    def forget(self) -> None:
        """All its files count as changed again."""
        self._states.clear()
        self.look_soon()

    def look(self) -> list[str]:
        """The files that changed since they were last seen, if it is time to look; else none."""
        if self.wait:
            return []
        begun = self._clock()
        states = dict(states_below(self.path))
        changed = [path for path, state in states.items() if self._states.get(path) != state]
        self._states = states
        took = self._clock() - begun
        self._due = self._clock() + max(POLL if self.is_polled else CHECK, SHARE * took)
        return changed

    def told(self, path: str, *, added: bool) -> Iterator[str]:
        """The changed files that a notice of the system means: that file, or those in a folder that has come."""
        inside = self._inside(path)
        if inside is None:
            return
        found = states_below(inside) if added and os.path.isdir(inside) else self._one(inside)
        for file, state in found:
            if self._states.get(file) != state:
                self._states[file] = state
                yield file

    def _one(self, path: str) -> Iterator[tuple[str, State]]:
        state = state_of(path) if is_wanted(os.path.basename(path)) else None
        if state is not None:
            yield path, state

    def _inside(self, path: str) -> str | None:
        """The path as it is called from here; None when a link led out of the folder on the way."""
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
            self._device, self.way = device, WatchMethod.GONE  # the place where a disk was mounted
        return None
