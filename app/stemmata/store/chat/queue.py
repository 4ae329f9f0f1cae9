"""Messages that wait until a run ends, read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from stemmata.domain.chat.run import Queued
from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block
from stemmata.store.core.stored_json import from_json, to_json


class QueueRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, session: int) -> list[Queued]:
        """In the order of their delivery."""
        query = "SELECT key, body, time FROM queue WHERE session = ? ORDER BY position, key"
        rows = self._connection.execute(query, (session,)).fetchall()
        return [Queued(key=key, blocks=block_codec.decode(from_json(body)), time=time) for key, body, time in rows]


def body_of(blocks: Iterable[Block]) -> str:
    return to_json(block_codec.encode(blocks))
