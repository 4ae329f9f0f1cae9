"""How far each file was read, and the files that are not read any more."""

from __future__ import annotations

from itertools import starmap
from typing import Any

from peewee import SqliteDatabase

from stemmata.domain.sources.reading import Checkpoint
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import ImportTable, LeftOutTable, SessionTable
from stemmata.store.core.stored_text import restored, stored
from stemmata.store.upkeep.integrity import sessions_with_lost_records

_STORED = ("path", "session", "size", "mtime", "offset", "lines", "head", "state", "version", "writes")
_UPSERT = f"""
    INSERT INTO imports ({", ".join(_STORED)}) VALUES ({", ".join(f":{name}" for name in _STORED)})
    ON CONFLICT (path) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _STORED[1:])}"""


def save_checkpoint(database: SqliteDatabase, checkpoint: Checkpoint, session: int, version: int | None) -> None:
    """Store how far a file was read. `version` is the version of the session's source that the file holds."""
    row = _row(checkpoint) | {"session": session, "version": version}
    connection_of(database).execute(_UPSERT, row)


def renew_checkpoint(database: SqliteDatabase, checkpoint: Checkpoint) -> None:
    """Store that a known file was read and all its sessions are as they were."""
    connection_of(database).execute(_RENEW, _row(checkpoint))


def _row(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "path": stored(checkpoint.path), "size": checkpoint.size, "mtime": checkpoint.mtime,
        "offset": checkpoint.offset, "lines": checkpoint.lines, "head": stored(checkpoint.head),
        "state": stored(checkpoint.state), "writes": checkpoint.writes,
    }  # fmt: skip


_COLUMNS = ("path", "size", "mtime", "offset", "lines", "head", "state", "writes")
_ALL = f"""
    SELECT {", ".join(f"imports.{name}" for name in _COLUMNS)}, sessions.source
    FROM imports JOIN sessions ON sessions.key = imports.session"""
_ONE = f"{_ALL} WHERE imports.path = ?"
_RENEW = f"UPDATE imports SET {', '.join(f'{name} = :{name}' for name in _COLUMNS[1:])} WHERE path = :path"


class ImportRepository:
    """Read checkpoints of files, and which files are left out."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def all(self) -> dict[str, Checkpoint]:
        """Return the checkpoints of all files, by path."""
        rows = connection_of(self._database).execute(_ALL).fetchall()
        return {checkpoint.path: checkpoint for checkpoint in starmap(_checkpoint, rows)}

    def one(self, path: str) -> Checkpoint | None:
        """Return the checkpoint of a file, None if the file was never read."""
        row = connection_of(self._database).execute(_ONE, (stored(path),)).fetchone()
        return None if row is None else _checkpoint(*row)

    def of_lost_records(self) -> list[str]:
        """Return the files that may still hold the records of entries that have lost theirs."""
        lost = sessions_with_lost_records(connection_of(self._database))
        files = ImportTable.select(ImportTable.path).where(ImportTable.session.in_(lost))
        sources = SessionTable.select(SessionTable.path).where(SessionTable.key.in_(lost) & (SessionTable.path != ""))
        found = {path for query in (files, sources) for (path,) in query.tuples().execute(self._database)}
        return [restored(path) for path in sorted(found)]

    def is_only_file(self, path: str, session: int) -> bool:
        """Return whether no other file than this one was read for the session."""
        others = ImportTable.select(ImportTable.path).where(
            (ImportTable.session == session) & (ImportTable.path != stored(path))
        )
        return not others.exists(self._database)

    def is_left_out(self, path: str) -> bool:
        """Return whether the session of this file was deleted, and the file not imported since."""
        found = LeftOutTable.select(LeftOutTable.path).where(LeftOutTable.path == stored(path))
        return bool(found.exists(self._database))


def _checkpoint(path: str, size: int, mtime: int, offset: int, lines: int, head: str, *rest: Any) -> Checkpoint:
    state, writes, source = rest
    return Checkpoint(restored(path), size, mtime, offset, lines, restored(head), restored(state), writes, source)
