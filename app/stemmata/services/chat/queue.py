"""The queue of a session as its owners see it: every change is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from stemmata.domain.chat.run import Outgoing, QueueChanged, Queued
from stemmata.domain.entries.blocks import Block
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.run_states import RunBoard
from stemmata.services.ports.archive import Archive, ArchiveWriter, Clock

Change = Callable[[ArchiveWriter], None]


class RunQueue:
    """On the io loop, where watchers are told."""

    def __init__(self, archive: Archive, board: RunBoard, clock: Clock) -> None:
        self.archive = archive
        self._board, self._clock = board, clock

    def of(self, session: int) -> Future[tuple[Queued, ...]]:
        return self.archive.read(lambda reader: tuple(reader.queued(session)))

    async def add(self, session: int, message: Outgoing) -> None:
        def job(writer: ArchiveWriter) -> None:
            for digest, data in message.files.items():
                writer.add_blob(digest, data)
            writer.enqueue(session, message.blocks, time=self._clock.now())
            writer.save_draft(session, "", time=self._clock.now())

        await self._changed(session, job)

    async def change(self, session: int, key: int, blocks: Sequence[Block]) -> None:
        await self._changed(session, lambda writer: writer.change_queued(session, key, blocks))

    async def move(self, session: int, key: int, position: int) -> None:
        await self._changed(session, lambda writer: writer.move_queued(session, key, position))

    async def drop(self, session: int, key: int) -> None:
        await self._changed(session, lambda writer: writer.drop_queued(session, key))

    async def tell(self, session: int) -> None:
        self._board.tell(QueueChanged(session, await settled(self.of(session))))

    async def _changed(self, session: int, change: Change) -> None:
        def job(writer: ArchiveWriter) -> tuple[Queued, ...]:
            change(writer)
            return tuple(writer.queued(session))

        self._board.tell(QueueChanged(session, await settled(self.archive.write(job))))
