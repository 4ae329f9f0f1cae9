"""The log of each session's leaf, read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from peewee import SqliteDatabase

from stemmata.domain.entries.session_facts import LeafMove
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.models import LeafMoveRow, SessionRow


class LeafMoveWriter:
    """`writer` is the number of this opening of the archive."""

    def __init__(self, database: SqliteDatabase, writer: int) -> None:
        self._database, self._writer = database, writer

    def move(self, session: int, entry: int | None, reason: str, time: int) -> None:
        """Raises NotFoundError for an unknown session."""
        query = SessionRow.select(SessionRow.leaf).where(SessionRow.key == session)
        found = list(query.tuples().execute(self._database))
        if not found:
            raise NotFoundError(Phrase("There is no session number {0}.", str(session)))
        move = {
            "session": session, "before": found[0][0], "after": entry, "time": time, "reason": reason,
            "writer": self._writer,
        }  # fmt: skip
        LeafMoveRow.insert(move).execute(self._database)
        SessionRow.update(leaf=entry).where(SessionRow.key == session).execute(self._database)


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
