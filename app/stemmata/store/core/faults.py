"""What SQLite's errors mean to the person in front of the screen."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stemmata.domain.errors import KnownError, NotStoredError
from stemmata.domain.text.phrases import Phrase, template

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
    sqlite3.SQLITE_PERM: template("The archive may not be opened. Check the permissions of the file and its folder."),
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


def known(error: BaseException, path: Path) -> BaseException:
    """The error as a KnownError when the user can act on it; any other error as it is (a bug)."""
    code = _code_of(error)
    text = None if code is None else _TEXTS.get(code & 0xFF)
    if text is None:
        return error
    kind = NotStoredError if code is not None and code & 0xFF in _PASSING else KnownError
    return kind(Phrase("{0}\n{1}", Phrase(text, _KEPT), path))


def read_only(path: Path) -> NotStoredError:
    """The error for an archive that may only be read."""
    return NotStoredError(Phrase("{0}\n{1}", Phrase(_TEXTS[sqlite3.SQLITE_READONLY], _KEPT), path))


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors of the database inside, told as KnownError where the user can act on them."""
    try:
        yield
    except Exception as error:
        fault = known(error, path)
        if fault is error:
            raise
        raise fault from error


def _code_of(error: BaseException) -> int | None:
    """SQLite's error code; peewee wraps the original as the first argument."""
    for candidate in (error, *error.args[:1]):
        if isinstance(candidate, sqlite3.Error):
            return getattr(candidate, "sqlite_errorcode", None)
    return None
