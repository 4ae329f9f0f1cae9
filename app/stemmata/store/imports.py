"""How far each file was read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.sessions import Checkpoint
from stemmata.store.stored_text import from_json, restored, stored

_QUERY = "SELECT json_group_array(json_array(path, size, mtime, offset, lines, head, state)) FROM imports"


class ImportRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self) -> dict[str, Checkpoint]:
        """By path, as it was given."""
        out: dict[str, Checkpoint] = {}
        for path, size, mtime, offset, lines, head, state in from_json(
            self._connection.execute(_QUERY).fetchone()[0]
        ):
            name = restored(path)
            out[name] = Checkpoint(name, size, mtime, offset, lines, head, restored(state))
        return out

    def save(self, checkpoint: Checkpoint, session: int) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO imports (path, session, size, mtime, offset, lines, head, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                stored(checkpoint.path), session, checkpoint.size, checkpoint.mtime, checkpoint.offset,
                checkpoint.lines, checkpoint.head, stored(checkpoint.state),
            ),
        )  # fmt: skip
