"""Finalises sessions that the user has left: stores a summary with the session, and marks it as finalised.

A finalised session can be opened and continued like any other. Its next message opens it again; the stored summary
stays until the session is finalised again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import Future

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.interrupt import settled
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter

TRIGGER = "finalise"


class Finalising:
    """Finalises sessions, on the io loop.

    `write` returns the text of a summary, by the digest or a model. `note` stores a text in a session.
    """

    def __init__(
        self,
        archive: Archive,
        notices: Notices,
        write: Callable[[CompactionRequest], Awaitable[str]],
        note: Callable[..., Future[int]],
    ) -> None:
        self._archive, self._notices = archive, notices
        self._write, self._note = write, note

    async def finalise(self, session: int) -> None:
        """Store a summary of the session's whole context, and mark the session as finalised.

        A session without messages and a finalised session stay unchanged. When a model writes no summary, a note
        gives the reason, and the session stays open.
        """
        found = await settled(self._archive.read(lambda reader: _open_leaf(reader, session)))
        if found is None:
            return
        leaf, last = found
        try:
            text = await self._write(CompactionRequest(session=session, leaf=leaf, trigger=TRIGGER, whole=True))
        except NothingToDoError:  # everything is in the summary of the last compaction
            text = await settled(self._archive.read(lambda reader: _last_summary(reader, session, leaf)))
        except KnownError as error:
            told = Phrase("The session was not finalised, because its summary could not be written: {0}", str(error))
            await settled(self._note(session, told, ""))
            return
        if text:
            await settled(self._archive.write(lambda writer: _store(writer, session, text, last)))
            self._notices.publish(ChangeSet(Change.SESSIONS, session))


def _open_leaf(reader: ArchiveReader, session: int) -> tuple[int, int] | None:
    """Return the leaf of an open session and its newest entry; None for an empty or a finalised session."""
    found = reader.session(session)
    if found.leaf is None or found.finalised is not None:
        return None
    return found.leaf, reader.tree(session).newest_key


def _last_summary(reader: ArchiveReader, session: int, leaf: int) -> str:
    tree = reader.tree(session)
    entry = context_at(tree, tree.get(leaf)).compaction_entry
    if entry is None:
        return ""
    key = tree.key(entry)
    return plain_text(reader.bodies([key])[key].blocks)


def _store(writer: ArchiveWriter, session: int, text: str, last: int) -> None:
    """Store the summary. The session stays open when it got messages since `last`."""
    writer.update_session(session, summary=text, finalised=last)
    writer.refresh(session)
