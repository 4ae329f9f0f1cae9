"""Chatting: each session has at most one run at a time; messages sent meanwhile wait in its queue."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import Any

from stemmata.domain.chat.run import (
    HERE,
    Consent,
    Here,
    OutgoingMessage,
    Phase,
    Question,
    QueuedMessage,
    RunEvent,
    RunState,
)
from stemmata.domain.entries.blocks import Block
from stemmata.domain.errors import ConflictError, KnownError
from stemmata.domain.sessions.session import Session
from stemmata.services.chat.finalising import Finalising
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.memory_flush import MemoryFlush
from stemmata.services.chat.restart_points import RestartPoint, continue_point, regenerate_point, retry_point
from stemmata.services.chat.run import Run, RunParts
from stemmata.services.chat.run_store import Annotations, MessageQueue, RunRecovery, beside_of
from stemmata.services.ports.providers import Loop

PATIENCE = 10.0  # seconds

log = logging.getLogger(__name__)


class Runs:
    """Starts and stops runs. Every method may be called from any thread; runs use the io loop."""

    def __init__(
        self,
        loop: Loop,
        parts: RunParts,
        queue: MessageQueue,
        annotations: Annotations,
        recovery: RunRecovery,
        finalising: Finalising,
        flush: MemoryFlush | None = None,
    ) -> None:
        self.loop, self.parts, self._flush, self._finalising = loop, parts, flush, finalising
        self._queue, self._annotations, self._recovery = queue, annotations, recovery
        self._live: dict[int, _LiveRun] = {}  # on the io loop only
        self._has_recovered = False
        self._unsaved: dict[int, tuple[Block, ...]] = {}
        self._background: set[asyncio.Task[Any]] = set()

    # -- sending ----------------------------------------------------------------------------------------------

    def send(
        self,
        session: int,
        message: OutgoingMessage,
        *,
        under: int | Here | None = HERE,
        seen: int | Here | None = HERE,
        initiator: object = None,
    ) -> Future[int | None]:
        """Send a message; returns its key, or None when it was queued because a run is busy.

        `under` is its parent, None for the start. A message to `under` during a busy run is queued and sent at the
        leaf. `seen` is the leaf that the user saw: when another process moved the leaf since, the message goes below
        `seen`, begins a branch, and the run's state says so.
        """
        return self.loop.run(self._send(session, message, under, seen, initiator))

    def regenerate(self, session: int, entry: int) -> Future[None]:
        """Request the reply of an entry's turn again, as a sibling. Fails with ConflictError while a run is busy."""
        return self.loop.run(self._restart(session, lambda reader: regenerate_point(reader, session, entry)))

    def go_on(self, session: int, entry: int | None = None) -> Future[None]:
        """Continue a broken reply: a sibling that begins with its received part.

        `entry` is the reply to continue, None for the last.
        """
        return self.loop.run(self._restart(session, lambda reader: continue_point(reader, session, entry)))

    def retry(self, session: int) -> Future[None]:
        """Request the broken or missing reply again, as a sibling."""
        return self.loop.run(self._restart(session, lambda reader: retry_point(reader, session)))

    def new_session(self, *, cwd: str = "", title: str = "") -> Future[Session]:
        """Create an empty session. Without a title, its first message becomes the title."""
        return self._annotations.session(cwd, title)

    def finalise(self, session: int) -> Future[None]:
        """Finalise a session that the user leaves, in the background, after its run has ended.

        The future is done as soon as this has begun.
        """

        async def begin() -> None:
            self._later(self._finalise(session))

        return self.loop.run(begin())

    # -- while it runs ----------------------------------------------------------------------------------------

    def stop(self, session: int) -> Future[None]:
        """Stop the run. Done when everything is stored. Queued messages stay in the queue."""
        return self.loop.run(self._stop(session))

    def state(self, session: int) -> RunState:
        """Return the state of a session's run."""
        return self.parts.states.state(session)

    def watch(self, watcher: Callable[[RunEvent], None]) -> Callable[[], None]:
        """Add a watcher, called on the io thread, and return the function that removes it."""
        return self.parts.states.watch(watcher)

    def answer(self, question: Question, consent: Consent) -> None:
        """Answer a question for consent. An answer to an outdated question is ignored."""

        async def tell() -> None:
            live = self._live.get(question.session)
            if live is not None and live.run is not None and live.run.place.run == question.run:
                live.run.answer(question.call, consent)

        self.loop.run(tell())

    def beside(self, session: int, tip: int | None) -> Future[int | None]:
        """Return the leaf (store key) when another process moved it from `tip` to a message; None otherwise."""
        return self._queue.archive.read(lambda reader: beside_of(reader, session, tip))

    def unsaved(self, session: int) -> tuple[Block, ...]:
        """Return the received blocks that could not be stored, for copying; empty after a good run."""
        return self._unsaved.get(session, ())

    # -- automatic compaction ---------------------------------------------------------------------------------

    def count_down(self, seconds: float) -> None:
        """Give the user this many seconds to refuse a session's first automatic compaction; 0 for no countdown."""
        self.parts.auto_compaction.countdown.seconds = seconds

    def answer_compaction(self, session: int, *, begin: bool) -> None:
        """End the countdown before an automatic compaction: compact now, or not now."""

        async def tell() -> None:
            self.parts.auto_compaction.countdown.answer(session, begin=begin)

        self.loop.run(tell())

    def settled(self) -> Future[None]:
        """Wait until automatic compactions after replies and summaries of left sessions are stored or have failed."""
        return self.loop.run(self._settled())

    # -- the queue --------------------------------------------------------------------------------------------

    def queued(self, session: int) -> Future[tuple[QueuedMessage, ...]]:
        """Return the queued messages of a session, in order."""
        return self._queue.of(session)

    def change_queued(self, session: int, key: int, blocks: Sequence[Block]) -> Future[None]:
        """Replace a queued message.

        Like all changes of the queue, fails with NotFoundError when it was sent already.
        """
        return self.loop.run(self._queue.change(session, key, blocks))

    def move_queued(self, session: int, key: int, position: int) -> Future[None]:
        """Move a queued message to a position, counted from 0."""
        return self.loop.run(self._queue.move(session, key, position))

    def drop_queued(self, session: int, key: int) -> Future[None]:
        """Delete a queued message."""
        return self.loop.run(self._queue.drop(session, key))

    def send_now(self, session: int, key: int | None = None) -> Future[None]:
        """End the run at the next block boundary and send a queued message: `key`, or the first when None."""
        return self.loop.run(self._send_now(session, key))

    # -- beside the conversation ------------------------------------------------------------------------------

    def note(self, session: int, text: str, command: str = "", since: int | None = None) -> Future[int]:
        """Store a note below the leaf and return its key. Notes are never sent.

        `since` is the last step of the session before the command: the note is undone together with the effect of the
        command.
        """
        return self._annotations.note(session, text, command, since)

    def pick_model(self, session: int, connection: str, model: str) -> Future[int]:
        """Store the pick of a model below the leaf and return its key."""
        return self._annotations.model(session, connection, model)

    def pick_level(self, session: int, level: str) -> Future[int]:
        """Store the pick of a thinking level below the leaf and return its key."""
        return self._annotations.level(session, level)

    def recover(self) -> Future[int]:
        """Recover the runs of dead processes and return their number."""
        return self._recovery.run()

    def close(self) -> None:
        """Stop all runs and store their replies. Blocks until that is done, for `PATIENCE` seconds at most."""
        try:
            self.loop.run(self._stop_all()).result(PATIENCE)
        except TimeoutError:  # the next start recovers the rest
            log.warning("Some runs did not end.")

    # -- on the io loop ---------------------------------------------------------------------------------------

    async def _send(
        self,
        session: int,
        message: OutgoingMessage,
        under: int | Here | None,
        seen: int | Here | None,
        initiator: object,
    ) -> int | None:
        if under is HERE and session not in self._live and self._waits(session):
            self.parts.auto_compaction.countdown.answer(session, begin=True)
            await self._queue.add(session, message)  # `_compact` sends it in the session that continues
            return None
        if session in self._live:
            await self._queue.add(session, message)
            live = self._live.get(session)
            if live is not None:
                live.has_more = True
            else:  # the run has ended meanwhile
                await self._serve_queue(session)
            return None
        live = self._live[session] = _LiveRun()
        self.parts.states.set(RunState(session=session, phase=Phase.PREPARING))
        try:
            await self._recovered()
            place, key = await self.parts.store.begin(session, message, under, initiator, seen)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        self._start(session, live, Run(self.parts, place))
        return key

    async def _restart(self, session: int, find: Callable[[Any], RestartPoint]) -> None:
        if session in self._live:
            raise ConflictError("A reply is running. Stop it, or wait until it ends.")
        live = self._live[session] = _LiveRun()
        self.parts.states.set(RunState(session=session, phase=Phase.PREPARING))
        try:
            await self._recovered()
            start = await settled(self._queue.archive.read(find))
            place, _ = await self.parts.store.begin(session, None, start.under)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        self._start(session, live, Run(self.parts, place, start.overrides))

    async def _recovered(self) -> None:
        """Wait until the runs of killed processes are recovered, because new entries go below theirs."""
        if not self._has_recovered:
            self._has_recovered = True
            await settled(self._recovery.run())

    def _start(self, session: int, live: _LiveRun, run: Run) -> None:
        live.run = run
        live.task = asyncio.ensure_future(self._serve(session, live))

    async def _serve(self, session: int, live: _LiveRun) -> None:
        """Run the current run of a session, then one run for each of its queued messages."""
        state = RunState(session=session)
        try:
            while live.run is not None:
                run = live.run
                if live.is_stopped:
                    run.stop()
                state = await run.go()
                self._unsaved[session] = run.unsaved
                self.parts.store.end(run.place)
                live.run = None
                if not run.is_stopped and (state.phase is Phase.IDLE or run.is_steered):
                    live.run = await self._next_run(session, live, run, state)
                is_quiet = live.run is None or not live.run.is_silent  # a due memory flush runs before the compaction
                # a failed run did not enlarge the context, and after *Stop* nothing more is to be done
                if is_quiet and state.phase is not Phase.FAILED and not run.is_stopped:
                    self._later(self._compact(session))
        except KnownError as error:
            state = RunState(session=session, phase=Phase.FAILED, problem=str(error), offers=("retry",))
        finally:
            self._end(session, state)

    async def _next_run(self, session: int, live: _LiveRun, run: Run, state: RunState) -> Run | None:
        """Return the next run: the run of a queued message, else a due memory flush; None when there is neither.

        The queue waits when the conversation is about to go on in a new session.
        """
        if state.phase is not Phase.FAILED and await self.parts.auto_compaction.moves_now(session):
            return await self._memory_flush(session, run, state)
        following = await self._queued_run(session, live, run.place.tip) or await self._memory_flush(
            session, run, state
        )
        return following or (await self._queued_run(session, live, run.place.tip) if live.has_more else None)

    async def _memory_flush(self, session: int, run: Run, state: RunState) -> Run | None:
        """Return a due memory flush, when the queue is empty and the last run ended without a message."""
        is_over = state.phase is Phase.IDLE and not state.problem and state.beside is None
        if self._flush is None or run.is_silent or not is_over:
            return None
        try:
            return await self._flush.next(session)
        except KnownError as error:  # logged only: the reply succeeded and must not look failed
            log.info("The model was not asked for notes: %s", error)
            return None

    async def _queued_run(self, session: int, live: _LiveRun, seen: int | Here | None = HERE) -> Run | None:
        """Return a run for the first queued message; None when the queue is empty."""
        begun = None
        live.has_more = True
        while live.has_more and begun is None:
            live.has_more = False  # a message may arrive while the queue is read
            begun = await self.parts.store.begin_queued(session, seen)
        if begun is None:
            return None
        await self._queue.tell(session)
        return Run(self.parts, begun[0])

    def _end(self, session: int, state: RunState) -> None:
        live = self._live.pop(session)
        self.parts.states.set(state)
        live.ended.set()

    async def _stop(self, session: int) -> None:
        live = self._live.get(session)
        if live is None:
            if self.state(session).phase is not Phase.IDLE:
                self.parts.states.set(RunState(session=session))
            return
        live.is_stopped = True
        if live.run is not None:
            live.run.stop()
        await live.ended.wait()

    async def _stop_all(self) -> None:
        for session in list(self._live):
            await self._stop(session)
        await self._settled()

    async def _settled(self) -> None:
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
        """Send the queued messages of a session without a run."""
        if session in self._live or self._waits(session):
            return
        live = self._live[session] = _LiveRun()
        try:
            run = await self._queued_run(session, live)
        except BaseException:
            self._end(session, RunState(session=session))
            raise
        if run is None:
            self._end(session, RunState(session=session))
        else:
            self._start(session, live, run)

    def _waits(self, session: int) -> bool:
        """Whether messages to a session wait for a compaction that may begin a new session."""
        compaction = self.parts.auto_compaction
        return compaction.moves and compaction.is_behind(session)

    async def _compact(self, session: int) -> None:
        """Compact a session after a reply, then send messages queued meanwhile in the session that continues."""
        compaction, place = self.parts.auto_compaction, session
        moves = compaction.moves
        try:
            waiting = await settled(self._queue.of(session)) if moves else ()
            place = await compaction.when_due(session, at_once=len(waiting) > 0) or session
        except KnownError as error:
            log.info("The session was not compacted: %s", error)
        if moves:
            await self._queue.hand_over(session, place)
            if await settled(self._queue.of(place)):
                await self._serve_queue(place)

    async def _finalise(self, session: int) -> None:
        live = self._live.get(session)
        if live is not None:
            await live.ended.wait()
        try:
            await self._finalising.finalise(session)
        except KnownError as error:
            log.info("The session was not finalised: %s", error)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


class _LiveRun:
    """The current run of a session, and the task that makes one run after the other while messages are queued.

    `run` is None while the next run is prepared. `has_more` says that messages may have been queued since the queue
    was last read.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self.task: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()
        self.has_more = False
        self.is_stopped = False
