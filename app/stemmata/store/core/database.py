"""Opening the archive file: who may read it, whether it is ours, with which settings."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.faults import known

if TYPE_CHECKING:
    from peewee import SqliteDatabase

APPLICATION_ID = 0x5374656D  # "Stem", in the file's header
MEMORY = 4 * 1024  # KiB of page cache a connection: what is read again is in the memory map
MEMORY_FOR_BULK = 32 * 1024  # while very much is written at once, which else goes to the disk and comes back
MAPPED = 1 << 30  # bytes of the file read through a memory map
BUSY_TIMEOUT = 5.0  # seconds


def prepare(path: Path) -> None:
    """Create the file if need be, readable by its owner only, and make sure that it is ours.

    One that may only be read is left as it is, and can be read. Raises KnownError for a file that is not ours, and
    leaves it as it is.
    """
    try:
        if path.is_dir():
            raise KnownError(Phrase("The archive cannot be opened: there is a folder in its place.\n{0}", path))
        if not is_read_only(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            found = path.stat()
            if os.name == "posix" and found.st_mode & 0o077 and found.st_uid == os.getuid():
                path.chmod(0o600)
        empty = not path.stat().st_size
    except OSError as error:
        raise KnownError(
            Phrase("The archive cannot be opened: {0}. Nothing was changed.\n{1}", error.strerror, path)
        ) from error
    if not empty:
        _recognise(path)


def is_read_only(path: Path) -> bool:
    """Whether the file is there and may not be changed, or nothing may be put beside it, which is as much."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def address(path: Path) -> str:
    """The URI under which the file is read.

    Reading a file in WAL mode takes a second one beside it. Where that can neither be made nor be found, the file is
    read as one that nobody changes.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    if not is_read_only(path):
        return uri
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        return f"{uri}&immutable=1"
    return uri


def _recognise(path: Path) -> None:
    try:
        uri = address(path) if is_read_only(path) else f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
            empty = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    except sqlite3.Error as error:
        raise known(error, path) from error
    if owner != APPLICATION_ID and not (empty and version == 0):
        raise KnownError(
            Phrase("The file is a database of another program and was left as it is. Choose another file.\n{0}", path)
        )


def connection_of(database: SqliteDatabase) -> sqlite3.Connection:
    """The bare connection, for what is written and read in bulk."""
    connection: sqlite3.Connection = database.connection()  # type: ignore[no-untyped-call]  # untyped in peewee
    return connection


@contextmanager
def writing(database: SqliteDatabase) -> Iterator[None]:
    """One transaction that may write: committed at the end, without a trace when anything is raised.

    Not peewee's `atomic`: where SQLite has rolled back by itself (disk full, damage), that hides the error.
    """
    connection = connection_of(database)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """One snapshot of what is committed."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def open_writer(path: Path, busy_timeout: float = BUSY_TIMEOUT) -> SqliteDatabase:
    """The connection that writes; bound to the calling thread. Ready for bulk, until `keep_little`."""
    from peewee import SqliteDatabase

    database = SqliteDatabase(
        str(path),
        pragmas={
            "journal_mode": "wal", "synchronous": "normal", "foreign_keys": 1, "temp_store": "memory",
            "cache_size": -MEMORY_FOR_BULK, "mmap_size": MAPPED, "journal_size_limit": 64 << 20,
        },
        lock_type="IMMEDIATE", autoconnect=False, timeout=busy_timeout,
    )  # fmt: skip
    database.connect()
    return database


def keep_much(connection: sqlite3.Connection) -> None:
    """Before bulk is written."""
    connection.execute(f"PRAGMA cache_size = {-MEMORY_FOR_BULK}")


def keep_little(connection: sqlite3.Connection) -> None:
    """For ordinary work; what was kept beyond that is given back."""
    connection.execute(f"PRAGMA cache_size = {-MEMORY}")


def open_reader(path: Path, busy_timeout: float = BUSY_TIMEOUT) -> sqlite3.Connection:
    """A connection that sees committed state only and can change nothing."""
    connection = sqlite3.connect(
        address(path), uri=True, timeout=busy_timeout, isolation_level=None, check_same_thread=False
    )  # closed from another thread than the one that reads
    for pragma in ("query_only = 1", f"cache_size = {-MEMORY}", f"mmap_size = {MAPPED}", "temp_store = memory"):
        connection.execute(f"PRAGMA {pragma}")
    return connection
