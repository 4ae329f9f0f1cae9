"""What was being written in a session and not sent: kept until it is sent or cleared."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from stemmata.domain.errors import NotFoundError

if TYPE_CHECKING:
    from stemmata.services.ports import Archive, ArchiveWriter, Clock


class Drafts:
    """Nothing is published: only the composer shows a draft, and it is where it came from."""

    def __init__(self, archive: Archive, clock: Clock) -> None:
        self._archive = archive
        self._clock = clock

    def get(self, session: int) -> Future[str]:
        """The session's draft, "" for none."""
        return self._archive.read(lambda reader: reader.draft(session))

    def save(self, session: int, text: str) -> Future[bool]:
        """Keep the draft, "" for none. False when the session was deleted meanwhile: its draft goes too."""
        time = self._clock.now()

        def job(writer: ArchiveWriter) -> bool:
            try:
                writer.save_draft(session, text, time=time)
            except NotFoundError:
                return False
            return True

        return self._archive.write(job)
