"""Chatting: messages in, replies into the archive. One run a session; what is sent meanwhile waits in its queue."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from stemmata.domain.chat.run import HERE, Consent, Here, Outgoing, Phase, Question, Queued, RunEvent, RunState
from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Block, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.session_facts import EntryRow, Session
from stemmata.domain.errors import ConflictError, KnownError, NotFoundError, NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.memory_flush import MemoryFlush
from stemmata.services.chat.requests import RunOverrides, level_of
from stemmata.services.chat.run import Run, RunParts
from stemmata.services.chat.run_store import Annotations, MessageQueue, RunRecovery, beside_of, speaks
from stemmata.services.ports.archive import ArchiveReader
from stemmata.services.ports.providers import Loop

BROKEN = Flag.FAILED | Flag.ABORTED | Flag.CUT  # there may be more of it
_SHORT = (StopReason.REFUSAL.value, StopReason.CONTEXT_FULL.value)


@dataclass(frozen=True, slots=True)
class RestartPoint:
    """A run without a message of the person. `under` is a store key."""

    under: int | None
    overrides: RunOverrides


def regenerate_point(reader: ArchiveReader, session: int, entry: int) -> RestartPoint:
    """The turn's reply once more: from the prompt above the entry, with the model that is in force now."""
    row: EntryRow | None = _row(reader, entry)
    while row is not None and not _is_prompt(row):
        row = None if row.parent is None else _row(reader, row.parent)
    if row is None:
        raise NothingToDoError("There is no message above that could be answered again.")
    return RestartPoint(row.key, in_force(reader, session))


def retry_point(reader: ArchiveReader, session: int) -> RestartPoint:
    """The reply that broke off, or never came, once more: from what it was to answer."""
    broken = last_reply(reader, session)
    if broken is None or not (broken.flags & BROKEN or _is_none(reader, broken)):
        return RestartPoint(reader.session(session).leaf, in_force(reader, session))
    return RestartPoint(broken.parent, in_force(reader, session))


def _is_none(reader: ArchiveReader, reply: EntryRow) -> bool:
    """Whether it came to an end that is none: a refusal, a full window, or without a word."""
    body = reader.bodies([reply.key])[reply.key]
    stop = json.loads(body.details or "{}").get("stop") if reply.flags & Flag.OWN else None
    return stop in _SHORT or not plain_text(body.blocks).strip()


def continue_point(reader: ArchiveReader, session: int, entry: int | None = None) -> RestartPoint:
    """From what had come of the broken reply, as a reply that begins with it; else from where the session stands.

    `entry` is the reply that is meant, None for the one that the session stands at.
    """
    overrides = in_force(reader, session)
    broken = last_reply(reader, session) if entry is None else _row(reader, entry)
    if broken is None or broken.role is not Role.ASSISTANT or not broken.flags & BROKEN:
        return RestartPoint(reader.session(session).leaf, overrides)
    text = plain_text(reader.bodies([broken.key])[broken.key].blocks, "\n\n")
    return RestartPoint(broken.parent, replace(overrides, prefix=text.rstrip()))


def in_force(reader: ArchiveReader, session: int) -> RunOverrides:
    """Model and thinking level where the session stands: they hold for a reply that hangs from further up as well."""
    tree = reader.tree(session)
    projection = context_at(tree, tree.get(reader.session(session).leaf))
    return RunOverrides(projection.model, level_of(projection))


def last_reply(reader: ArchiveReader, session: int) -> EntryRow | None:
    """The reply the session stands at, tool results and what says nothing passed over; None at a prompt."""
    at = reader.session(session).leaf
    while at is not None:
        row = _row(reader, at)
        if row.role is Role.ASSISTANT and row.kind is Kind.MESSAGE:
            return row
        if speaks(row) and row.role is not Role.TOOL_RESULT:
            return None
        at = row.parent
    return None


def _is_prompt(row: EntryRow) -> bool:
    return speaks(row) and row.role in (Role.USER, Role.CUSTOM, Role.BASH_EXECUTION)


def _row(reader: ArchiveReader, key: int) -> EntryRow:
    row = reader.rows([key]).get(key)
    if row is None:
        raise NotFoundError(Phrase("There is no entry number {0}.", str(key)))
    return row


T = TypeVar("T")

PATIENCE = 10.0  # seconds

log = logging.getLogger(__name__)


