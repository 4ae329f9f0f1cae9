"""The log of each session's leaf."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions.session import LeafMove
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.models import LeafMoveTable, SessionTable
from stemmata.store.core.rows import find_row, insert_row, update_row
from stemmata.store.sessions.steps import StepWriter

_NEWEST_FIRST = "SELECT key, before, after, time, reason, writer FROM leaf_moves WHERE session = ? ORDER BY key DESC"


class LeafMoveWriter:
    """Moves leaves. `writer` is the random number of this opening of the archive."""

    def __init__(self, connection: sqlite3.Connection, writer: int, steps: StepWriter) -> None:
        self._connection, self._writer, self._steps = connection, writer, steps

    def move(self, session: int, entry: int | None, reason: str, time: int) -> None:
        """Set the session's leaf, and log and record the move. Raises NotFoundError for an unknown session."""
        found = find_row(self._connection, SessionTable, ("leaf",), key=session)
        if found is None:
            raise NotFoundError(Phrase("Session {0} does not exist.", str(session)))
        move = {
            "session": session, "before": found[0], "after": entry, "time": time, "reason": reason,
            "writer": self._writer,
        }  # fmt: skip
        insert_row(self._connection, LeafMoveTable, move)
        update_row(self._connection, SessionTable, session, {"leaf": entry})
        self._steps.moved(session, found[0], entry, reason)


class LeafMoveRepository:
    """Reads the log of leaf moves. `writer` is the random number of this opening of the archive."""

    def __init__(self, connection: sqlite3.Connection, writer: int) -> None:
        self._connection, self._writer = connection, writer

    def of(self, session: int) -> Iterator[LeafMove]:
        """Iterate the moves of a session's leaf, the newest first.

        A row is read when it is asked for, because the log grows with every entry.
        """
        for key, before, after, time, reason, writer in self._connection.execute(_NEWEST_FIRST, (session,)):
            yield LeafMove(key, before, after, time, reason, writer not in (0, self._writer))
