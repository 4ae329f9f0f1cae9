"""Runs under way: begun, followed, ended."""

from __future__ import annotations

from stemmata.domain.chat.run import Partial, PartialText
from stemmata.store.chat.queue import body_of
from stemmata.store.chat.runs import RunRepository
from stemmata.store.core.stored_text import stored


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