class Runs:
    """Every method may be called from any thread; what runs, runs on the io loop."""

    def __init__(
        self,
        loop: Loop,
        parts: RunParts,
        queue: MessageQueue,
        annotations: Annotations,
        recovery: RunRecovery,
        flush: MemoryFlush | None = None,
    ) -> None:
        self._loop, self._parts, self._flush = loop, parts, flush
        self._queue, self._annotations, self._recovery = queue, annotations, recovery
        self._live: dict[int, _Session] = {}  # on the io loop only
        self._has_recovered = False
        self._unsaved: dict[int, tuple[Block, ...]] = {}
        self._background: set[asyncio.Task[Any]] = set()

    # -- sending ----------------------------------------------------------------------------------------------

    def send(
        self,
        session: int,
        message: Outgoing,
        *,
        under: int | Here | None = HERE,
        seen: int | Here | None = HERE,
        initiator: object = None,
    ) -> Future[int | None]:
        """Key of the stored message; None when it was queued, since a run is busy.

        `under` is the entry it hangs from, None for the start; what is sent there while a run is busy is queued too
        and goes below the leaf. `seen` is the leaf that the person saw: where another process has taken it from there
        meanwhile, the message stays there and begins a branch, which the run's state tells.
        """
        return self._loop.run(self._send(session, message, under, seen, initiator))

    def regenerate(self, session: int, entry: int) -> Future[None]:
        """The reply of the entry's turn once more, as a sibling. Fails with ConflictError while a run is busy."""

        return self._loop.run(self._restart(session, lambda reader: regenerate_point(reader, session, entry)))

    def go_on(self, session: int, entry: int | None = None) -> Future[None]:
        """Continue: a reply that begins with what had come of the broken one, beside it.

        `entry` is the reply that is gone on with, None for the last.
        """

        return self._loop.run(self._restart(session, lambda reader: continue_point(reader, session, entry)))

    def retry(self, session: int) -> Future[None]:
        """The broken reply once more, beside it; or the one that never came."""

        return self._loop.run(self._restart(session, lambda reader: retry_point(reader, session)))

    def new_session(self, *, cwd: str = "", title: str = "") -> Future[Session]:
        """An empty session of our own; the first message names it where no title does."""
        return self._annotations.session(cwd, title)

    # -- while it runs ----------------------------------------------------------------------------------------

    def stop(self, session: int) -> Future[None]:
        """Done when idle and stored. What waits stays in the queue."""
        return self._loop.run(self._stop(session))

    def state(self, session: int) -> RunState:
        return self._parts.states.state(session)

    def watch(self, watcher: Callable[[RunEvent], None]) -> Callable[[], None]:
        """Called on the io thread. Returns the function that ends the watch."""
        return self._parts.states.watch(watcher)

    def answer(self, question: Question, consent: Consent) -> None:
        """A question that is not asked any more is passed over."""

        async def tell() -> None:
            live = self._live.get(question.session)
            if live is not None and live.run is not None and live.run.place.run == question.run:
                live.run.answer(question.call, consent)

        self._loop.run(tell())

    def beside(self, session: int, tip: int | None) -> Future[int | None]:
        """The leaf, where another process has taken it from this place to something that was said; else None."""

        return self._queue.archive.read(lambda reader: beside_of(reader, session, tip))

    def unsaved(self, session: int) -> tuple[Block, ...]:
        """What came of a reply and could not be stored, for copying; empty once a run has gone well."""
        return self._unsaved.get(session, ())

    # -- the queue --------------------------------------------------------------------------------------------

    def queued(self, session: int) -> Future[tuple[Queued, ...]]:
        return self._queue.of(session)

    def change_queued(self, session: int, key: int, blocks: Sequence[Block]) -> Future[None]:
        """As all changes of the queue, fails with NotFoundError for a message that waits no longer."""
        return self._loop.run(self._queue.change(session, key, blocks))

    def move_queued(self, session: int, key: int, position: int) -> Future[None]:
        """To this place, counted from 0."""
        return self._loop.run(self._queue.move(session, key, position))

    def drop_queued(self, session: int, key: int) -> Future[None]:
        return self._loop.run(self._queue.drop(session, key))

    def send_now(self, session: int, key: int | None = None) -> Future[None]:
        """Steer: the run ends at the next block boundary and this message, else the first that waits, is sent."""
        return self._loop.run(self._send_now(session, key))

    # -- beside the conversation ------------------------------------------------------------------------------

    def note(self, session: int, text: str, command: str = "") -> Future[int]:
        """Kept below the leaf and never sent; its key."""
        return self._annotations.note(session, text, command)

    def pick_model(self, session: int, connection: str, model: str) -> Future[int]:
        return self._annotations.model(session, connection, model)

    def pick_level(self, session: int, level: str) -> Future[int]:
        return self._annotations.level(session, level)

    def recover(self) -> Future[int]:
        """Mend the runs of processes that are gone; how many there were."""
        return self._recovery.run()

    def close(self) -> None:
        """Stop what runs, so that it is stored. Blocks until that is done, and for some seconds at most."""
        try:
            self._loop.run(self._stop_all()).result(PATIENCE)
        except TimeoutError:  # what is not stored now is mended at the next start
            log.warning("Some runs did not end.")

    # -- on the io loop ---------------------------------------------------------------------------------------

    async def _send(
        self, session: int, message: Outgoing, under: int | Here | None, seen: int | Here | None, initiator: object
    ) -> int | None:
        if session in self._live:
            await self._queue.add(session, message)
            live = self._live.get(session)
            if live is not None:
                live.has_more = True
            else:  # the run ended meanwhile
                await self._serve_queue(session)
            return None
        live = self._live[session] = _Session()
        self._parts.states.set(RunState(session=session, phase=Phase.PREPARING))
        try:
            await self._recovered()
            place, key = await self._parts.store.begin(session, message, under, initiator, seen)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        self._start(session, live, Run(self._parts, place))
        return key

    async def _restart(self, session: int, find: Callable[[Any], RestartPoint]) -> None:
        if session in self._live:
            raise ConflictError("A reply is under way. Stop it first, or wait for its end.")
        live = self._live[session] = _Session()
        self._parts.states.set(RunState(session=session, phase=Phase.PREPARING))
        try:
            await self._recovered()
            start = await settled(self._queue.archive.read(find))
            place, _ = await self._parts.store.begin(session, None, start.under)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        self._start(session, live, Run(self._parts, place, start.overrides))

    async def _recovered(self) -> None:
        """What a process left behind that was killed is mended before anything is put behind it."""
        if not self._has_recovered:
            self._has_recovered = True
            await settled(self._recovery.run())

    def _start(self, session: int, live: _Session, run: Run) -> None:
        live.run = run
        live.task = asyncio.ensure_future(self._serve(session, live))

    async def _serve(self, session: int, live: _Session) -> None:
        """The run, and those of what waits behind it."""
        state = RunState(session=session)
        try:
            while live.run is not None:
                run = live.run
                if live.is_stopped:
                    run.stop()
                state = await run.go()
                self._unsaved[session] = run.unsaved
                self._parts.store.end(run.place)
                live.run = None
                if not run.is_stopped and (state.phase is Phase.IDLE or run.is_steered):
                    live.run = await self._after(session, live, run, state)
                is_quiet = live.run is None or not live.run.is_silent  # else what is to last is written down before
                if is_quiet and state.phase is not Phase.FAILED:  # else nothing came that made the context larger
                    self._later(self._compact(session))
        except KnownError as error:
            state = RunState(session=session, phase=Phase.FAILED, problem=str(error), offers=("retry",))
        finally:
            self._end(session, state)

    async def _after(self, session: int, live: _Session, run: Run, state: RunState) -> Run | None:
        """What waits; else a silent turn, or what came while it was found out whether it is time for one."""
        following = await self._next(session, live, run.place.tip) or await self._silent(session, run, state)
        return following or (await self._next(session, live, run.place.tip) if live.has_more else None)

    async def _silent(self, session: int, run: Run, state: RunState) -> Run | None:
        """A turn of the model's own, where nothing waits and there is nothing to tell of the run that ended."""
        is_over = state.phase is Phase.IDLE and not state.problem and state.beside is None
        if self._flush is None or run.is_silent or not is_over:
            return None
        try:
            return await self._flush.next(session)
        except KnownError as error:  # the reply is there, and is not told as one that failed
            log.info("The model was not asked for notes: %s", error)
            return None

    async def _next(self, session: int, live: _Session, seen: int | Here | None = HERE) -> Run | None:
        begun = None
        live.has_more = True
        while live.has_more and begun is None:
            live.has_more = False  # a message may come while the queue is looked at
            begun = await self._parts.store.begin_queued(session, seen)
        if begun is None:
            return None
        await self._queue.tell(session)
        return Run(self._parts, begun[0])

    def _end(self, session: int, state: RunState) -> None:
        live = self._live.pop(session)
        self._parts.states.set(state)
        live.ended.set()

    async def _stop(self, session: int) -> None:
        live = self._live.get(session)
        if live is None:
            if self.state(session).phase is not Phase.IDLE:
                self._parts.states.set(RunState(session=session))
            return
        live.is_stopped = True
        if live.run is not None:
            live.run.stop()
        await live.ended.wait()

    async def _stop_all(self) -> None:
        for session in list(self._live):
            await self._stop(session)
        while self._background:
            await asyncio.wait(self._background)

    async def _send_now(self, session: int, key: int | None) -> None:
        if key is not None:
            await self._queue.move(session, key, 0)
        live = self._live.get(session)
        if live is None:
            await self._serve_queue(session)
        elif live.run is not None:
            live.run.steer()

    async def _serve_queue(self, session: int) -> None:
        """Send what waits in a session where nothing runs."""
        if session in self._live:
            return
        live = self._live[session] = _Session()
        try:
            run = await self._next(session, live)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        if run is None:
            self._end(session, RunState(session=session))
        else:
            self._start(session, live, run)

    async def _compact(self, session: int) -> None:
        try:
            await self._parts.auto_compaction.when_due(session)
        except KnownError as error:
            log.info("The session was not compacted: %s", error)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


class _Session:
    """A session in which something runs."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.task: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()
        self.has_more = False
        self.is_stopped = False
