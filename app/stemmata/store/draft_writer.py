"""What is being written in a session, kept."""

from __future__ import annotations

from peewee import SqliteDatabase

from stemmata.store.rows import DraftRow
from stemmata.store.stored_text import stored


def save_draft(database: SqliteDatabase, session: int, text: str, time: int) -> None:
    """One draft a session; an empty one is none."""
    if text:
        row = {"session": session, "text": stored(text), "time": time}
        DraftRow.insert(row).on_conflict_replace().execute(database)
    else:
        DraftRow.delete().where(DraftRow.session == session).execute(database)
