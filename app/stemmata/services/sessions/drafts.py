"""Drafts: unsent text and attachments of a session, kept until they are sent or cleared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TypeAlias

from stemmata.domain.entries.blocks import Block, Image, split_attachments
from stemmata.domain.errors import NotFoundError
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock

Kept: TypeAlias = "tuple[Block, bytes | None]"  # a block with the bytes that it refers to, or None


class Drafts:
    """Reads and stores drafts. Changes are not published, because only the composer shows a draft."""

    def __init__(self, archive: Archive, clock: Clock) -> None:
        self._archive = archive
        self._clock = clock

    def get(self, session: int) -> Future[str]:
        """Return the session's draft; "" for none."""
        return self._archive.read(lambda reader: reader.draft(session))

    def attached(self, session: int) -> Future[tuple[Kept, ...]]:
        """Return the attachments of the session's draft."""
        return self._archive.read(lambda reader: _kept(reader, reader.draft_attached(session)))

    def of_prompt(self, entry: int) -> Future[tuple[str, tuple[Kept, ...]]]:
        """Return text and attachments of a stored prompt, so that the user can edit it."""

        def job(reader: ArchiveReader) -> tuple[str, tuple[Kept, ...]]:
            body = reader.bodies([entry]).get(entry)
            attached, said = split_attachments(() if body is None else body.blocks)
            return said, _kept(reader, attached)

        return self._archive.read(job)

    def save(
        self,
        session: int,
        text: str | None,
        attached: Sequence[Block] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Future[bool]:
        """Store a draft in one transaction. An empty text without attachments deletes the draft.

        `text` None keeps the stored text, `attached` None keeps the stored attachments. `files` are the bytes that
        the
        attachments refer to, by SHA-256 in hex. Returns False when the session was deleted meanwhile.
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
