"""Storage of runs: entries, each in one transaction and below the run's own tip.

It also holds the message queue, the detection of another process in the same session, and the recovery of
runs whose process died.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from stemmata.domain.chat.run import (
    HERE,
    Here,
    OpenRun,
    OutgoingMessage,
    Partial,
    PartialText,
    QueueChanged,
    QueuedMessage,
)
from stemmata.domain.chat.silence import MEMORY_FLUSH
from stemmata.domain.chat.skills import SkillLibrary
from stemmata.domain.entries.blocks import Block, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.run_states import RunStates
from stemmata.services.chat.skills import activations
from stemmata.services.chat.tool_calls import INTERRUPTED, unanswered
from stemmata.services.futures import chain, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import note_entry, own_entry, put_below


def tip_now(reader: ArchiveReader, session: int, tip: int | None) -> int | None:
    """Return the leaf when only notes, picks or summaries lie between it and the tip; otherwise the tip.

    When the tip is gone, which an import or another program may remove, the leaf is returned as well, so that what
    the run has to store is kept.
    """
    leaf = at = reader.session(session).leaf
    if tip is not None and tip not in reader.rows([tip]):
        return leaf
    while at != tip:
        row = None if at is None else reader.rows([at]).get(at)
        if row is None or is_conversation(row):
            return tip
        at = row.parent
    return leaf


def is_conversation(row: EntryRow) -> bool:
    """Whether an entry is a part of the conversation."""
    if row.kind is Kind.MESSAGE or row.kind is Kind.BRANCH_SUMMARY:
        return True
    return row.kind is Kind.CUSTOM_MESSAGE and not row.flags & Flag.EXCLUDED


NAMED = 80  # characters
FAR_BACK = 1000  # entries of a run that are searched for a former leaf


@dataclass(frozen=True, slots=True)
class AttachPoint:
    """The parent of a message; `beside` is the store key of another process's entry, None for none."""

    tip: int | None
    beside: int | None = None


class ConcurrentEdits:
    """Detects edits of another process. `owner` names this process; `is_alive` says whether another one runs."""

    def __init__(self, owner: str, is_alive: Callable[[str], bool]) -> None:
        self._owner, self._is_alive = owner, is_alive

    def standing(self, reader: ArchiveReader, session: int, seen: int | Here | None = HERE) -> AttachPoint:
        """Return the entry to which a message is added. `seen` is the leaf the user saw, HERE the present one."""
        leaf = reader.session(session).leaf
        if not isinstance(seen, Here):
            beside = beside_of(reader, session, seen)
            if beside is not None:
                return AttachPoint(seen, beside)
        for run in reader.open_runs():
            if self._is_other(run, session) and leaf is not None and tip_now(reader, session, run.tip) == leaf:
                return AttachPoint(_before_turn(reader, leaf), leaf)
        return AttachPoint(leaf)

    def _is_other(self, run: OpenRun, session: int) -> bool:
        return run.session == session and run.owner != self._owner and self._is_alive(run.owner)


def beside_of(reader: ArchiveReader, session: int, tip: int | None) -> int | None:
    """Return the leaf when another process moved it from `tip` to a new message; else None."""
    leaf = reader.session(session).leaf
    if leaf == tip or leaf is None or tip_now(reader, session, tip) == leaf:
        return None
    above: frozenset[int] = frozenset() if tip is None else frozenset(reader.tail(tip, FAR_BACK))
    moved: list[int] = []
    for move in reader.leaf_moves(session):
        if move.after == tip or move.after in above:  # a run's tip may be ahead of the leaf
            break
        if move.is_external and move.after is not None:
            moved.append(move.after)
    return leaf if any(is_conversation(row) for row in reader.rows(moved).values()) else None


def _before_turn(reader: ArchiveReader, entry: int) -> int | None:
    """Return the parent of the prompt that is being answered at an entry."""
    at: int | None = entry
    while at is not None:
        row = reader.rows([at])[at]
        at = row.parent
        if row.role is Role.USER and row.kind is Kind.MESSAGE:
            return at
    return None


STEPS = {Kind.MODEL_CHANGE: "model", Kind.THINKING_LEVEL_CHANGE: "thinking"}  # names of steps by kind


