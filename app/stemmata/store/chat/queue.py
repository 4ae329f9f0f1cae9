"""Messages that wait until a run ends, read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from stemmata.domain.chat.run import Queued
from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
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


class QueueWriter(QueueRepository):
    """All methods raise NotFoundError for a message that does not wait (any more)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)

    def add(self, session: int, blocks: Iterable[Block], time: int) -> int:
        """At the end; its key."""
        added = self._connection.execute(_ADD, (session, body_of(blocks), time))
        return int(added.lastrowid or 0)

    def change(self, session: int, key: int, blocks: Iterable[Block]) -> None:
        query = "UPDATE queue SET body = ? WHERE session = ? AND key = ?"
        self._one(self._connection.execute(query, (body_of(blocks), session, key)))

    def move(self, session: int, key: int, position: int) -> None:
        """To this place, counted from 0; beyond the end is the end."""
        keys = [queued.key for queued in self.of(session)]
        if key not in keys:
            raise NotFoundError(_GONE)
        keys.remove(key)
        keys.insert(max(0, position), key)
        places = [(at, key) for at, key in enumerate(keys)]
        self._connection.executemany("UPDATE queue SET position = ? WHERE key = ?", places)

    def drop(self, session: int, key: int) -> None:
        self._one(self._connection.execute("DELETE FROM queue WHERE session = ? AND key = ?", (session, key)))

    def take(self, session: int) -> Queued | None:
        """The first one, which waits no longer; None when there is none."""
        first = next(iter(self.of(session)), None)
        if first is not None:
            self.drop(session, first.key)
        return first

    @staticmethod
    def _one(changed: sqlite3.Cursor) -> None:
        if changed.rowcount != 1:
            raise NotFoundError(_GONE)


_GONE = Phrase("The message is not in the queue any more: it was sent or taken out.")
_ADD = """
    INSERT INTO queue (session, position, body, time)
    VALUES (?1, (SELECT ifnull(max(position) + 1, 0) FROM queue WHERE session = ?1), ?2, ?3)"""
