"""The log of each session's leaf, read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from stemmata.domain.entries.session_facts import LeafMove

_QUERY = """
    SELECT key, before, after, time, reason, writer NOT IN (0, ?) FROM leaf_moves
    WHERE session = ? ORDER BY key DESC"""


class LeafMoveRepository:
    """`writer` is the number of this opening of the archive."""

    def __init__(self, connection: sqlite3.Connection, writer: int) -> None:
        self._connection, self._writer = connection, writer

    def of(self, session: int) -> Iterator[LeafMove]:
        """Newest first; each is read when it is asked for: the log grows with every entry that is said."""
        rows = self._connection.execute(_QUERY, (self._writer, session))
        for key, before, after, time, reason, elsewhere in rows:
            yield LeafMove(key, before, after, time, reason, bool(elsewhere))