class Annotations:
    """Stores notes, and choices of model and thinking level; callable from any thread.

    During a run they are appended to its tip and become the tip.
    """

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive, self._notices, self._clock = archive, notices, clock

    def note(self, session: int, text: str, command: str, since: int | None = None, **facts: object) -> Future[int]:
        """Store a note; `facts` are stored in its details beside the text.

        With `since`, the note belongs to the last step of the session if that is a later one.
        """
        kept = ({"command": command} if command else {}) | facts
        return self._put(session, note_entry(self._clock, text, **kept), command, since)

    def model(self, session: int, connection: str, model: str) -> Future[int]:
        """Store the choice of a model."""
        return self._put(session, own_entry(self._clock, Kind.MODEL_CHANGE, provider=connection, model=model))

    def level(self, session: int, level: str) -> Future[int]:
        """Store the choice of a thinking level."""
        return self._put(session, own_entry(self._clock, Kind.THINKING_LEVEL_CHANGE, name=level))

    def session(self, cwd: str, title: str) -> Future[Session]:
        """Create an empty session."""
        now = self._clock.now()
        name = f"chat-{self._clock.new_id()}{self._clock.new_id()}"
        info = SessionInfo(source="stemmata", source_id=name, title=title, cwd=cwd, created_at=now)

        def publish(made: Session) -> Session:
            self._notices.publish(ChangeSet(Change.SESSIONS, made.key))
            return made

        return then(self._archive.write(lambda writer: writer.session(writer.create_session(info))), publish)

    def _put(self, session: int, entry: Entry, name: str = "", since: int | None = None) -> Future[int]:
        def job(writer: ArchiveWriter) -> int:
            last = None if since is None else writer.history(session).next_undo
            joined = last is not None and since is not None and last.key > since
            what, join = STEPS.get(entry.kind, "note"), last.key if joined and last else None
            writer.begin_step(what, name or entry.model or entry.name, count=0 if joined else 1, join=join)
            key = put_below(writer, self._clock, session, entry, writer.session(session).leaf)
            writer.refresh(session)
            return key

        def publish(key: int) -> int:
            self._notices.publish(ChangeSet(Change.ENTRIES | Change.LEAF | Change.SESSIONS, session, (key,)))
            return key

        return then(self._archive.write(job), publish)


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunPosition:
    """A run's position. `tip` is the store key of the next entry's parent.

    `beside` is the store key of a message that another process has added meanwhile, None for none.
    """

    session: int
    run: int
    tip: int | None
    connection: str = ""
    model: str = ""
    beside: int | None = None


