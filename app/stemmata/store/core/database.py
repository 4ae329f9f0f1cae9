"""Opening the archive file: permissions, file format, connection settings, errors."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.domain.errors import KnownError, NotStoredError
from stemmata.domain.text.phrases import Phrase, template

if TYPE_CHECKING:
    from peewee import SqliteDatabase


log = logging.getLogger(__name__)
_KEPT = Phrase("Nothing of this change was stored; everything stored before is kept.")
_TEXTS = {
    sqlite3.SQLITE_FULL: template("The disk is full. {0} Free some space and try again."),
    sqlite3.SQLITE_READONLY: template(
        "The archive is read-only. {0} Check the permissions of the file and its folder."
    ),
    sqlite3.SQLITE_BUSY: template(
        "Another program is writing to the archive. {0} Close it, or try again in a moment."
    ),
    sqlite3.SQLITE_LOCKED: template(
        "Another program is writing to the archive. {0} Close it, or try again in a moment."
    ),
    sqlite3.SQLITE_IOERR: template(
        "The disk reports an error while the archive is read or written. {0} Check the disk."
    ),
    sqlite3.SQLITE_CANTOPEN: template(
        "The archive cannot be opened. Check that its folder exists and may be written to."
    ),
    sqlite3.SQLITE_PERM: template(
        "Stemmata has no permission to open the archive. Check the permissions of the file and its folder."
    ),
    sqlite3.SQLITE_CORRUPT: template(
        "The archive is damaged and was left as it is. Copy the file to a safe place, then put a "
        "backup in its place or start a new archive and import your sessions again."
    ),
    sqlite3.SQLITE_NOTADB: template(
        "The file is not an archive of Stemmata and was left as it is. Choose another file, or move this one away."
    ),
}  # fmt: skip

_PASSING = frozenset({
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR,
})  # fmt: skip
_QUOTING = (b"malformed ", b"no such ")  # the beginnings of SQLite's messages that quote a name of the file
_UNDECODABLE = "Could not decode to UTF-8"  # the beginning of the `sqlite3` module's message about a text


def known(error: BaseException, path: Path) -> BaseException:
    """Return the error as a KnownError if the user can act on it, else unchanged (a bug)."""
    code = _code_of(error)
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:  # the file beside the archive cannot grow, also when it is only read
        code = sqlite3.SQLITE_FULL
    text = None if code is None else _TEXTS.get(code & 0xFF)
    if text is None:
        return error
    kind = NotStoredError if code is not None and code & 0xFF in _PASSING else KnownError
    return kind(Phrase("{0}\n{1}", Phrase(text, _KEPT), path))


def undecodable(what: str) -> sqlite3.OperationalError:
    """Return the error that the `sqlite3` module raises for a text that is not UTF-8; `what` was read as bytes."""
    return sqlite3.OperationalError(f"{_UNDECODABLE}: {what}")


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return the device and the number of a file; None when it does not exist or cannot be reached."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def not_in_place(path: Path) -> NotStoredError:
    """Return the error for an open archive whose file was moved, deleted or replaced: SQLite would write to a file
    that the next start does not find.
    """
    words = Phrase(
        "The file of the archive cannot be reached, or it was moved, deleted or replaced while Stemmata had it open. "
        "Nothing of this change was stored. Put the file back. "
        "If it is lost, export the sessions that you need before you quit Stemmata.\n{0}",
        path,
    )
    return NotStoredError(words)


def read_only(path: Path) -> NotStoredError:
    """Return the error for an archive that cannot be written."""
    return NotStoredError(Phrase("{0}\n{1}", Phrase(_TEXTS[sqlite3.SQLITE_READONLY], _KEPT), path))


@contextmanager
def known_errors(path: Path) -> Iterator[None]:
    """Raise database errors of the block as KnownError if the user can act on them."""
    try:
        yield
    except Exception as error:
        fault = known(error, path)
        if fault is error:
            raise
        raise fault from error


def _code_of(error: BaseException) -> int | None:
    """Return SQLite's error code of an error, or of the error that peewee wrapped in it as `orig`.

    When bytes of a text, or of a name that a message quotes, are not UTF-8, the `sqlite3` module raises an error
    without a code. All texts of an archive are written as UTF-8, so such bytes are damage.
    """
    for candidate in (error, getattr(error, "orig", None)):
        if isinstance(candidate, UnicodeDecodeError) and bytes(candidate.object).startswith(_QUOTING):
            return sqlite3.SQLITE_CORRUPT
        if isinstance(candidate, sqlite3.OperationalError) and str(candidate).startswith(_UNDECODABLE):
            return sqlite3.SQLITE_CORRUPT
        if isinstance(candidate, sqlite3.Error):
            return getattr(candidate, "sqlite_errorcode", None)
    return None


APPLICATION_ID = 0x5374656D  # "Stem", in the file's header
# Without a memory map: it hardly makes reads faster, and a process that reads a whole archive of 1 GB through it
# takes 1 GB of resident memory.
MEMORY = 4 * 1024  # KiB of page cache of a connection; the system caches the rest of the file
MEMORY_FOR_BULK = 32 * 1024  # while very much is written at once, which else goes to the disk and comes back
PAGE = 8192  # bytes of a page of a new archive, which holds most entries whole; an older archive keeps its size
LOG_PAGES = 1000  # pages of the log after which a commit copies it to the file; SQLite's default
BUSY_TIMEOUT = 5.0  # seconds


def prepare(path: Path) -> None:
    """Create the file if it is missing, readable by its owner only, and check that it is an archive.

    A read-only file is not changed. Raises KnownError for a file of another program, which is not changed either.
    """
    try:
        if path.is_dir():
            raise KnownError(Phrase("The archive cannot be opened: its path names a folder.\n{0}", path))
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
    """Return whether the file exists and it, or its folder, cannot be written."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def address(path: Path) -> str:
    """Return the URI under which the file is opened for reading.

    In WAL mode SQLite needs a second file beside the archive. If that file neither exists nor can be created, the
    archive is opened as immutable.
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
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise known(error, path) from error
    if owner != APPLICATION_ID and not (empty and version == 0):
        raise KnownError(
            Phrase("The file is a database of another program and was left as it is. Choose another file.\n{0}", path)
        )


def connection_of(database: SqliteDatabase) -> sqlite3.Connection:
    """Return the `sqlite3` connection of an open database."""
    connection: sqlite3.Connection = database.connection()  # type: ignore[no-untyped-call]  # untyped in peewee
    return connection


def adopted(connection: sqlite3.Connection) -> SqliteDatabase:
    """Return peewee's database on a connection that is open already. It belongs to the thread that calls."""
    from peewee import SqliteDatabase

    class Adopted(SqliteDatabase):
        def _connect(self) -> sqlite3.Connection:
            return connection

    database = Adopted(":memory:", autoconnect=False)  # the name is not used
    database.connect()
    return database


