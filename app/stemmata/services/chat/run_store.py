"""What runs store: entries, each in one transaction and under the run's own tip.

Also the queue of messages, two processes in one session, and the recovery of runs whose process is gone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from stemmata.domain.chat.run import HERE, Here, OpenRun, Outgoing, Partial, PartialText, QueueChanged, Queued
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.session_facts import EntryRow, Session, SessionInfo
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.text.phrases import Phrase, to_data
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.run_states import RunStates
from stemmata.services.chat.tool_calls import INTERRUPTED, unanswered
from stemmata.services.futures import chain, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import own_entry, put_below


def tip_now(reader: ArchiveReader, session: int, tip: int | None) -> int | None:
    """The tip, or the leaf when only what is no part of the conversation lies between: notes, picks, summaries."""
    leaf = at = reader.session(session).leaf
    while at != tip:
        row = None if at is None else reader.rows([at]).get(at)
        if row is None or speaks(row):
            return tip
        at = row.parent
    return leaf


def speaks(row: EntryRow) -> bool:
    """Whether the entry is a part of the conversation."""
    if row.kind is Kind.MESSAGE or row.kind is Kind.BRANCH_SUMMARY:
        return True
    return row.kind is Kind.CUSTOM_MESSAGE and not row.flags & Flag.EXCLUDED


FAR_BACK = 1000  # entries of a run that are looked through for one that the leaf stood at


@dataclass(frozen=True, slots=True)
class AttachPoint:
    """Where a message goes; `beside` is the store key of what the other one did, None for nothing."""

    tip: int | None
    beside: int | None = None


class ConcurrentEdits:
    """`owner` names this process; `is_alive` tells of another whether it still runs."""

    def __init__(self, owner: str, is_alive: Callable[[str], bool]) -> None:
        self._owner, self._is_alive = owner, is_alive

    def standing(self, reader: ArchiveReader, session: int, seen: int | Here | None = HERE) -> AttachPoint:
        """Where what is said at the leaf goes. `seen` is the leaf that the person saw, HERE for whatever it is."""
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
    """The leaf, where another process has taken it from here to something that was said; else None."""
    leaf = reader.session(session).leaf
    if leaf == tip or leaf is None or tip_now(reader, session, tip) == leaf:
        return None
    above: frozenset[int] = frozenset() if tip is None else frozenset(reader.tail(tip, FAR_BACK))
    moved: list[int] = []
    for move in reader.leaf_moves(session):
        if move.after == tip or move.after in above:  # the leaf need not have come along to the tip of a run
            break
        if move.elsewhere and move.after is not None:
            moved.append(move.after)
    return leaf if any(speaks(row) for row in reader.rows(moved).values()) else None


def _before_turn(reader: ArchiveReader, entry: int) -> int | None:
    """What stands above the prompt that is being answered there."""
    at: int | None = entry
    while at is not None:
        row = reader.rows([at])[at]
        at = row.parent
        if row.role is Role.USER and row.kind is Kind.MESSAGE:
            return at
    return None


class Annotations:
    """From any thread, also while a run is under way: what is put below its tip becomes the tip."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive, self._notices, self._clock = archive, notices, clock

    def note(self, session: int, text: str, command: str, **facts: object) -> Future[int]:
        """`facts` are kept with it, beside the text as a phrase."""
        kept = ({"command": command} if command else {}) | facts
        if isinstance(text, Phrase):
            kept["phrase"] = to_data(text)
        details = json.dumps(kept, ensure_ascii=False) if kept else ""
        entry = own_entry(
            self._clock, Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="note", blocks=(Text(text),),
            flags=Flag.EXCLUDED, details=details,
        )  # fmt: skip
        return self._put(session, entry)

    def model(self, session: int, connection: str, model: str) -> Future[int]:
        return self._put(session, own_entry(self._clock, Kind.MODEL_CHANGE, provider=connection, model=model))

    def level(self, session: int, level: str) -> Future[int]:
        return self._put(session, own_entry(self._clock, Kind.THINKING_LEVEL_CHANGE, name=level))

    def session(self, cwd: str, title: str) -> Future[Session]:
        now = self._clock.now()
        name = f"chat-{self._clock.new_id()}{self._clock.new_id()}"
        info = SessionInfo(source="stemmata", source_id=name, title=title, cwd=cwd, created_at=now)

        def publish(made: Session) -> Session:
            self._notices.publish(ChangeSet(Change.SESSIONS, made.key))
            return made

        return then(self._archive.write(lambda writer: writer.session(writer.create_session(info))), publish)

    def _put(self, session: int, entry: Entry) -> Future[int]:
        def job(writer: ArchiveWriter) -> int:
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
    """A run and where it stands. `tip` is the store key of the entry the next one hangs from.

    `beside` is that of what another process said in the session meanwhile, None for nothing.
    """

    session: int
    run: int
    tip: int | None
    connection: str = ""
    model: str = ""
    beside: int | None = None


