"""What was being written in a session and not sent: kept until it is sent or cleared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TypeAlias

from stemmata.domain.entries.blocks import Block, Image, parted
from stemmata.domain.errors import NotFoundError
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock

Kept: TypeAlias = "tuple[Block, bytes | None]"  # with the bytes that it names, None for none


class Drafts:
    """Nothing is published: only the composer shows a draft, and it is where it came from."""

    def __init__(self, archive: Archive, clock: Clock) -> None:
        self._archive = archive
        self._clock = clock

    def get(self, session: int) -> Future[str]:
        """The session's draft, "" for none."""
        return self._archive.read(lambda reader: reader.draft(session))

    def attached(self, session: int) -> Future[tuple[Kept, ...]]:
        """What is attached to it."""
        return self._archive.read(lambda reader: _kept(reader, reader.draft_attached(session)))

    def of_prompt(self, entry: int) -> Future[tuple[str, tuple[Kept, ...]]]:
        """What was typed and attached when this prompt was written, to be written anew."""

        def job(reader: ArchiveReader) -> tuple[str, tuple[Kept, ...]]:
            body = reader.bodies([entry]).get(entry)
            attached, said = parted(() if body is None else body.blocks)
            return said, _kept(reader, attached)

        return self._archive.read(job)

    def save(
        self,
        session: int,
        text: str | None,
        attached: Sequence[Block] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Future[bool]:
        """Keep the draft, all of it at once, "" and nothing attached for none.

        `text` None leaves the text as it was kept, `attached` None what is attached; `files` are bytes that are
        named, by their SHA-256 in hex. False when the session was deleted meanwhile: its draft goes too.
        """
        time = self._clock.now()

        def job(writer: ArchiveWriter) -> bool:
            try:
                writer.session(session)
            except NotFoundError:
                return False
            for digest, data in (files or {}).items():
                writer.add_blob(digest, data)
            words = writer.draft(session) if text is None else text
            writer.save_draft(session, words, time=time, attached=attached)
            return True

        return self._archive.write(job)


def _kept(reader: ArchiveReader, blocks: Sequence[Block]) -> tuple[Kept, ...]:
    return tuple((block, reader.blob(block.blob) if isinstance(block, Image) else None) for block in blocks)
