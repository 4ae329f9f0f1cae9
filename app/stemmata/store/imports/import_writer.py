"""Storing how far a file was read."""

from __future__ import annotations

from peewee import SqliteDatabase

from stemmata.domain.entries.session_facts import Checkpoint
from stemmata.store.core.models import ImportRow
from stemmata.store.core.stored_text import stored


def save_checkpoint(database: SqliteDatabase, checkpoint: Checkpoint, session: int, version: int | None) -> None:
    """`version`: which of the session's source the file holds."""
    row = {
        "path": stored(checkpoint.path), "session": session, "size": checkpoint.size, "mtime": checkpoint.mtime,
        "offset": checkpoint.offset, "lines": checkpoint.lines, "head": stored(checkpoint.head),
        "state": stored(checkpoint.state), "version": version,
    }  # fmt: skip
    ImportRow.insert(row).on_conflict_replace().execute(database)