class RunStore:
    """On the io loop. `owner` names this process; `is_alive` tells of another whether it still runs."""

    def __init__(
        self,
        archive: Archive,
        notices: Notices,
        clock: Clock,
        owner: str,
        is_alive: Callable[[str], bool] = lambda _owner: True,
    ) -> None:
        self._archive, self._notices, self._clock, self._owner = archive, notices, clock, owner
        self._concurrent_edits = ConcurrentEdits(owner, is_alive)

    async def begin(
        self,
        session: int,
        message: Outgoing | None,
        under: int | Here | None = HERE,
        initiator: object = None,
        seen: int | Here | None = HERE,
    ) -> tuple[RunPosition, int | None]:
        """A run that starts with this message, or goes on where it is told; the message's key.

        `seen` is the leaf that the person saw: where another process took it on, the message stays there.
        """

        def job(writer: ArchiveWriter) -> tuple[RunPosition, int | None]:
            standing = self._standing(writer, session, under, seen)
            place, key = self._begun(writer, session, message, standing)
            if message is not None:
                writer.save_draft(session, "", time=self._clock.now())
            return place, key

        begun = await settled(self._archive.write(job))
        self._publish(session, begun[1], initiator)
        return begun

    async def begin_queued(self, session: int, seen: int | Here | None = HERE) -> tuple[RunPosition, int] | None:
        """A run that starts with the first message that waits; None when none does. `seen` as for `begin`."""

        def job(writer: ArchiveWriter) -> tuple[RunPosition, int] | None:
            queued = writer.take_queued(session)
            if queued is None:
                return None
            standing = self._standing(writer, session, HERE, seen)
            place, key = self._begun(writer, session, Outgoing(blocks=queued.blocks), standing)
            assert key is not None
            return place, key

        begun = await settled(self._archive.write(job))
        if begun is not None:
            self._publish(session, begun[1], None)
        return begun

    async def begin_entry(self, session: int, entry: Entry, leaf: int) -> RunPosition | None:
        """A run that starts with an entry which nobody said; None where the session stands elsewhere by now."""

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
        """Leave what a run has put below this entry behind, where the session stands there."""

        def job(writer: ArchiveWriter) -> None:
            if writer.session(place.session).leaf == place.tip:
                writer.move_leaf(place.session, leaf, "undo", time=self._clock.now())

        await settled(self._archive.write(job))
        self._publish(place.session, None, None)

    async def append(
        self, place: RunPosition, entry: Entry, files: Mapping[str, bytes] | None = None
    ) -> tuple[RunPosition, int]:
        """Below the tip, or below what was put there meanwhile. What was kept of the open reply goes.

        `files` are the bytes of its images, by their SHA-256 in hex.
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
        """Store parts of a reply that streams; `failed` is called on the db thread when that is not possible."""

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
        """The run is over; the session's totals are computed anew."""

        def job(writer: ArchiveWriter) -> None:
            try:
                writer.refresh(place.session)
            except NotFoundError:
                return  # deleted meanwhile, with all of its runs
            writer.end_run(place.run)

        future = self._archive.write(job)
        future.add_done_callback(lambda ended: self._ended(place.session, ended))
        return future

    def _ended(self, session: int, future: Future[None]) -> None:
        error = future.exception()
        if error is None:
            self._notices.publish(ChangeSet(Change.SESSIONS, session))
        elif not isinstance(error, KnownError):  # a known one was told with the run; the next start mends the rest
            log.error("A run could not be ended.", exc_info=error)

    # -- inside a job -----------------------------------------------------------------------------------------

    def _standing(
        self, writer: ArchiveWriter, session: int, under: int | Here | None, seen: int | Here | None
    ) -> AttachPoint:
        if isinstance(under, Here):
            return self._concurrent_edits.standing(writer, session, seen)
        return AttachPoint(under)

    def _begun(
        self, writer: ArchiveWriter, session: int, message: Outgoing | None, where: AttachPoint
    ) -> tuple[RunPosition, int | None]:
        standing, tip = writer.session(session).leaf, where.tip
        run = writer.begin_run(session, self._owner, time=self._clock.now())
        key = None
        if message is not None:
            for digest, data in message.files.items():
                writer.add_blob(digest, data)
            if tip != standing:
                writer.move_leaf(session, tip, "edit", time=self._clock.now())
            is_first = tip is None
            key = tip = put_below(writer, self._clock, session, self._prompt(message), tip)
            if is_first:
                writer.refresh(session)  # the list shows the first message as the title
        elif tip != standing:
            writer.move_leaf(session, tip, "edit", time=self._clock.now())
        writer.follow_run(run, tip)
        return RunPosition(session, run, tip, beside=where.beside), key

    def _prompt(self, message: Outgoing) -> Entry:
        return self.entry(Kind.MESSAGE, role=Role.USER, blocks=message.blocks)

    def entry(self, kind: Kind, **facts: Any) -> Entry:
        """As `own_entry`."""
        return own_entry(self._clock, kind, **facts)

    def _publish(self, session: int, key: int | None, initiator: object) -> None:
        keys = () if key is None else (key,)
        what = Change.LEAF if key is None else Change.ENTRIES | Change.LEAF | Change.SESSIONS
        self._notices.publish(ChangeSet(what, session, keys, initiator))


