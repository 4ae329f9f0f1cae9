"""Session files below a folder as they are now, to see at another time which of them have changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

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