class RunStore:
    """Stores a run's entries, on the io loop.

    `owner` names this process; `is_alive` says whether another one runs. `skills` returns those that a prompt of a
    session may activate.
    """

    def __init__(
        self,
        archive: Archive,
        notices: Notices,
        clock: Clock,
        owner: str,
        is_alive: Callable[[str], bool] = lambda _owner: True,
        skills: Callable[[int], Awaitable[SkillLibrary]] | None = None,
    ) -> None:
        self._archive, self._notices, self._clock, self._owner = archive, notices, clock, owner
        self._skills = skills
        self._concurrent_edits = ConcurrentEdits(owner, is_alive)

    async def begin(
        self,
        session: int,
        message: OutgoingMessage | None,
        under: int | Here | None = HERE,
        initiator: object = None,
        seen: int | Here | None = HERE,
    ) -> tuple[RunPosition, int | None]:
        """Begin a run with a message, or without one below `under`; returns its position and the message's key.

        `seen` is the leaf that the user saw: the message goes there even when another process moved the leaf.
        """

        library = SkillLibrary() if message is None else await self._library(session)

        def job(writer: ArchiveWriter) -> tuple[RunPosition, int | None]:
            standing = self._attach_point(writer, session, under, seen)
            place, key = self._begun(writer, session, message, standing, library)
            if message is not None:
                writer.save_draft(session, "", time=self._clock.now())
            return place, key

        begun = await settled(self._archive.write(job))
        self._publish(session, begun[1], initiator)
        return begun

    async def begin_queued(self, session: int, seen: int | Here | None = HERE) -> tuple[RunPosition, int] | None:
        """Begin a run with the first queued message; None when the queue is empty. `seen` is as for `begin`."""

        library = await self._library(session)

        def job(writer: ArchiveWriter) -> tuple[RunPosition, int] | None:
            queued = writer.take_queued(session)
            if queued is None:
                return None
            standing = self._attach_point(writer, session, HERE, seen)
            place, key = self._begun(writer, session, OutgoingMessage(blocks=queued.blocks), standing, library)
            assert key is not None
            return place, key

        begun = await settled(self._archive.write(job))
        if begun is not None:
            self._publish(session, begun[1], None)
        return begun

    async def begin_entry(self, session: int, entry: Entry, leaf: int) -> RunPosition | None:
        """Begin a run with an entry that is not the user's; None when the leaf has moved from `leaf`."""

        def job(writer: ArchiveWriter) -> RunPosition | None:
            if writer.session(session).leaf != leaf:
                return None
            run = writer.begin_run(session, self._owner, time=self._clock.now())
            key = put_below(writer, self._clock, session, entry, leaf)
            writer.follow_run(run, key)
            return RunPosition(session, run, key)

        begun = await settled(self._archive.write(job))
        if begun is not None:
            self._publish(session, begun.tip, None)
        return begun

    async def step_back(self, place: RunPosition, leaf: int) -> None:
        """Move the leaf back to `leaf` when it is below it, so that the run's entries are abandoned."""

        def job(writer: ArchiveWriter) -> None:
            if writer.session(place.session).leaf == place.tip:
                writer.move_leaf(place.session, leaf, "back", time=self._clock.now())

        await settled(self._archive.write(job))
        self._publish(place.session, None, None)

    async def append(
        self, place: RunPosition, entry: Entry, files: Mapping[str, bytes] | None = None
    ) -> tuple[RunPosition, int]:
        """Append an entry below the tip, or below notes added there, and delete the stored parts of the reply.

        `files` are the bytes of its images, by SHA-256 in hex.
        """

        def job(writer: ArchiveWriter) -> tuple[RunPosition, int]:
            for digest, data in (files or {}).items():
                writer.add_blob(digest, data)
            tip = tip_now(writer, place.session, place.tip)
            beside = beside_of(writer, place.session, tip) if place.beside is None else place.beside
            key = put_below(writer, self._clock, place.session, entry, tip)
            writer.drop_partials(place.run)
            writer.follow_run(place.run, key, place.connection, place.model)
            return replace(place, tip=key, beside=beside), key

        placed, key = await settled(self._archive.write(job))
        self._publish(place.session, key, None)
        return placed, key

    def keep(
        self, place: RunPosition, parts: Sequence[Partial | PartialText], failed: Callable[[KnownError], None]
    ) -> None:
        """Store parts of a streaming reply. When that fails, `failed` is called on the db thread."""

        def job(writer: ArchiveWriter) -> None:
            for part in parts:
                if isinstance(part, Partial):
                    writer.save_partial(place.run, part)
                else:
                    writer.grow_partial(place.run, part)

        def done(future: Future[None]) -> None:
            error = future.exception()
            if isinstance(error, KnownError):
                failed(error)
            elif error is not None:
                log.error("A part of a reply could not be kept.", exc_info=error)

        self._archive.write(job).add_done_callback(done)

    def end(self, place: RunPosition) -> Future[None]:
        """End the run and recompute the session's totals."""

        def job(writer: ArchiveWriter) -> None:
            try:
                writer.refresh(place.session)
            except NotFoundError:
                return  # the session was deleted meanwhile, with its runs
            writer.end_run(place.run)

        future = self._archive.write(job)
        future.add_done_callback(lambda ended: self._ended(place.session, ended))
        return future

    def _ended(self, session: int, future: Future[None]) -> None:
        error = future.exception()
        if error is None:
            self._notices.publish(ChangeSet(Change.SESSIONS, session))
        # a KnownError was reported with the run; the next start recovers the rest
        elif not isinstance(error, KnownError):
            log.error("A run could not be ended.", exc_info=error)

    async def _library(self, session: int) -> SkillLibrary:
        return SkillLibrary() if self._skills is None else await self._skills(session)

    # -- inside a job -----------------------------------------------------------------------------------------

    def _attach_point(
        self, writer: ArchiveWriter, session: int, under: int | Here | None, seen: int | Here | None
    ) -> AttachPoint:
        if isinstance(under, Here):
            return self._concurrent_edits.standing(writer, session, seen)
        return AttachPoint(under)

    def _begun(
        self,
        writer: ArchiveWriter,
        session: int,
        message: OutgoingMessage | None,
        where: AttachPoint,
        library: SkillLibrary,
    ) -> tuple[RunPosition, int | None]:
        """Store the message below the skills that it activates, so that a retried reply has the skills too."""
        standing, tip = writer.session(session).leaf, where.tip
        run = writer.begin_run(session, self._owner, time=self._clock.now())
        key = None
        writer.begin_step("reply" if message is None else "send", "" if message is None else _named(message))
        if message is not None:
            for digest, data in message.files.items():
                writer.add_blob(digest, data)
            if tip != standing:
                writer.move_leaf(session, tip, "edit", time=self._clock.now())
            is_first = tip is None
            for skill in activations(writer, self._clock, session, tip, plain_text(message.blocks), library):
                tip = put_below(writer, self._clock, session, skill, tip)
            key = tip = put_below(writer, self._clock, session, self._prompt(message), tip)
            if is_first:
                writer.refresh(session)  # updates the title, which is the first message
        elif tip != standing:
            writer.move_leaf(session, tip, "edit", time=self._clock.now())
        writer.follow_run(run, tip)
        return RunPosition(session, run, tip, beside=where.beside), key

    def _prompt(self, message: OutgoingMessage) -> Entry:
        return self.entry(Kind.MESSAGE, role=Role.USER, blocks=message.blocks)

    def entry(self, kind: Kind, **facts: Any) -> Entry:
        """Create an entry, as `own_entry` does."""
        return own_entry(self._clock, kind, **facts)

    def _publish(self, session: int, key: int | None, initiator: object) -> None:
        keys = () if key is None else (key,)
        what = Change.LEAF if key is None else Change.ENTRIES | Change.LEAF | Change.SESSIONS
        self._notices.publish(ChangeSet(what, session, keys, initiator))