def details_text(details: Mapping[str, Any]) -> str:
    """JSON text of the details of an entry, empty values left out."""
    import json

    kept = {name: value for name, value in details.items() if value not in ("", None)}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


QueueJob = Callable[[ArchiveWriter], None]


class MessageQueue:
    """On the io loop, where watchers are told."""

    def __init__(self, archive: Archive, states: RunStates, clock: Clock) -> None:
        self.archive = archive
        self._states, self._clock = states, clock

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
        self._states.tell(QueueChanged(session, await settled(self.of(session))))

    async def _changed(self, session: int, change: QueueJob) -> None:
        def job(writer: ArchiveWriter) -> tuple[Queued, ...]:
            change(writer)
            return tuple(writer.queued(session))

        self._states.tell(QueueChanged(session, await settled(self.archive.write(job))))


class RunRecovery:
    """`is_alive` tells of an owner, a process by its name, whether it still runs."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock, is_alive: Callable[[str], bool]) -> None:
        self._archive, self._notices, self._clock, self._is_alive = archive, notices, clock, is_alive

    def run(self) -> Future[int]:
        """How many runs were mended; each in the same transaction as its end, so that none is mended twice."""
        return chain(self._archive.read(lambda reader: reader.open_runs()), self._mend_dead)

    def _mend_dead(self, found: list[OpenRun]) -> Future[int]:
        if all(self._is_alive(run.owner) for run in found):  # nothing is written at most starts
            nothing: Future[int] = Future()
            nothing.set_result(0)
            return nothing

        def job(writer: ArchiveWriter) -> list[int]:
            dead = [run for run in writer.open_runs() if not self._is_alive(run.owner)]
            for run in dead:
                self._mend(writer, run)
            return [run.session for run in dead]

        def publish(sessions: list[int]) -> int:
            for session in sessions:
                what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
                self._notices.publish(ChangeSet(what, session))
            return len(sessions)

        return then(self._archive.write(job), publish)

    def _mend(self, writer: ArchiveWriter, run: OpenRun) -> None:
        tip = tip_now(writer, run.session, run.tip)
        blocks = tuple(kept.block for kept in writer.partials(run.run))
        if blocks:
            tip = put_below(writer, self._clock, run.session, self._reply(run, blocks), tip)
        for call in _open_calls(writer, tip):
            entry = unanswered(partial(own_entry, self._clock), call, INTERRUPTED)
            tip = put_below(writer, self._clock, run.session, entry, tip)
        writer.refresh(run.session)
        writer.end_run(run.run)

    def _reply(self, run: OpenRun, blocks: tuple[Block, ...]) -> Entry:
        return own_entry(
            self._clock, Kind.MESSAGE, role=Role.ASSISTANT, blocks=blocks, provider=run.connection, model=run.model,
            flags=Flag.ABORTED, details=json.dumps({"interrupted": True}),
        )  # fmt: skip


def _open_calls(writer: ArchiveWriter, tip: int | None) -> list[ToolCall]:
    """Calls of the reply at the tip that no result below it answers."""
    answered: list[str] = []
    at = tip
    while at is not None:
        row = writer.rows([at])[at]
        if row.role is Role.TOOL_RESULT:
            answered.append(row.call)
        elif row.role is Role.ASSISTANT:
            calls = [block for block in writer.bodies([at])[at].blocks if isinstance(block, ToolCall)]
            return [call for call in calls if call.id not in answered]
        elif speaks(row):
            return []
        at = row.parent
    return []
