"""How far each file was read."""

from __future__ import annotations

from peewee import SqliteDatabase

from stemmata.domain.sessions import Checkpoint
from stemmata.store.database import connection_of
from stemmata.store.rows import ImportRow
from stemmata.store.stored_text import from_json, restored, stored

# one JSON row: there may be ten thousand files
_QUERY = "SELECT json_group_array(json_array(path, size, mtime, offset, lines, head, state)) FROM imports"


class ImportRepository:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def all(self) -> dict[str, Checkpoint]:
        """By path, as it was given."""
        out: dict[str, Checkpoint] = {}
        (text,) = connection_of(self._database).execute(_QUERY).fetchone()
        for path, size, mtime, offset, lines, head, state in from_json(text):
            name = restored(path)
            out[name] = Checkpoint(name, size, mtime, offset, lines, restored(head), restored(state))
        return out

    def save(self, checkpoint: Checkpoint, session: int) -> None:
        row = {
            "path": stored(checkpoint.path), "session": session, "size": checkpoint.size, "mtime": checkpoint.mtime,
            "offset": checkpoint.offset, "lines": checkpoint.lines, "head": stored(checkpoint.head),
            "state": stored(checkpoint.state),
        }  # fmt: skip
        ImportRow.insert(row).on_conflict_replace().execute(self._database)
