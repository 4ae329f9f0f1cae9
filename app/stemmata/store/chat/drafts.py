"""Drafts: the unsent message of each session, with its attachments."""

from __future__ import annotations

from collections.abc import Iterable

from peewee import Expression, SqliteDatabase, fn

from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block, Image
from stemmata.store.chat.queue import body_of
from stemmata.store.core.models import BlobTable, BlobUseTable, DraftTable, QueueTable
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored


class DraftRepository:
    """Reads the drafts of messages that were not sent yet."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def of(self, session: int) -> str:
        """Return the text of the session's draft, "" without one."""
        return restored(self._row(session)[0])

    def attached(self, session: int) -> tuple[Block, ...]:
        """Return the blocks that are attached to the session's draft."""
        body = self._row(session)[1]
        return block_codec.decode(from_json(body)) if body else ()

    def _row(self, session: int) -> tuple[str, str]:
        query = DraftTable.select(DraftTable.text, DraftTable.body).where(DraftTable.session == session)
        return next(iter(query.tuples().execute(self._database)), ("", ""))


class DraftWriter(DraftRepository):
    """Read and write drafts."""

    def save(self, session: int, text: str, time: int, attached: Iterable[Block] | None) -> None:
        """Store the session's draft, or delete it if it is empty. `attached` None keeps the stored attachments."""
        before = self.attached(session)
        blocks = before if attached is None else tuple(attached)
        if text or blocks:
            row = {"session": session, "text": stored(text), "time": time, "body": body_of(blocks) if blocks else ""}
            upsert = DraftTable.insert(row).on_conflict(
                conflict_target=[DraftTable.session], preserve=[DraftTable.text, DraftTable.time, DraftTable.body]
            )
            upsert.execute(self._database)
        else:
            DraftTable.delete().where(DraftTable.session == session).execute(self._database)
        dropped = _digests(before) - _digests(blocks)
        if dropped:
            delete_unused_blobs(self._database, BlobTable.digest.in_(dropped))


def delete_unused_blobs(database: SqliteDatabase, among: Expression | None = None) -> None:
    """Delete the blobs that no entry, queued message or draft refers to; `among` limits it to some blobs."""
    used = BlobUseTable.select(BlobUseTable.digest)
    queued = QueueTable.select(QueueTable.key).where(QueueTable.body.contains(BlobTable.digest))
    drafted = DraftTable.select(DraftTable.session).where(DraftTable.body.contains(BlobTable.digest))
    unused = BlobTable.digest.not_in(used) & ~fn.EXISTS(queued) & ~fn.EXISTS(drafted)
    BlobTable.delete().where(unused if among is None else among & unused).execute(database)


def _digests(blocks: Iterable[Block]) -> set[str]:
    return {block.blob for block in blocks if isinstance(block, Image)}
