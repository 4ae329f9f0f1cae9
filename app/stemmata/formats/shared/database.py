"""Read a SQLite database that another program owns and may be writing. It is neither changed nor migrated.

All of a reading happens in one transaction, so it sees one state of the database, including the part in the
write-ahead log (the file with the ending `-wal`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.torn_indexes import TornTable, copy_torn_tables

MAGIC = b"SQLite format 3\0"
LOG = "-wal"  # the ending of the write-ahead log, after the database's name
_WAIT = 3.0  # seconds for a lock of the program that writes
_LARGEST = 64 << 20  # bytes of a value; the limit for a line of a transcript is the same
_USES_LOG = b"\2\2"  # bytes 18 and 19 of a database with a write-ahead log
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SETTINGS = ("query_only = 1", "trusted_schema = 0", "cell_size_check = 1")


class TooLargeError(ValueError):
    """A value of the database exceeds the limit."""


class SourceDatabase:
    """An open database. Texts are decoded as UTF-8; bytes that are no UTF-8 become U+FFFD."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    @property
    def path(self) -> Path:
        """The path of the database's file."""
        return self._path

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the table's columns; empty when there is no such table."""
        if not any(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table)):
            return frozenset()
        names = frozenset(name for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", table))
        return frozenset() if "rowid" in names else names  # such a column hides the numbers of the rows

    def row(self, query: str, *values: object) -> tuple[Any, ...]:
        """Return the first row of a query, of a row that is known to be there. Raises as `rows` does."""
        for found in self.rows(query, *values):
            return found
        reason = Phrase("{0} is damaged: some of its rows are missing.", self._path)
        raise UnreadableSourceError(reason)

    @property
    def size(self) -> int:
        """The size in bytes, without what only the write-ahead log has."""
        return self._path.stat().st_size

    def copy_torn_tables(self) -> list[TornTable]:
        """Let all queries read copies of the tables whose index does not fit them; return these tables."""
        return copy_torn_tables(self._connection)

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query. Raises UnreadableSourceError, TooLargeError, and KnownError for a locked one."""
        try:
            # without `map`, a generator that is dropped late would close the cursor of a closed connection
            yield from map(tuple, self._connection.execute(query, values))
        except sqlite3.DataError as error:
            raise TooLargeError(str(error)) from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a message that quotes damaged bytes cannot be decoded
            raise _known(self._path, error) from error


@contextmanager
def open_database(path: Path) -> Iterator[SourceDatabase]:
    """Open a database for one reading, and begin its transaction.

    Raises NotFoundError and UnreadableSourceError, and KnownError when it is locked or changes during the reading.
    """
    before = _state(path)
    address, is_quiet = _address(path)
    try:
        connection = sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)
    except sqlite3.Error as error:
        raise _known(path, error) from error
    with closing(connection):
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
        database = SourceDatabase(path, connection)
        try:
            for statement in (*(f"PRAGMA {setting}" for setting in _SETTINGS), "BEGIN"):
                list(database.rows(statement))
            yield database
        except UnreadableSourceError as error:
            if is_quiet and _state(path) != before:
                raise _changed(path) from error
            raise
        if is_quiet and _state(path) != before:
            raise _changed(path)


def writes_of(path: Path) -> int:
    """Return how often a database was written, as its header counts; 0 for a file that is no whole database.

    The number never decreases while a program works with the database, so that an older copy has a smaller one. A
    database with a write-ahead log does not count each write. Raises NotFoundError and UnreadableSourceError.
    """
    with open_source(path) as file, known_read_errors(path):
        head, size = file.read(32), os.fstat(file.fileno()).st_size
    page = int.from_bytes(head[16:18])
    is_whole = int.from_bytes(head[28:32]) * (65_536 if page == 1 else page) <= size  # a shorter file was cut off
    return int.from_bytes(head[24:28]) if head.startswith(MAGIC) and is_whole else 0


def log_state(path: Path) -> str:
    """Return a fingerprint of the database's write-ahead log; "" without one, and for an empty one."""
    try:
        found = os.stat(f"{path}{LOG}")
    except (OSError, ValueError):
        return ""
    return f"{found.st_size}:{found.st_mtime_ns}" if found.st_size else ""


def _address(path: Path) -> tuple[str, bool]:
    """Return the address of a database, and whether it is opened without locks.

    A database with a write-ahead log that is empty or absent is not in use. SQLite would create the log and an index
    beside it to read it, and leave them there. Without locks it creates nothing, but does not notice a writer, so the
    caller compares the file before and after.
    """
    with open_source(path) as file, known_read_errors(path):
        head = file.read(100)
    is_quiet = head[18:20] == _USES_LOG and not log_state(path)
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_quiet else ''}", is_quiet


def _state(path: Path) -> tuple[int, int]:
    with known_read_errors(path):
        found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _changed(path: Path) -> KnownError:
    return KnownError(Phrase("{0} was written while it was read. Nothing was imported from it; try again.", path))


def _known(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> KnownError:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
        return KnownError(Phrase("Another program has locked {0}. Nothing was imported from it; try again.", path))
    return UnreadableSourceError(Phrase("{0} is damaged or is not a database that can be read ({1}).", path, error))
