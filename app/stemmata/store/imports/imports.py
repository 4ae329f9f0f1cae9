"""How far each file was read."""

from __future__ import annotations

import sqlite3

from peewee import SqliteDatabase

from stemmata.domain.entries.session_facts import Checkpoint
from stemmata.store.core.models import ImportRow
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored
from stemmata.store.upkeep.integrity import LOST


def save_checkpoint(database: SqliteDatabase, checkpoint: Checkpoint, session: int, version: int | None) -> None:
    """`version`: which of the session's source the file holds."""
    row = {
        "path": stored(checkpoint.path), "session": session, "size": checkpoint.size, "mtime": checkpoint.mtime,
        "offset": checkpoint.offset, "lines": checkpoint.lines, "head": stored(checkpoint.head),
        "state": stored(checkpoint.state), "version": version,
    }  # fmt: skip
    ImportRow.insert(row).on_conflict_replace().execute(database)


_COLUMNS = "path, size, mtime, offset, lines, head, state"
# one JSON row: there may be ten thousand files
_QUERY = f"SELECT json_group_array(json_array({_COLUMNS})) FROM imports"


class ImportRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self) -> dict[str, Checkpoint]:
        """By path, as it was given."""
        out: dict[str, Checkpoint] = {}
        (text,) = self._connection.execute(_QUERY).fetchone()
        for row in from_json(text):
            checkpoint = _checkpoint(*row)
            out[checkpoint.path] = checkpoint
        return out

    def one(self, path: str) -> Checkpoint | None:
        row = self._connection.execute(f"SELECT {_COLUMNS} FROM imports WHERE path = ?", (stored(path),)).fetchone()
        return None if row is None else _checkpoint(*row)

    def of_lost_records(self) -> list[str]:
        """Files that may still hold the records of entries that have lost theirs."""

        query = f"""
            WITH bereft (session) AS (SELECT DISTINCT entries.session FROM {LOST})
            SELECT path FROM imports WHERE session IN (SELECT session FROM bereft)
            UNION SELECT path FROM sessions WHERE key IN (SELECT session FROM bereft) AND path <> '' ORDER BY 1"""
        return [restored(path) for (path,) in self._connection.execute(query).fetchall()]

    def is_left_out(self, path: str) -> bool:
        """Whether the session of this file was deleted, and the file not imported since."""
        found = self._connection.execute("SELECT 1 FROM left_out WHERE path = ?", (stored(path),)).fetchone()
        return found is not None


def _checkpoint(path: str, size: int, mtime: int, offset: int, lines: int, head: str, state: str) -> Checkpoint:
    return Checkpoint(restored(path), size, mtime, offset, lines, restored(head), restored(state))
