"""The list of sessions: find, open, name, star, archive, trash."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from stemmata.services.futures import then
from stemmata.services.notices import Notices

if TYPE_CHECKING:
    from stemmata.domain.entries.session import Session
    from stemmata.domain.entries.session_facts import Skeleton
    from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter

T = TypeVar("T")


class Sessions:
    """Every answer is a Future; changes are published once they are stored."""

    def __init__(self, archive: Archive, notices: Notices) -> None:
        self._archive = archive
        self._notices = notices

    def all(self, *, trashed: bool = False) -> Future[list[Session]]:
        """Newest first."""
        return self._archive.read(lambda reader: reader.sessions(trashed=trashed))

    def get(self, session: int) -> Future[Session]:
        return self._archive.read(lambda reader: reader.session(session))

    def find(self, name: str) -> Future[Session]:
        """By id, unique prefix, or `latest`. Fails with NotFoundError."""
        return self._archive.read(lambda reader: reader.find_session(name))

    def open(self, session: int) -> Future[Skeleton]:
        """The session with its whole tree."""

        def job(reader: ArchiveReader) -> Skeleton:
            from stemmata.domain.entries.session_facts import (
                Skeleton,  # with all of the tree: the list of sessions needs none
            )

            return Skeleton(reader.session(session), reader.tree(session))

        return self._archive.read(job)

    def tail(self, session: int, count: int) -> Future[tuple[Session, list[int]]]:
        """The session and the keys of the last entries of its active path: enough to paint at once."""

        def job(reader: ArchiveReader) -> tuple[Session, list[int]]:
            found = reader.session(session)
            return found, [] if found.leaf is None else reader.tail(found.leaf, count)

        return self._archive.read(job)

    def totals(self) -> Future[Mapping[str, int]]:
        return self._archive.read(lambda reader: reader.totals())

    def check(self) -> Future[list[str]]:
        """Integrity problems of the archive, in words; empty when all is well."""
        return self._archive.read(lambda reader: reader.check())

    def repair(self) -> Future[list[str]]:
        """Mend what `check` finds, as far as it can be; what was done, in words."""
        return self._published(self._archive.write(lambda writer: writer.repair()), None)

    def rename(self, session: int, title: str, initiator: object = None) -> Future[None]:
        """Give it this name, "" for none. It stays until the person takes it back, whatever the source says later."""
        name = title.strip()

        def job(writer: ArchiveWriter) -> None:
            from stemmata.domain.text.naming import named_here

            details = named_here(writer.session(session).details, on=bool(name))
            writer.update_session(session, title=name, details=details)

        return self._published(self._archive.write(job), initiator)

    def star(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        return self._update(sessions, initiator, starred=on)

    def put_away(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Archive the sessions, or bring them back."""
        return self._update(sessions, initiator, archived=on)

    def trash(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Move to the trash, or out of it. Nothing is deleted."""
        return self._update(sessions, initiator, trashed=on)

    def tag(self, sessions: list[int], tag: str, *, on: bool, initiator: object = None) -> Future[None]:
        """Give the sessions a tag, or take it away; those that have it already, or have it not, stay as they are."""

        def job(writer: ArchiveWriter) -> None:
            for session in sessions:
                others = [other for other in writer.session(session).tags if other != tag]
                writer.update_session(session, tags=[*others, tag] if on else others)

        return self._published(self._archive.write(job), initiator)

    def delete(self, sessions: list[int], initiator: object = None) -> Future[None]:
        """Delete for good. The only act that loses anything; callers ask first."""

        def job(writer: ArchiveWriter) -> None:
            for session in sessions:
                writer.delete_session(session)

        return self._published(self._archive.write(job), initiator)

    def _update(self, sessions: list[int], initiator: object, **facts: object) -> Future[None]:
        def job(writer: ArchiveWriter) -> None:
            for session in sessions:
                writer.update_session(session, **facts)

        return self._published(self._archive.write(job), initiator)

    def _published(self, future: Future[T], initiator: object) -> Future[T]:
        from stemmata.domain.entries.changes import (  # late, as the list is read before anything changes
            Change,
            ChangeSet,
        )

        def publish(result: T) -> T:
            self._notices.publish(ChangeSet(Change.SESSIONS, initiator=initiator))
            return result

        return then(future, publish)
