"""Moving the leaf of a session, and the log of its moves."""

from __future__ import annotations

from peewee import SqliteDatabase

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
