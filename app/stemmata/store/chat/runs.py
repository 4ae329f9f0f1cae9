"""Runs under way and what has come of their replies, read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.chat.run import OpenRun, Partial, grown
from stemmata.domain.entries import blocks as block_codec
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored


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
        texts = self._texts(run)
        out = []
        for step, position, body, whole in self._connection.execute(query, (run,)).fetchall():
            block = block_codec.decode(from_json(body))[0]
            if not whole:
                block = grown(block, "".join(texts.get((step, position), ())))
            out.append(Partial(step, position, block, bool(whole)))
        return out

    def _texts(self, run: int) -> dict[tuple[int, int], list[str]]:
        """What open blocks have grown by, in order, by step and position."""
        query = "SELECT step, position, text FROM partial_texts WHERE run = ? ORDER BY step, position, part"
        out: dict[tuple[int, int], list[str]] = {}
        for step, position, text in self._connection.execute(query, (run,)).fetchall():
            out.setdefault((step, position), []).append(restored(text))
        return out
