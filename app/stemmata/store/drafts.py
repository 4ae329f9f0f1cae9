"""What was being written in each session, read."""

from __future__ import annotations

import sqlite3

from stemmata.store.stored_text import restored


class DraftRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, session: int) -> str:
        """ "" for none."""
        row = self._connection.execute("SELECT text FROM drafts WHERE session = ?", (session,)).fetchone()
        return restored(row[0]) if row else ""
