"""How far each file was read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.sessions import Checkpoint
from stemmata.store.stored_json import from_json
from stemmata.store.stored_text import restored

# one JSON row: there may be ten thousand files
_QUERY = "SELECT json_group_array(json_array(path, size, mtime, offset, lines, head, state)) FROM imports"


class ImportRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self) -> dict[str, Checkpoint]:
        """By path, as it was given."""
        out: dict[str, Checkpoint] = {}
        (text,) = self._connection.execute(_QUERY).fetchone()
        for path, size, mtime, offset, lines, head, state in from_json(text):
            name = restored(path)
            out[name] = Checkpoint(name, size, mtime, offset, lines, restored(head), restored(state))
        return out
