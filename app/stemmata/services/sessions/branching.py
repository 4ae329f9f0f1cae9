"""Operations on a session's tree: move the leaf, fork, label, pin. No entry is ever changed or deleted."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from stemmata.domain.compaction.branch_summary import (
    abandoned_entries,
    budget,
    composer_text,
    continues_by_editing,
    left_branch,
)
from stemmata.domain.compaction.digest.digest import digest
from stemmata.domain.compaction.operations import Operations, to_details
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.details import choices_of
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sessions.steps import Fact, StepChange
from stemmata.domain.text.json_text import compact_json
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveWriter, Clock
from stemmata.services.sessions.histories import mark_now
from stemmata.services.sessions.own_entries import MARKS, mark_entry
from stemmata.services.whole_entries import index_of, no_such_entry, whole_entries

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Position:
    """The leaf of a session after an operation. `text` is the text for the composer, "" for none."""

    session: int
    leaf: int | None
    text: str = ""


class Branching:
    """Moves leaves, forks, labels, pins and trashes. Methods return futures; changes are published once stored."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive = archive
        self._notices = notices
        self._clock = clock

    def move_leaf(
        self, session: int, entry: int | None, *, reason: str = "continue", initiator: object = None
    ) -> Future[Position]:
        """Move the leaf to an entry; None moves it to the start, before the first entry."""

        def job(writer: ArchiveWriter) -> Position:
            if writer.session(session).leaf != entry:
                self._move(writer, session, entry, reason)
            return Position(session, entry)

        return self._published(self._archive.write(job), Change.LEAF | Change.SESSIONS, initiator)

    def continue_from(
        self, session: int, entry: int, initiator: object = None, *, focus: str | None = None
    ) -> Future[Position]:
        """Move the leaf to an entry. For a user's message, move it to the parent and return the message's text.

        When `focus` is not None, a summary of the abandoned branch is stored there; "" means no particular focus.
        """

        def job(writer: ArchiveWriter) -> Position:
            index_of(writer.tree(session), entry)  # raises NotFoundError
            row = writer.rows([entry])[entry]
            is_prompt = continues_by_editing(row.kind, row.role)
            leaf = row.parent if is_prompt else entry
            writer.begin_step("continue" if focus is None else "leave", row.preview)
            text = composer_text(writer.bodies([entry])[entry].blocks) if is_prompt else ""
            if focus is not None:
                leaf = self._summarise_abandoned(writer, session, leaf, focus)
            elif writer.session(session).leaf != leaf:
                self._move(writer, session, leaf, "continue")
            if text:
                writer.note_change(StepChange(session, Fact.PROMPT, "", "", entry))
            return Position(session, leaf, text)

        added = Change.NONE if focus is None else Change.ENTRIES
        return self._published(self._archive.write(job), Change.LEAF | Change.SESSIONS | added, initiator)

    def start(self, cwd: str = "", initiator: object = None) -> Future[Session]:
        """Create an empty session."""

        def job(writer: ArchiveWriter) -> Session:
            info = SessionInfo(
                source="stemmata",
                source_id=f"chat-{self._clock.new_id()}{self._clock.new_id()}",
                cwd=cwd,
                created_at=self._clock.now(),
            )
            return writer.session(writer.create_session(info))

        return self._published(self._archive.write(job), Change.SESSIONS, initiator)

    def fork(self, session: int, entry: int, initiator: object = None) -> Future[Session]:
        """Create a session whose path is the path to an entry.

        The entries are shared with the old session, not copied. Labels and pins of the path are kept. Fails with
        NotFoundError for an entry of another session.
        """

        def job(writer: ArchiveWriter) -> Session:
            origin = writer.session(session)
            index_of(writer.tree(session), entry)  # raises NotFoundError
            title = f"{origin.title} (fork)" if origin.title else ""
            info = SessionInfo(
                source="stemmata",
                source_id=f"fork-{self._clock.new_id()}{self._clock.new_id()}",
                title=title,
                cwd=origin.cwd,
                created_at=self._clock.now(),
                details=choices_of(origin.details),
            )
            key = writer.create_session(info)
            writer.update_session(key, parent=session)
            self._move(writer, key, entry, "fork")
            self._keep_marks(writer, session, key, entry)
            writer.begin_step("fork", origin.title)
            writer.note_change(StepChange(key, Fact.CREATED, "", "1"), also=(session,))
            return writer.session(key)

        return self._published(self._archive.write(job), Change.SESSIONS, initiator)

    def _keep_marks(self, writer: ArchiveWriter, session: int, fork: int, entry: int) -> None:
        """Copy the labels and pins of the path to an entry from a session to its fork."""
        tree, made = writer.tree(session), writer.tree(fork)
        pairs = [(at, made.index(tree.key(at))) for at in tree.path(tree.index(entry))]
        changed: list[tuple[int, Kind, str]] = []
        for at, new in pairs:
            if tree.labels.get(at) != made.labels.get(new):
                changed.append((tree.key(at), Kind.LABEL, tree.labels.get(at, "")))
            if (at in tree.pins) is not (new in made.pins):
                changed.append((tree.key(at), Kind.PIN, "" if at in tree.pins else "off"))
        ids = {key: row.id for key, row in writer.rows([key for key, _kind, _name in changed]).items()}
        for key, kind, name in changed:
            mark_entry(writer, self._clock, fork, ids[key], kind, name)
        if changed:
            writer.refresh(fork)

    def label(self, session: int, entries: int | Sequence[int], text: str, initiator: object = None) -> Future[None]:
        """Label entries; an empty text removes their labels."""
        return self._annotate(session, _as_sequence(entries), Fact.LABEL, text.strip(), initiator)

    def pin(self, session: int, entries: int | Sequence[int], *, on: bool, initiator: object = None) -> Future[None]:
        """Pin or unpin entries. Compactions keep a pinned entry word for word."""
        return self._annotate(session, _as_sequence(entries), Fact.PIN, "1" if on else "", initiator)

    def trash(self, session: int, entry: int, *, on: bool, initiator: object = None) -> Future[Position]:
        """Move an entry and everything below it to the trash, or restore it. Nothing is deleted.

        A leaf inside the trashed part moves to the parent of `entry`; that move can be undone.
        """

        def job(writer: ArchiveWriter) -> Position:
            tree, leaf = writer.tree(session), writer.session(session).leaf
            at, trashed = tree.get(leaf), index_of(tree, entry)
            marked = writer.rows([entry])[entry]
            writer.begin_step("delete-branch" if on else "restore-branch", marked.preview)
            was = "1" if trashed in tree.trash else ""
            writer.note_change(StepChange(session, Fact.DELETED, was, "1" if on else "", entry))
            mark_entry(writer, self._clock, session, marked.id, Kind.TRASH, "" if on else "off")
            if on and at is not None and tree.is_ancestor(trashed, at):
                leaf = marked.parent
                writer.move_leaf(session, leaf, "trash", time=self._clock.now())
            writer.refresh(session)
            return Position(session, leaf)

        what = Change.MARKS | Change.ENTRIES | Change.LEAF | Change.SESSIONS
        return self._published(self._archive.write(job), what, initiator)

    def _summarise_abandoned(self, writer: ArchiveWriter, session: int, leaf: int | None, focus: str) -> int:
        """Store a summary of the abandoned branch and return its key, which is the new leaf."""
        tree, old = writer.tree(session), writer.session(session).leaf
        new = tree.get(leaf)
        given, operations = _digest_input(
            whole_entries(writer, tree, abandoned_entries(tree, tree.get(old), new)), focus
        )
        if old is None or not given.entries:
            raise NothingToDoError("Nothing to summarise: the abandoned branch has no messages.")
        rows = writer.rows([key for key in (leaf, old) if key is not None])
        summary = digest(given)
        entry = Entry(
            id=self._clock.new_id(),
            parent=None if leaf is None else rows[leaf].id,
            kind=Kind.BRANCH_SUMMARY,
            target=rows[old].id,
            time=self._clock.now(),
            blocks=(Text(summary.text),),
            flags=Flag.OWN,
            details=compact_json({**to_details(operations), "summariser": summary.summariser, "focus": focus}),
        )
        [key] = writer.append(session, [entry])
        self._move(writer, session, key, "continue")
        return key

    def _annotate(
        self, session: int, entries: Sequence[int], fact: Fact, value: str, initiator: object
    ) -> Future[None]:
        """Store an annotation below each entry that it marks, in one step. The leaf does not move."""

        def job(writer: ArchiveWriter) -> None:
            rows, before = writer.rows(entries), {}
            for entry in entries:
                before[entry] = mark_now(writer, session, entry, fact)
                if entry not in rows or before[entry] is None:
                    raise no_such_entry(entry)
            changed = {entry: was for entry, was in before.items() if was is not None and was != value}
            if not changed:
                return
            name = rows[next(iter(changed))].preview
            if fact is Fact.LABEL:
                name = value or next(iter(changed.values()))
            writer.begin_step(f"{'' if value else 'un'}{fact}", name, count=len(changed))
            for entry, was in changed.items():
                writer.note_change(StepChange(session, fact, was, value, entry))
                kept = value if fact is Fact.LABEL else "" if value else "off"
                mark_entry(writer, self._clock, session, rows[entry].id, MARKS[fact], kept)
            writer.refresh(session)

        return self._published(self._archive.write(job), Change.MARKS | Change.ENTRIES, initiator, session)

    def _move(self, writer: ArchiveWriter, session: int, leaf: int | None, reason: str) -> None:
        writer.move_leaf(session, leaf, reason, time=self._clock.now())
        writer.refresh(session)

    def _published(self, future: Future[T], what: Change, initiator: object, session: int | None = None) -> Future[T]:
        def publish(result: T) -> T:
            key = result.session if isinstance(result, Position) else session
            self._notices.publish(ChangeSet(what, key, initiator=initiator))
            return result

        return then(future, publish)


def _as_sequence(entries: int | Sequence[int]) -> Sequence[int]:
    return (entries,) if isinstance(entries, int) else tuple(entries)


def _digest_input(entries: Sequence[Entry], focus: str) -> tuple[SummaryInput, Operations]:
    """Return what the digest summarises of an abandoned branch, and the file operations of the whole branch."""
    left = left_branch(entries, budget(None))
    start = next((at for at, entry in enumerate(entries) if entry is left.entries[0]), 0) if left.entries else 0
    # a compaction's summary repeats the entries
    told = [entry for entry in entries[start:] if entry.kind is not Kind.COMPACTION]
    before = left_branch(entries[:start]).operations
    given = tuple(told) if left.entries else ()
    return SummaryInput(entries=given, previous_operations=before, focus=focus), left.operations