def _named(message: OutgoingMessage) -> str:
    """Return the words that name a message in the history: the beginning of its text, on one line."""
    return " ".join(plain_text(message.blocks)[:NAMED].split())


def details_text(details: Mapping[str, Any]) -> str:
    """Return the details as JSON text, without empty values."""
    kept = {name: value for name, value in details.items() if value not in ("", None)}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


QueueJob = Callable[[ArchiveWriter], None]


class MessageQueue:
    """The queue of messages to send. Its coroutines run on the io loop."""

    def __init__(self, archive: Archive, states: RunStates, clock: Clock) -> None:
        self.archive = archive
        self._states, self._clock = states, clock

    def of(self, session: int) -> Future[tuple[QueuedMessage, ...]]:
        """Return the queued messages of a session, in order."""
        return self.archive.read(lambda reader: tuple(reader.queued(session)))

    async def add(self, session: int, message: OutgoingMessage) -> None:
        """Append a message."""

        def job(writer: ArchiveWriter) -> None:
            for digest, data in message.files.items():
                writer.add_blob(digest, data)
            writer.enqueue(session, message.blocks, time=self._clock.now())
            writer.save_draft(session, "", time=self._clock.now())

        await self._changed(session, job)

    async def change(self, session: int, key: int, blocks: Sequence[Block]) -> None:
        """Replace a queued message."""
        await self._changed(session, lambda writer: writer.change_queued(session, key, blocks))

    async def move(self, session: int, key: int, position: int) -> None:
        """Move a queued message to a position, counted from 0."""
        await self._changed(session, lambda writer: writer.move_queued(session, key, position))

    async def drop(self, session: int, key: int) -> None:
        """Delete a queued message."""
        await self._changed(session, lambda writer: writer.drop_queued(session, key))

    async def hand_over(self, session: int, to: int) -> None:
        """Move all queued messages of a session to the end of the queue of `to`, and tell watchers both queues."""
        if to != session:
            await settled(self.archive.write(lambda writer: writer.hand_over_queue(session, to)))
            await self.tell(session)
            await self.tell(to)

    async def tell(self, session: int) -> None:
        """Tell watchers the queue of a session."""
        self._states.tell(QueueChanged(session, await settled(self.of(session))))

    async def _changed(self, session: int, change: QueueJob) -> None:
        def job(writer: ArchiveWriter) -> tuple[QueuedMessage, ...]:
            change(writer)
            return tuple(writer.queued(session))

        self._states.tell(QueueChanged(session, await settled(self.archive.write(job))))


