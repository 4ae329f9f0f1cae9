"""Opening a source file: read-only, regular files only, every failure in words the user can act on."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stemmata.domain.errors import NotFoundError, UnreadableSourceError

# a transcript, or one that OpenClaw has put aside: x.jsonl, x.jsonl.deleted.<time>, x.jsonl.reset.<time>
_SESSION_FILE = re.compile(r".+\.jsonl(\.(deleted|reset)\..+)?", re.DOTALL)


def is_session_name(name: str) -> bool:
    """Whether a file of this name may be a transcript."""
    return _SESSION_FILE.fullmatch(name) is not None


def session_files(folder: Path, *, deep: bool = True) -> list[Path]:
    """Regular files whose name is a transcript's, sorted; symbolic links are neither followed nor listed.

    A folder below that may not be read is listed itself, so that reading it reports the reason. A folder that
    does not exist holds nothing.
    """
    return sorted(_walk(folder, deep=deep))


def _walk(top: Path, *, deep: bool) -> Iterator[Path]:
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                for item in listing:
                    if item.is_dir(follow_symlinks=False):
                        if deep:
                            waiting.append(Path(item.path))
                    elif item.is_file(follow_symlinks=False) and _SESSION_FILE.fullmatch(item.name):
                        yield Path(item.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            yield folder


_HEAD = 4096
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_source(path: Path) -> BinaryIO:
    """A regular file, opened for reading only. Raises NotFoundError, UnreadableSourceError.

    Checked before opening (opening a device can act on it) and after (the name may have been given to something
    else meanwhile); a pipe never blocks.
    """
    if "\0" in str(path):
        raise NotFoundError(f"{str(path)!r} is not a name a file can have.")
    with reading(path):
        _require_file(path, os.stat(path))
        number = os.open(path, _FLAGS)
        try:
            _require_file(path, os.fstat(number))
        except UnreadableSourceError:
            os.close(number)
            raise
        return os.fdopen(number, "rb", buffering=0)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns the operating system's errors into known ones."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{path} does not exist.") from error
    except PermissionError as error:
        raise UnreadableSourceError(f"{path} may not be read: permission denied.") from error
    except OSError as error:
        raise UnreadableSourceError(f"{path} could not be read: {error.strerror or error}.") from error


def identity(path: Path) -> tuple[int, int, str]:
    """size, mtime (ns), and a hash of the first line, at most its first 4 KiB: appending does not change it."""
    with open_source(path) as file, reading(path):
        found = os.fstat(file.fileno())
        head = file.read(_HEAD)
    end = head.find(b"\n")
    first = head if end < 0 else head[: end + 1]
    return found.st_size, found.st_mtime_ns, hashlib.sha256(first).hexdigest()[:32]


def _require_file(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        os.scandir(path).close()  # says so when the folder may not even be listed
        raise UnreadableSourceError(f"{path} is a folder, not a session file.")
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableSourceError(f"{path} is not a regular file (a pipe, socket or device is never read).")
