"""Codex's home folder: the files of a thread, the names of threads, and which file of a thread is current."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from stemmata.domain.errors import KnownError
from stemmata.formats.codex.compressed import open_rollout
from stemmata.formats.codex.header import Continuation, header_of, thread_in
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.source_file import session_files
from stemmata.formats.shared.values import BadLineError, parse_object, text

SESSIONS, ARCHIVED = "sessions", "archived_sessions"
INDEX = "session_index.jsonl"
_STATE = "state_5.sqlite"
_LINE = 1 << 20  # bytes before the end of a base that are looked at for its last line
_WAIT = 3.0  # seconds for a database that Codex is writing
_QUERY = "SELECT rollout_path FROM threads WHERE id = ?"


def home_of(path: Path) -> Path | None:
    """Return the home folder in which a rollout lies; None for a file elsewhere."""
    return next((folder.parent for folder in path.parents if folder.name in (SESSIONS, ARCHIVED)), None)


def files_of(thread: str, path: Path) -> list[Path]:
    """Return the files of a thread, the oldest first: in the home folder of `path`, else in its own folder."""
    home = home_of(path)
    if home is None:
        found = session_files(path.parent, deep=False)
    else:
        found = [*session_files(home / SESSIONS), *session_files(home / ARCHIVED)]
    return sorted((file for file in found if thread_in(file.name) == thread), key=lambda file: file.name)


def file_of_base(base: Continuation, path: Path) -> Path | None:
    """Return the file that `path` continues at `base`; None when it is not there.

    A thread can have several files; the newest one in which a line ends at the base's byte is returned.
    """
    for file in reversed(files_of(base.thread, path)):
        if file != path and not _same_name(file, path) and _holds(file, base):
            return file
    return None


def _holds(file: Path, base: Continuation) -> bool:
    """Return whether the file has the line that ends at the base's end."""
    try:
        header = header_of(file)
        begins = 0 if header.base is None else header.base.ordinal
        if begins >= base.ordinal:
            return False
        return not base.offset or _ends_before(file, base)
    except (KnownError, OSError):
        return False


def _ends_before(file: Path, base: Continuation) -> bool:
    """Return whether a line ends at the base's byte, with the ordinal before the base's if it has a readable one."""
    with open_rollout(file) as source:
        source.seek(max(base.offset - _LINE, 0))
        piece = b""
        while len(piece) < min(base.offset, _LINE) and (data := source.read(min(base.offset, _LINE) - len(piece))):
            piece += data
    line = piece[:-1].rpartition(b"\n")[2]
    if len(piece) < min(base.offset, _LINE) or not piece.endswith(b"\n"):
        return False
    try:
        ordinal = parse_object(line).get("ordinal")
    except BadLineError:
        return True
    return not isinstance(ordinal, int) or ordinal == base.ordinal - 1


def current_file(thread: str, path: Path) -> Path | None:
    """Return the file that the thread writes to; None when that is the file `path` itself.

    Codex's database names it; without the database it is the newest file.
    """
    files = files_of(thread, path)
    named = _named_in_database(thread, path)
    current = next((file for file in files if _same_name(file, named)), None) if named else None
    current = current or (files[-1] if files else path)
    return None if _same_name(current, path) else current


def _same_name(one: PurePath, other: PurePath) -> bool:
    return one.name.removesuffix(".zst") == other.name.removesuffix(".zst")


def _named_in_database(thread: str, path: Path) -> PurePath | None:
    """Return the thread's file according to Codex's database; None without one, or when it cannot be read."""
    home = home_of(path)
    if home is None or not (home / _STATE).is_file():
        return None
    try:
        address = f"{(home / _STATE).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT)) as database:
            row = database.execute(_QUERY, (thread,)).fetchone()
    except (sqlite3.Error, ValueError, UnicodeError):
        return None
    named = text(row[0]) if row else ""
    if not named:
        return None
    return PureWindowsPath(named) if "\\" in named else PurePosixPath(named)


def name_of(thread: str, path: Path) -> str:
    """Return the name that the user gave the thread, from the index in the home folder; "" for none."""
    home = home_of(path)
    name = ""
    if home is None:
        return name
    try:
        for line in SourceLines(home / INDEX):
            if isinstance(line, Line) and line.data is not None and thread.encode() in line.data:
                name = _name_in(line, thread) or name
    except KnownError:
        return ""
    return " ".join(name.split())[:500]


def _name_in(line: Line, thread: str) -> str:
    try:
        record = parse_object(line.data)
    except BadLineError:
        return ""
    return text(record.get("thread_name")) if record.get("id") == thread else ""