class ArchiveConnection:
    """One open connection: `bare` for statements in SQL, `database` for queries on the models.

    Without a given database, peewee is loaded (50 ms) when `database` is first used.
    """

    def __init__(self, bare: sqlite3.Connection, database: SqliteDatabase | None = None) -> None:
        self.bare = bare
        if database is not None:
            self.database = database

    @cached_property
    def database(self) -> SqliteDatabase:
        """peewee's database on this connection."""
        return adopted(self.bare)


@contextmanager
def writing(database: SqliteDatabase) -> Iterator[None]:
    """Run the block in one transaction that may write; roll back when anything is raised.

    This does not use peewee's `atomic`, which hides the error when SQLite itself has rolled back (full disk, damage).
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
    """Run the block on one snapshot of the committed state."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def open_writer(path: Path, busy_timeout: float = BUSY_TIMEOUT) -> SqliteDatabase:
    """Open the connection that writes, for the calling thread. Its cache is large until `end_bulk`.

    Temporary data is on the disk: SQLite keeps each page that changes within a savepoint, which is several hundred
    megabytes for an import into a large archive.
    """
    from peewee import SqliteDatabase

    database = SqliteDatabase(
        str(path),
        pragmas={
            "page_size": PAGE, "journal_mode": "wal", "synchronous": "normal", "foreign_keys": 1,
            "temp_store": "file", "cache_size": -MEMORY_FOR_BULK, "journal_size_limit": 64 << 20,
        },
        lock_type="IMMEDIATE", autoconnect=False, timeout=busy_timeout,
    )  # fmt: skip
    database.connect()
    return database


def begin_bulk(connection: sqlite3.Connection) -> None:
    """Enlarge the page cache before much is written at once."""
    connection.execute(f"PRAGMA cache_size = {-MEMORY_FOR_BULK}")


def end_bulk(connection: sqlite3.Connection) -> None:
    """Set the page cache to its usual size and release the rest; copy the log in the commits again."""
    connection.execute(f"PRAGMA cache_size = {-MEMORY}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")


def leave_log(connection: sqlite3.Connection) -> None:
    """Leave the log as it is in the next commits, until `end_bulk`; `copy_log` copies it on another thread."""
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def copy_log(path: Path) -> None:
    """Copy the pages of the log to the archive's file, as far as no reader needs the older ones.

    An error is logged only: SQLite copies them later.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except sqlite3.Error:
        log.warning("The log of the archive could not be copied to its file.", exc_info=True)


def open_reader(path: Path, busy_timeout: float = BUSY_TIMEOUT) -> sqlite3.Connection:
    """Open a connection that reads committed state and cannot write."""
    connection = sqlite3.connect(
        address(path), uri=True, timeout=busy_timeout, isolation_level=None, check_same_thread=False
    )  # closed from another thread than the reading one
    for pragma in ("query_only = 1", f"cache_size = {-MEMORY}", "temp_store = memory"):
        connection.execute(f"PRAGMA {pragma}")
    return connection
