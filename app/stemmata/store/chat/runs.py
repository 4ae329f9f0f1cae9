"""Runs under way and what has come of their replies, read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.chat.run import OpenRun, Partial, PartialText, grown
from stemmata.domain.entries import blocks as block_codec
from stemmata.store.chat.queue import body_of
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored


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


class RunWriter(RunRepository):
    def begin(self, session: int, owner: str, *, time: int) -> int:
        """Its number, which counts up over all sessions."""
        query = "INSERT INTO runs (session, owner, connection, model, started) VALUES (?, ?, '', '', ?)"
        return int(self._connection.execute(query, (session, owner, time)).lastrowid or 0)

    def follow(self, run: int, tip: int | None, connection: str, model: str) -> None:
        """Where it stands now, and whom it asks."""
        query = "UPDATE runs SET tip = ?, connection = ?, model = ? WHERE key = ?"
        self._connection.execute(query, (tip, stored(connection), stored(model), run))

    def save_partial(self, run: int, partial: Partial) -> None:
        """In place of what was kept of the block before; no harm when the run has ended meanwhile."""
        values = (run, partial.step, partial.position, int(partial.whole), body_of([partial.block]))
        self._connection.execute(_SAVE, values)
        place = (run, partial.step, partial.position)
        self._connection.execute("DELETE FROM partial_texts WHERE run = ? AND step = ? AND position = ?", place)

    def grow_partial(self, run: int, more: PartialText) -> None:
        """One more row, however long the block is by now; no harm when the run has ended meanwhile."""
        self._connection.execute(_GROW, (run, more.step, more.position, stored(more.text)))

    def drop_partials(self, run: int) -> None:
        self._connection.execute("DELETE FROM partials WHERE run = ?", (run,))
        self._connection.execute("DELETE FROM partial_texts WHERE run = ?", (run,))

    def end(self, run: int) -> None:
        """With all that was kept of its reply."""
        self._connection.execute("DELETE FROM runs WHERE key = ?", (run,))


_SAVE = """
    INSERT OR REPLACE INTO partials (run, step, position, whole, body)
    SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM runs WHERE key = ?1)"""
_GROW = """
    INSERT INTO partial_texts (run, step, position, part, text)
    SELECT ?1, ?2, ?3, 1 + ifnull((
        SELECT max(part) FROM partial_texts WHERE run = ?1 AND step = ?2 AND position = ?3
    ), 0), ?4 WHERE EXISTS (SELECT 1 FROM runs WHERE key = ?1)"""
