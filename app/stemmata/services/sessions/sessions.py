"""The sessions of the archive: list, find, open, rename, star, archive, trash, delete."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, TypeVar

from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.details import with_compacted_by_hand, with_named_here, with_summariser, with_verbosity
from stemmata.domain.sessions.lineage import ForkPoint
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.sessions.steps import Fact, StepChange, tags_value, title_value
from stemmata.services.futures import run_in_thread, then
from stemmata.services.notices import Notices

if TYPE_CHECKING:
    from stemmata.domain.entries.entry_rows import Body, EntryRow
    from stemmata.domain.sessions.session import Session
    from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter


ANYTHING = Change.SESSIONS | Change.ENTRIES | Change.LEAF | Change.MARKS
PAGE = 64  # bodies in memory at a time
AT_ONCE = 200  # entries of one of the jobs that read many
T = TypeVar("T")


class Watching:
    """Detects writes of other processes."""

    def __init__(self, archive: Archive, notices: Notices) -> None:
        self._archive, self._notices = archive, notices

    def look(self) -> Future[bool]:
        """Publish a change set when another process wrote since the last call; the change set names no session."""
        return then(self._archive.changed_elsewhere(), lambda changed: self._tell(changed=changed))

    def _tell(self, *, changed: bool) -> bool:
        if changed:
            self._notices.publish(ChangeSet(ANYTHING))
        return changed


class Entries:
    """Reads entries: ids, keys, previews, rows and bodies."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def ids(self, session: int) -> Future[list[str]]:
        """Return the source ids of the session's entries, in the order of its tree."""
        return self._archive.read(lambda reader: reader.ids(session))

    def key(self, session: int, id: str) -> Future[int]:
        """Return the key of an entry by its source id or a unique prefix of it. Fails with NotFoundError."""
        return self._archive.read(lambda reader: reader.entry_key(session, id))

    def previews(self, session: int) -> Future[list[str]]:
        """Return one line of text per entry, in the order of the session's tree."""
        return self._archive.read(lambda reader: reader.previews(session))

    def rows(self, keys: Sequence[int]) -> Future[dict[int, EntryRow]]:
        """Return the rows of entries by key; missing entries are left out."""
        return self._archive.read(lambda reader: reader.rows(keys))

    def bodies(self, keys: Sequence[int], *, limit: int | None = None) -> Future[dict[int, Body]]:
        """Return the bodies of entries by key, each block cut at `limit` characters; missing entries are left out."""
        if limit is not None:
            return self._archive.read(lambda reader: reader.cut_bodies(keys, limit))
        return self._archive.read(lambda reader: reader.bodies(keys))

    def visit(
        self,
        keys: Sequence[int],
        take: Callable[[Sequence[int], dict[int, EntryRow], dict[int, Body]], object],
        is_wanted: Callable[[], bool] = lambda: True,
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> Future[None]:
        """Read many entries whole, in short jobs, and pass each part of them to `take`, on a separate thread.

        `tell` is called with the percentage of them that was read. Fails with CancelledError once `is_wanted` is
        false.
        """

        def read(part: Sequence[int]) -> tuple[dict[int, EntryRow], dict[int, Body]]:
            return self._archive.read(lambda reader: (reader.rows(part), reader.bodies(part))).result()

        def work() -> None:
            for start in range(0, len(keys), AT_ONCE):
                if not is_wanted():
                    raise CancelledError
                part = keys[start : start + AT_ONCE]
                take(part, *read(part))
                tell(100 * (start + len(part)) // len(keys))

        return run_in_thread(work)

    def blob(self, digest: str) -> Future[bytes | None]:
        """Return the bytes of an image or a file by SHA-256 in hex; None when the archive lacks them."""
        return self._archive.read(lambda reader: reader.blob(digest))

    def counts(
        self,
        keys: Sequence[int],
        count: Callable[[Body, str], int],
        *,
        named: Collection[int] = (),
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Future[dict[int, int]]:
        """Return the results of `count` for the body and the name of each entry, by key, without zeros.

        The name, such as the command that ran, is "" except for entries in `named`. `count` runs on the db thread.
        Fails with CancelledError once `is_wanted` is false, so that a search for less text does not delay the next.
        """

        def job(reader: ArchiveReader) -> dict[int, int]:
            found: dict[int, int] = {}
            for start in range(0, len(keys), PAGE):
                if not is_wanted():
                    raise CancelledError
                page = keys[start : start + PAGE]
                rows = reader.rows([key for key in page if key in named])
                for key, body in reader.bodies(page).items():
                    found[key] = count(body, rows[key].name if key in rows else "")
            return {key: count for key, count in found.items() if count}

        return self._archive.read(job)

    def record(self, key: int) -> Future[bytes | None]:
        """Return an entry's source record, byte for byte; None for an entry created in Stemmata."""
        return self._archive.read(lambda reader: reader.record(key))


class Sessions:
    """Reads and changes sessions. Methods return futures; changes are published after they are stored."""

    def __init__(self, archive: Archive, notices: Notices) -> None:
        self.archive = archive
        self.notices = notices

    def all(self, *, trashed: bool = False) -> Future[list[Session]]:
        """Return all sessions, newest first."""
        return self.archive.read(lambda reader: reader.sessions(trashed=trashed))

    def newest(self, count: int) -> Future[list[Session]]:
        """Return the `count` newest sessions and those they came from, newest first. Faster than `all`."""
        return self.archive.read(lambda reader: reader.newest_sessions(count))

    def fork_points(self) -> Future[dict[int, ForkPoint]]:
        """Return the last shared entry of each session that shares entries of another one, by the session's key."""
        return self.archive.read(lambda reader: reader.fork_points())

    def get(self, session: int) -> Future[Session]:
        """Return a session by key. Fails with NotFoundError."""
        return self.archive.read(lambda reader: reader.session(session))

    def find(self, name: str) -> Future[Session]:
        """Return a session by its id, a unique prefix of it, or `latest`. Fails with NotFoundError."""
        return self.archive.read(lambda reader: reader.find_session(name))

    def open(self, session: int) -> Future[SessionTree]:
        """Return a session with its whole tree."""
        return self.prepared(session, lambda session_tree: session_tree)

    def prepared(self, session: int, prepare: Callable[[SessionTree], T]) -> Future[T]:
        """Read a session with its whole tree, and return the result of `prepare`, which runs on the db thread."""

        def job(reader: ArchiveReader) -> T:
            return prepare(SessionTree(reader.session(session), reader.tree(session)))

        return self.archive.read(job)

    def compute(self, job: Callable[[], T]) -> Future[T]:
        """Run pure work on the db thread, in turn with the jobs that wait there; return a future of its result."""
        return self.archive.read(lambda _reader: job())

    def tail(self, session: int, count: int) -> Future[tuple[Session, list[int]]]:
        """Return a session and the keys of its active path's last entries, so that the window can paint at once."""

        def job(reader: ArchiveReader) -> tuple[Session, list[int]]:
            found = reader.session(session)
            return found, [] if found.leaf is None else reader.tail(found.leaf, count)

        return self.archive.read(job)

    def totals(self) -> Future[Mapping[str, int]]:
        """Return the totals of the archive by name: sessions, entries, bytes."""
        return self.archive.read(lambda reader: reader.totals())

    def check(self) -> Future[list[str]]:
        """Check the archive's integrity and return its problems as sentences; empty when it is sound."""
        return self.archive.read(lambda reader: reader.check())

    def repair(self) -> Future[list[str]]:
        """Repair the problems that `check` finds, as far as possible, and return the repairs as sentences."""
        return self._published(self.archive.write(lambda writer: writer.repair()), None)

    def rename(self, session: int, title: str, initiator: object = None) -> Future[None]:
        """Rename a session; "" restores the source's title.

        The user's title stays when the source changes its own.
        """
        name = title.strip()

        def job(writer: ArchiveWriter) -> None:
            before = writer.session(session)
            details = with_named_here(before.details, on=bool(name))
            writer.update_session(session, title=name, details=details)
            writer.begin_step("rename", name)
            was, now = title_value(before), title_value(writer.session(session))
            writer.note_change(StepChange(session, Fact.TITLE, was, now))

        return self._published(self.archive.write(job), initiator)

    def set_manual_compaction(self, session: int, *, on: bool) -> Future[None]:
        """Switch automatic compaction of a session off (`on` is True), or back to the settings (False)."""

        def job(writer: ArchiveWriter) -> None:
            details = with_compacted_by_hand(writer.session(session).details, on=on)
            writer.update_session(session, details=details)

        return self._published(self.archive.write(job))

    def set_summariser(self, session: int, name: str) -> Future[None]:
        """Let this `connection/model` write the session's summaries; "" for the model of the settings."""

        def job(writer: ArchiveWriter) -> None:
            details = with_summariser(writer.session(session).details, name)
            writer.update_session(session, details=details)

        return self._published(self.archive.write(job))

    def set_verbosity(self, session: int, level: str) -> Future[None]:
        """Set the verbosity of a session, one of `VERBOSITIES`: the notices that it gets besides replies."""

        def job(writer: ArchiveWriter) -> None:
            writer.update_session(session, details=with_verbosity(writer.session(session).details, level))

        return self._published(self.archive.write(job))

    def star(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Star or unstar sessions."""
        return self._update(sessions, initiator, Fact.STARRED, on=on)

    def set_archived(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Archive sessions, or return them to the list."""
        return self._update(sessions, initiator, Fact.ARCHIVED, on=on)

    def trash(self, sessions: list[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Move sessions to the trash, or restore them. Nothing is deleted."""
        return self._update(sessions, initiator, Fact.TRASHED, on=on)

    def tag(self, sessions: list[int], *names: str, on: bool, initiator: object = None) -> Future[None]:
        """Add tags to sessions, or remove them, as one step. Sessions that need no change are not changed."""

        def job(writer: ArchiveWriter) -> None:
            before = {session: writer.session(session).tags for session in sessions}
            after = {session: _tagged(tags, names, on=on) for session, tags in before.items()}
            changed = [session for session in sessions if after[session] != [*before[session]]]
            writer.begin_step("tag" if on else "untag", ", ".join(names), count=len(changed))
            for session in changed:
                writer.update_session(session, tags=after[session])
                was, now = tags_value(before[session]), tags_value(after[session])
                writer.note_change(StepChange(session, Fact.TAGS, was, now))

        return self._published(self.archive.write(job), initiator)

    def delete(self, sessions: list[int], initiator: object = None) -> Future[None]:
        """Delete sessions for good. Only this operation loses data; callers must confirm it first."""

        def job(writer: ArchiveWriter) -> None:
            for session in sessions:
                writer.delete_session(session)

        return self._published(self.archive.write(job), initiator)

    def _update(self, sessions: list[int], initiator: object, fact: Fact, *, on: bool) -> Future[None]:
        def job(writer: ArchiveWriter) -> None:
            found = [writer.session(session) for session in sessions]
            changed = [session for session in found if getattr(session, fact) != on]
            name = changed[0].title if len(changed) == 1 else ""
            writer.begin_step(fact if on else f"not-{fact}", name, count=len(changed))
            for session in changed:
                writer.update_session(session.key, **{fact: on})
                writer.note_change(StepChange(session.key, fact, "" if on else "1", "1" if on else ""))

        return self._published(self.archive.write(job), initiator)

    def _published(self, future: Future[T], initiator: object = None) -> Future[T]:
        def publish(result: T) -> T:
            self.notices.publish(ChangeSet(Change.SESSIONS, initiator=initiator))
            return result

        return then(future, publish)


def _tagged(tags: Sequence[str], names: Sequence[str], *, on: bool) -> list[str]:
    """Return the tags with these names, or without them."""
    new = [name for name in dict.fromkeys(names) if name not in tags]
    return [*tags, *new] if on else [tag for tag in tags if tag not in names]