class RunRecovery:
    """Recovers runs of dead processes. `is_alive` says whether the process of an owner still runs."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock, is_alive: Callable[[str], bool]) -> None:
        self._archive, self._notices, self._clock, self._is_alive = archive, notices, clock, is_alive

    def run(self) -> Future[int]:
        """Recover all runs of dead processes and return their number.

        Recovery and end of a run are one transaction.
        """
        return chain(self._archive.read(lambda reader: reader.open_runs()), self._mend_dead)

    def _mend_dead(self, found: list[OpenRun]) -> Future[int]:
        if all(self._is_alive(run.owner) for run in found):  # most starts have nothing to recover and write nothing
            nothing: Future[int] = Future()
            nothing.set_result(0)
            return nothing

        def job(writer: ArchiveWriter) -> list[int]:
            dead = [run for run in writer.open_runs() if not self._is_alive(run.owner)]
            for run in dead:
                self._recover_run(writer, run)
            return [run.session for run in dead]

        def publish(sessions: list[int]) -> int:
            for session in sessions:
                what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
                self._notices.publish(ChangeSet(what, session))
            return len(sessions)

        return then(self._archive.write(job), publish)

    def _recover_run(self, writer: ArchiveWriter, run: OpenRun) -> None:
        tip = tip_now(writer, run.session, run.tip)
        silent = _silent_turn(writer, tip)
        blocks = tuple(kept.block for kept in writer.partials(run.run))
        if blocks:
            hidden = Flag.NONE if silent is None else Flag.HIDDEN
            tip = put_below(writer, self._clock, run.session, self._reply(run, blocks, hidden), tip)
        for call in _open_calls(writer, tip):
            entry = unanswered(partial(own_entry, self._clock), call, INTERRUPTED)
            tip = put_below(writer, self._clock, run.session, entry, tip)
        if silent is not None and writer.session(run.session).leaf == tip and not _ends_turn(writer, tip):
            writer.move_leaf(run.session, silent.parent, "back", time=self._clock.now())  # as when such a turn fails
        writer.refresh(run.session)
        writer.end_run(run.run)

    def _reply(self, run: OpenRun, blocks: tuple[Block, ...], flags: Flag) -> Entry:
        return own_entry(
            self._clock, Kind.MESSAGE, role=Role.ASSISTANT, blocks=blocks, provider=run.connection, model=run.model,
            flags=Flag.ABORTED | flags, details=json.dumps({"interrupted": True}),
        )  # fmt: skip


def _silent_turn(writer: ArchiveWriter, tip: int | None) -> EntryRow | None:
    """Return the entry that began the silent turn at the tip; None when a message of the user did."""
    at = tip
    while at is not None:
        row = writer.rows([at])[at]
        if row.name == MEMORY_FLUSH and row.flags & Flag.OWN:
            return row
        if row.kind is Kind.MESSAGE and row.role is Role.USER:
            return None
        at = row.parent
    return None


def _ends_turn(writer: ArchiveWriter, tip: int | None) -> bool:
    """Whether the entry at the tip is a complete reply."""
    return tip is not None and bool(writer.rows([tip])[tip].flags & Flag.ENDS_TURN)


def _open_calls(writer: ArchiveWriter, tip: int | None) -> list[ToolCall]:
    """Return the calls of the reply at the tip that have no result."""
    answered: list[str] = []
    at = tip
    while at is not None:
        row = writer.rows([at])[at]
        if row.role is Role.TOOL_RESULT:
            answered.append(row.call)
        elif row.role is Role.ASSISTANT:
            calls = [block for block in writer.bodies([at])[at].blocks if isinstance(block, ToolCall)]
            return [call for call in calls if call.id not in answered]
        elif is_conversation(row):
            return []
        at = row.parent
    return []
