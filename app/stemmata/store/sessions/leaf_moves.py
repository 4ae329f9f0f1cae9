"""The log of each session's leaf."""

from __future__ import annotations

from collections.abc import Iterator

from peewee import SqliteDatabase

from stemmata.domain.entries.session_facts import LeafMove
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.models import LeafMoveTable, SessionTable


class LeafMoveWriter:
    """Moves leaves. `writer` is the random number of this opening of the archive."""

    def __init__(self, database: SqliteDatabase, writer: int) -> None:
        self._database, self._writer = database, writer

    def move(self, session: int, entry: int | None, reason: str, time: int) -> None:
        """Set the session's leaf and log the move. Raises NotFoundError for an unknown session."""
        query = SessionTable.select(SessionTable.leaf).where(SessionTable.key == session)
        found = list(query.tuples().execute(self._database))
        if not found:
            raise NotFoundError(Phrase("Session {0} does not exist.", str(session)))
        move = {
            "session": session, "before": found[0][0], "after": entry, "time": time, "reason": reason,
            "writer": self._writer,
        }  # fmt: skip
        LeafMoveTable.insert(move).execute(self._database)
        SessionTable.update(leaf=entry).where(SessionTable.key == session).execute(self._database)


class LeafMoveRepository:
    """Reads the log. `writer` is the random number of this opening of the archive."""

    def __init__(self, database: SqliteDatabase, writer: int) -> None:
        self._database, self._writer = database, writer

    def of(self, session: int) -> Iterator[LeafMove]:
        """Iterate the moves of a session's leaf, the newest first.

        A row is read when it is asked for, because the log grows with every entry.
        """
        row = LeafMoveTable
        query = row.select(row.key, row.before, row.after, row.time, row.reason, row.writer)
        newest_first = query.where(row.session == session).order_by(row.key.desc())
        for key, before, after, time, reason, writer in newest_first.tuples().iterator(self._database):
            yield LeafMove(key, before, after, time, reason, writer not in (0, self._writer))
