"""Open source files: regular files only, read-only, with errors that tell the user what to do."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stemmata.domain.errors import NotFoundError, UnreadableSourceError
from stemmata.domain.text.phrases import Phrase

# The conversations of a chat export, unpacked or in one of several archives; a session of an older Gemini CLI;
# a session of an older opencode
_DOCUMENT_FILE = re.compile(
    r"conversations(-\d+)?\.json|data-.+-batch-\d+\.(zip|dms)|session-\d{4}-\d\d-\d\dT.+\.json"
    r"|(all-chats|archived-chat|chat)-export-.+\.json|ses_.+\.json|prod-grok-backend\.json",
    re.DOTALL,
)
# Documents that their tools write anew while they work: a session of VS Code's chat or of Cline, a task of Cline,
# a thread of Amp
_LIVE_FILE = re.compile(
    r"(T-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json|.+\.messages\.json|api_conversation_history\.json",
    re.DOTALL,
)
_BESIDE_LIVE_FILE = re.compile(r"ui_messages\.json|history_item\.json")
_DATABASE_FILE = re.compile(
    r"opencode(-.+)?\.db|logs\.db|librecode\.db|threads\.db|sessions\.db|crush\.db|state\.(vscdb|db)", re.DOTALL
)
# A transcript, one that Codex has compressed, or one that OpenClaw has archived: x.jsonl, x.jsonl.zst,
# x.jsonl.deleted.<time>, x.jsonl.reset.<time>; and the chat history of Aider
_SESSION_FILE = re.compile(r".+\.jsonl(\.zst|\.(deleted|reset)\..+)?|\.aider\.chat\.history\.md", re.DOTALL)

AI_STUDIO_FOLDER = "Google AI Studio"  # the folder in Google Drive whose files have no endings
# endings of files under names of their own
_ENDINGS = (".json", ".zip", ".dms", ".md", ".txt", ".db", ".sqlite", ".sqlite3", ".vscdb")
_FOREIGN = frozenset({"node_modules", ".git", "__pycache__", ".venv", "venv"})


def is_session_name(name: str) -> bool:
    """Return whether a transcript may have this file name."""
    return _SESSION_FILE.fullmatch(name) is not None


def is_database_name(name: str) -> bool:
    """Return whether a database of sessions may have this file name."""
    return _DATABASE_FILE.fullmatch(name) is not None


def is_live_document_name(name: str) -> bool:
    """Return whether a document that its tool rewrites, or a file that belongs to one, may have this name."""
    return _LIVE_FILE.fullmatch(name) is not None or _BESIDE_LIVE_FILE.fullmatch(name) is not None


def _is_listed(name: str) -> bool:
    is_document = _DOCUMENT_FILE.fullmatch(name) is not None or _LIVE_FILE.fullmatch(name) is not None
    return is_document or is_session_name(name) or is_database_name(name)


def is_regular_file(path: Path) -> bool:
    """Return whether the path is a regular file, and no symbolic link, that can be looked at."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def other_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that may be exports or databases under names of their own, the upper ones first.

    Symbolic links, and the folders of packages and of Git, are left out. Files that cannot be read are left out, too.
    """
    waiting = deque([folder])
    while waiting:
        try:
            place = waiting.popleft()
            with os.scandir(place) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue
        for item in items:
            if item.is_dir(follow_symlinks=False):
                if item.name not in _FOREIGN:
                    waiting.append(Path(item.path))
            elif item.is_file(follow_symlinks=False) and _is_candidate(item.name, place):
                yield Path(item.path)


def _is_candidate(name: str, folder: Path) -> bool:
    is_named = _is_listed(name) or is_live_document_name(name)
    return not is_named and (name.lower().endswith(_ENDINGS) or folder.name == AI_STUDIO_FOLDER)


def session_files(folder: Path, *, deep: bool = True) -> list[Path]:
    """Return the regular files in a folder that are named like transcripts, databases or chat exports, sorted.

    Symbolic links are neither followed nor listed. An unreadable subfolder is listed itself, so that reading it
    reports the reason. The list is empty for a missing folder.
    """
    return sorted(_walk(folder, deep=deep))


def _walk(top: Path, *, deep: bool) -> Iterator[Path]:
    """Yield transcript files and unreadable folders below `top`."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                for item in listing:
                    if item.is_dir(follow_symlinks=False):
                        if deep:
                            waiting.append(Path(item.path))
                    elif item.is_file(follow_symlinks=False) and _is_listed(item.name):
                        yield Path(item.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            yield folder


_HEAD = 4096
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_source(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises NotFoundError or UnreadableSourceError.

    The file type is checked before opening, because opening a device can have an effect, and again afterwards,
    because the file may have been replaced in between. Opening a pipe does not block.
    """
    if "\0" in str(path):
        raise NotFoundError(f"Not a valid file name: {str(path)!r}.")
    with known_read_errors(path):
        _require_file(path, os.stat(path))
        number = os.open(path, _FLAGS)
        try:
            _require_file(path, os.fstat(number))
        except UnreadableSourceError:
            os.close(number)
            raise
        return os.fdopen(number, "rb", buffering=0)


@contextmanager
def known_read_errors(path: Path) -> Iterator[None]:
    """Convert operating system errors inside the block to NotFoundError and UnreadableSourceError."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(Phrase("File not found: {0}.", path)) from error
    except PermissionError as error:
        raise UnreadableSourceError(Phrase("No permission to read {0}.", path)) from error
    except OSError as error:
        raise UnreadableSourceError(Phrase("Could not read {0}: {1}.", path, error.strerror or error)) from error


def identity(path: Path) -> tuple[int, int, str]:
    """Return the file's size, its mtime in nanoseconds, and a hash that appending does not change.

    The hash covers the first line, at most its first 4 KiB. Raises NotFoundError or UnreadableSourceError.
    """
    with open_source(path) as file, known_read_errors(path):
        found = os.fstat(file.fileno())
        head = file.read(_HEAD)
    end = head.find(b"\n")
    first = head if end < 0 else head[: end + 1]
    return found.st_size, found.st_mtime_ns, hashlib.sha256(first).hexdigest()[:32]


def _require_file(path: Path, found: os.stat_result) -> None:
    """Raise UnreadableSourceError unless the path is a regular file."""
    if stat.S_ISDIR(found.st_mode):
        os.scandir(path).close()  # an unreadable folder raises PermissionError here, which gives the better message
        raise UnreadableSourceError(Phrase("{0} is a folder, not a session file.", path))
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableSourceError(
            Phrase("{0} is not a regular file. Pipes, sockets and devices are not read.", path)
        )
