"""Runs under way and what has come of their replies, read."""

from __future__ import annotations

import sqlite3

from stemmata.domain import blocks as block_codec
from stemmata.domain.runs import OpenRun, Partial
from stemmata.store.stored_json import from_json
from stemmata.store.stored_text import restored


class RunRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self) -> list[OpenRun]:
        """Oldest first."""
        query = "SELECT key, session, owner, tip, connection, model, started FROM runs ORDER BY key"
        return [
            OpenRun(
                run=key, session=session, owner=owner, tip=tip, connection=restored(connection),
                model=restored(model), started=started,
            )
            for key, session, owner, tip, connection, model, started in self._connection.execute(query).fetchall()
        ]  # fmt: skip

    def partials(self, run: int) -> list[Partial]:
        """In the order of the reply."""
        query = "SELECT step, position, body, whole FROM partials WHERE run = ? ORDER BY step, position"
        return [
            Partial(step, position, block_codec.decode(from_json(body))[0], bool(whole))
            for step, position, body, whole in self._connection.execute(query, (run,)).fetchall()
        ]
