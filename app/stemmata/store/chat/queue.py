"""Messages that wait until a run ends."""

from __future__ import annotations

from collections.abc import Iterable

from peewee import Expression, SqliteDatabase, fn

from stemmata.domain.chat.run import QueuedMessage
from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.models import QueueTable
from stemmata.store.core.stored_json import from_json, to_json


class QueueRepository:
    """Reads the messages that wait for the end of a run."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def of(self, session: int) -> list[QueuedMessage]:
        """Return the waiting messages of a session in the order of their delivery."""
        query = QueueTable.select(QueueTable.key, QueueTable.body, QueueTable.time).where(
            QueueTable.session == session
        )
        rows = query.order_by(QueueTable.position, QueueTable.key).tuples().execute(self._database)
        return [
            QueuedMessage(key=key, blocks=block_codec.decode(from_json(body)), time=time) for key, body, time in rows
        ]


def body_of(blocks: Iterable[Block]) -> str:
    """Return blocks as the JSON text in which drafts, queued messages and partial replies are stored."""
    return to_json(block_codec.encode(blocks))


class QueueWriter(QueueRepository):
    """Change a session's queue. Methods raise NotFoundError for a message that is not in the queue any more."""

    def add(self, session: int, blocks: Iterable[Block], time: int) -> int:
        """Add a message at the end; returns its key."""
        last = QueueTable.select(fn.MAX(QueueTable.position)).where(QueueTable.session == session)
        position = last.scalar(self._database)
        row = {
            "session": session, "position": 0 if position is None else position + 1, "body": body_of(blocks),
            "time": time,
        }  # fmt: skip
        key: int = QueueTable.insert(row).execute(self._database)
        return key

    def change(self, session: int, key: int, blocks: Iterable[Block]) -> None:
        """Replace the content of a message."""
        change = QueueTable.update(body=body_of(blocks)).where(_is(session, key))
        self._expect_one(change.execute(self._database))

    def move(self, session: int, key: int, position: int) -> None:
        """Move a message to a position, counted from 0; a position beyond the end is the end."""
        keys = [queued.key for queued in self.of(session)]
        if key not in keys:
            raise NotFoundError(_GONE)
        keys.remove(key)
        keys.insert(max(0, position), key)
        for at, each in enumerate(keys):
            QueueTable.update(position=at).where(QueueTable.key == each).execute(self._database)

    def drop(self, session: int, key: int) -> None:
        """Remove a message."""
        self._expect_one(QueueTable.delete().where(_is(session, key)).execute(self._database))

    def hand_over(self, session: int, to: int) -> None:
        """Move all queued messages of a session to the end of the queue of the session `to`."""
        last = QueueTable.select(fn.MAX(QueueTable.position)).where(QueueTable.session == to).scalar(self._database)
        first = 0 if last is None else last + 1
        for at, queued in enumerate(self.of(session)):
            moved = QueueTable.update(session=to, position=first + at).where(QueueTable.key == queued.key)
            moved.execute(self._database)

    def take(self, session: int) -> QueuedMessage | None:
        """Remove the first message and return it; None if the queue is empty."""
        first = next(iter(self.of(session)), None)
        if first is not None:
            self.drop(session, first.key)
        return first

    @staticmethod
    def _expect_one(changed: int) -> None:
        if changed != 1:
            raise NotFoundError(_GONE)


def _is(session: int, key: int) -> Expression:
    return (QueueTable.session == session) & (QueueTable.key == key)


_GONE = Phrase("The message is no longer in the queue: it was sent or deleted.")
