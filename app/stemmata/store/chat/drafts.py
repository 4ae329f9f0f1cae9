"""What was being written in each session, read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block, Image
from stemmata.store.chat.queue import body_of
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored


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


# Not what an entry shows, nor what waits to be sent, nor what goes with another draft.
UNUSED = """
    digest NOT IN (SELECT digest FROM blob_uses)
    AND NOT EXISTS (SELECT 1 FROM queue WHERE instr(queue.body, blobs.digest))
    AND NOT EXISTS (SELECT 1 FROM drafts WHERE instr(drafts.body, blobs.digest))"""


class DraftWriter(DraftRepository):
    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)

    def save(self, session: int, text: str, time: int, attached: Iterable[Block] | None) -> None:
        """One draft a session; an empty one is none. `attached` None leaves what is attached as it is."""
        before = self.attached(session)
        blocks = before if attached is None else tuple(attached)
        if text or blocks:
            body = body_of(blocks) if blocks else ""
            self._connection.execute(_SAVE, (session, stored(text), time, body))
        else:
            self._connection.execute("DELETE FROM drafts WHERE session = ?", (session,))
        self._drop(_digests(before) - _digests(blocks))

    def _drop(self, digests: Iterable[str]) -> None:
        """Bytes that went with the draft alone."""
        self._connection.executemany(
            f"DELETE FROM blobs WHERE digest = ? AND {UNUSED}", [(name,) for name in digests]
        )


def _digests(blocks: Iterable[Block]) -> set[str]:
    return {block.blob for block in blocks if isinstance(block, Image)}


_SAVE = """
    INSERT INTO drafts (session, text, time, body) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (session) DO UPDATE SET text = ?2, time = ?3, body = ?4"""
