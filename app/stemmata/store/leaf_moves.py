"""The leaf of each session and the log of its moves."""

from __future__ import annotations

import sqlite3

from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions import LeafMove


class LeafMoveRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, session: int) -> list[LeafMove]:
        """Oldest first."""
        query = "SELECT key, before, after, time, reason FROM leaf_moves WHERE session = ? ORDER BY key"
        return [LeafMove(*row) for row in self._connection.execute(query, (session,)).fetchall()]

    def move(self, session: int, entry: int | None, reason: str, time: int) -> None:
        """Raises NotFoundError for an unknown session."""
        row = self._connection.execute("SELECT leaf FROM sessions WHERE key = ?", (session,)).fetchone()
        if row is None:
            raise NotFoundError(f"There is no session number {session}.")
        self._connection.execute(
            "INSERT INTO leaf_moves (session, before, after, time, reason) VALUES (?, ?, ?, ?, ?)",
            (session, row[0], entry, time, reason),
        )
        self._connection.execute("UPDATE sessions SET leaf = ? WHERE key = ?", (entry, session))

    def drop(self, session: int, after: int) -> None:
        """Forget the moves younger than this one."""
        self._connection.execute("DELETE FROM leaf_moves WHERE session = ? AND key > ?", (session, after))
