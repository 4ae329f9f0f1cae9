"""What was being written in each session, read."""

from __future__ import annotations

import sqlite3

from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored


class DraftRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, session: int) -> str:
        """ "" for none."""
        row = self._connection.execute("SELECT text FROM drafts WHERE session = ?", (session,)).fetchone()
        return restored(row[0]) if row else ""

    def attached(self, session: int) -> tuple[Block, ...]:
        """What goes with it."""
        row = self._connection.execute("SELECT body FROM drafts WHERE session = ?", (session,)).fetchone()
        return block_codec.decode(from_json(row[0])) if row and row[0] else ()
