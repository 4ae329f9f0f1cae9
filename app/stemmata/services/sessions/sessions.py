"""The list of sessions: find, open, name, star, archive, trash."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader

if TYPE_CHECKING:
    from stemmata.domain.entries.session_facts import Session, Skeleton
    from stemmata.services.ports.archive import ArchiveWriter


ANYTHING = Change.SESSIONS | Change.ENTRIES | Change.LEAF | Change.MARKS


class Watching:
    def __init__(self, archive: Archive, notices: Notices) -> None:
        self._archive, self._notices = archive, notices

    def look(self) -> Future[bool]:
        """Publish a change when somebody else wrote since the last look. What was written is not known."""
        return then(self._archive.changed_elsewhere(), lambda changed: self._tell(changed=changed))

    def _tell(self, *, changed: bool) -> bool:
        if changed:
            self._notices.publish(ChangeSet(ANYTHING))
        return changed


PAGE = 64  # bodies in memory at once


class Entries:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def ids(self, session: int) -> Future[list[str]]:
        """Source ids of the session's entries, in the order of its tree."""
        return self._archive.read(lambda reader: reader.ids(session))

    def key(self, session: int, id: str) -> Future[int]:
        """Key of an entry by its source id or a unique prefix of one. Fails with NotFoundError."""
        return self._archive.read(lambda reader: reader.entry_key(session, id))

    def previews(self, session: int) -> Future[list[str]]:
        """One line for each entry, in the order of the session's tree."""
        return self._archive.read(lambda reader: reader.previews(session))

    def rows(self, keys: Sequence[int]) -> Future[dict[int, EntryRow]]:
        return self._archive.read(lambda reader: reader.rows(keys))

    def bodies(self, keys: Sequence[int]) -> Future[dict[int, Body]]:
        return self._archive.read(lambda reader: reader.bodies(keys))

    def blob(self, digest: str) -> Future[bytes | None]:
        """The bytes of a picture or a file; None where the archive does not have them."""
        return self._archive.read(lambda reader: reader.blob(digest))

    def occurrences(self, keys: Sequence[int], text: str, *, named: Collection[int] = ()) -> Future[dict[int, int]]:
        """How often the text stands in each of these entries, by key; those without it are left out.

        Of entries in `named` the name is looked through as well: the command that was run.
        """
        from stemmata.domain.search.finding import occurrences

        needle = text.lower()

        def job(reader: ArchiveReader) -> dict[int, int]:
            found: dict[int, int] = {}
            for start in range(0, len(keys), PAGE):
                page = keys[start : start + PAGE]
                found.update((key, occurrences(body, needle)) for key, body in reader.bodies(page).items())
                for key, row in reader.rows([key for key in page if key in named]).items():
                    found[key] = found.get(key, 0) + row.name.lower().count(needle)
            return {key: count for key, count in found.items() if count}

        return self._archive.read(job)

    def record(self, key: int) -> Future[bytes | None]:
        """The source record, byte for byte; None for an entry made here."""
        return self._archive.read(lambda reader: reader.record(key))


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
            from stemmata.domain.entries.session_facts import named_here

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
