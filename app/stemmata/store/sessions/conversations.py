"""The current session of each conversation, by the conversation's key."""

from __future__ import annotations

from peewee import SqliteDatabase

from stemmata.store.core.database import connection_of
from stemmata.store.core.models import ConversationTable
from stemmata.store.core.rows import find_row
from stemmata.store.core.stored_text import stored


class ConversationRepository:
    """Read and change the current sessions of conversations."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def current(self, key: str) -> tuple[int, int] | None:
        """Return the current session of a conversation and the time (ns) it became so; None for an unknown key."""
        found = find_row(connection_of(self._database), ConversationTable, ("session", "time"), name=stored(key))
        return None if found is None else (found[0], found[1])

    def make_current(self, key: str, session: int, time: int) -> None:
        """Make a session the current one of a conversation."""
        row = ConversationTable
        insert = row.insert({"name": stored(key), "session": session, "time": time, "details": ""})
        insert.on_conflict(conflict_target=[row.name], preserve=[row.session, row.time]).execute(self._database)
