"""The log of each session's leaf, read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.sessions import LeafMove

_QUERY = "SELECT key, before, after, time, reason FROM leaf_moves WHERE session = ? ORDER BY key"


class LeafMoveRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, session: int) -> list[LeafMove]:
        """Oldest first."""
        return [LeafMove(*row) for row in self._connection.execute(_QUERY, (session,)).fetchall()]
