"""A run: requests, streams and tool calls, until the model is done or the user stops it."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.catalogue import Model, cost_of
from stemmata.domain.chat.run import (
    Consent,
    ConsentAsked,
    Partial,
    PartialText,
    Phase,
    Question,
    RunState,
    Stored,
    Streamed,
)
from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StopReason, StreamEvent
from stemmata.domain.compaction.summary.signed import REFUSED
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.overflow import is_silent_overflow
from stemmata.domain.requests.thinking import REFUSED as THINKING_REFUSED
from stemmata.domain.text.phrases import Phrase, joined, to_data
from stemmata.services.chat.auto_compaction import AutoCompaction, Need
from stemmata.services.chat.compaction_notices import cost_of_failure
from stemmata.services.chat.counting import Counting
from stemmata.services.chat.interrupt import Interrupt, StoppedError
from stemmata.services.chat.reply import ContinuedReply, KeptReply, is_cut
from stemmata.services.chat.requests import KEPT, NoModelError, PreparedRequest, RunOptions, RunOverrides, RunRequests
from stemmata.services.chat.run_states import (
    RunStates,
    comes_next,
    ending,
    limit_reached,
    not_sent,
    sent_as_text,
    sent_without_thoughts,
    too_large,
    too_long,
    too_many_rounds,
)
from stemmata.services.chat.run_store import RunPosition, RunStore, details_text
from stemmata.services.chat.tool_calls import BROKEN_OFF, SKIPPED, STOPPED, answered, result, unanswered
from stemmata.services.compaction.summarising import CompactionFailedError
from stemmata.services.ports.archive import Clock
from stemmata.services.ports.providers import Toolbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence


FIRST_WAIT = 1.0  # seconds
SPREAD = 0.25  # random share of the wait, so that clients do not retry at the same moment

# the offers for an entry that is larger than the window
WAYS_OUT = ("cut", "exclude", "summarise", "model", "take-back")
_OFFERS = {
    Fault.OVERFLOW: ("compact", "retry"),
    Fault.TOO_LARGE: ("compact", "retry"),
    Fault.UNUSABLE: ("model", "settings", "retry"),
    Fault.KEY: ("connect", "retry"),
    Fault.MODEL: ("model", "retry"),
    Fault.MONEY: ("connect", "retry"),
    Fault.SETUP: ("connect", "retry"),
    Fault.REQUEST: ("retry", "settings"),
}


def wait_before(attempt: int, error: ProviderError, longest: float, random: Random) -> float:
    """Return the seconds until the next try after `attempt` failures: the server's wish, else 1, 2, 4 … ± 25 %."""
    if error.retry_after is not None:
        return min(max(error.retry_after, 0.0), longest)
    return min(FIRST_WAIT * 2.0 ** (attempt - 1), longest) * random.uniform(1 - SPREAD, 1 + SPREAD)


def offers_for(error: ProviderError) -> tuple[str, ...]:
    """Return the offers to the user for a request that failed before its reply began."""
    return _OFFERS.get(error.fault, ("retry",))


_AT_ONCE = frozenset({Phase.PREPARING, Phase.COMPACTING, Phase.WAITING, Phase.RETRYING, Phase.ASKING})
_BUG = Phrase("A bug in Stemmata stopped the reply. The received part is kept. The log has the details.")
_LOST = Phrase("A bug in Stemmata prevented storing the reply. Copy the reply now. The log has the details.")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunParts:
    """The collaborators of every run."""

    store: RunStore
    requests: RunRequests
    counting: Counting
    auto_compaction: AutoCompaction
    states: RunStates
    toolbox: Toolbox
    options: RunOptions
    known_model: Callable[[str], Model | None]  # by connection/model
    learn_limit: Callable[[str, str, int | None], Awaitable[None]]  # connection, model, tokens of its window
    clock: Clock
    random: Random


class RoundsError(KnownError):
    """The model keeps calling tools, so that the user should check it."""


class TooLongError(KnownError):
    """The request exceeds the window and nothing more can be left out. It was not sent, or was refused."""


def _need(request: PreparedRequest) -> Need | None:
    """Return why a request needs a compaction before it is sent; None when it does not."""
    if request.is_too_long:
        return Need.ROOM
    if not request.fits:
        return Need.REPLY
    return Need.TRIGGER if request.is_due else None


class BrokenError(Exception):
    """A reply broke off after it began; the received part is stored."""


class Run:
    """One run, on the io loop. `go` returns the final state after everything is stored."""

    is_silent = False  # whether this is the silent turn of a memory flush

    def __init__(self, parts: RunParts, place: RunPosition, overrides: RunOverrides | None = None) -> None:
        self._parts, self._place = parts, place
        self._overrides = overrides or RunOverrides()
        self._interrupt = Interrupt()
        self._state = RunState(session=place.session, run=place.run)
        self._step = 0
        self._has_reduced = False
        self._too_large: int | None = None
        self._remark = ""  # a remark about the request, displayed with the phase
        self._storage_problem: KnownError | None = None
        self._consents: dict[str, asyncio.Future[Consent]] = {}
        self.unsaved: tuple[Block, ...] = ()
        self.is_stopped = False
        self.is_steered = False

    @property
    def place(self) -> RunPosition:
        """The run's position in the session."""
        return self._place

    @property
    def most_rounds(self) -> int:
        """The most replies with tool calls before the run pauses for the user."""
        return self._parts.options.chat().tool_rounds

    # -- from outside -----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop the run; the received part of the reply is stored."""
        self.is_stopped = True
        self._show(Phase.STOPPING)
        self._interrupt.set()

    def steer(self) -> None:
        """End the run at the next block boundary, and show that the queued message comes next."""
        self.is_steered = True
        if self._state.phase in _AT_ONCE:
            self._interrupt.set()
        elif not self.is_stopped:
            self._state = replace(self._state, remark=comes_next())
            self._parts.states.set(self._state)

    def answer(self, call: str, consent: Consent) -> None:
        """Answer the question for consent of a call."""
        waiting = self._consents.get(call)
        if waiting is not None and not waiting.done():
            waiting.set_result(consent)

    # -- the flow ---------------------------------------------------------------------------------------------

    async def go(self) -> RunState:
        """Run to the end and return the final state, which the caller publishes."""
        try:
            ended = await self._rounds()
            if ended is not None:
                return ended
        except StoppedError:
            if self._storage_problem is not None:  # the received part could be stored after all
                return self._ended(Phase.INTERRUPTED, str(self._storage_problem), ("continue", "retry"))
        except BrokenError as broken:
            return self._ended(Phase.INTERRUPTED, str(broken), ("continue", "retry"))
        except TooLongError as error:
            return replace(self._ended(Phase.FAILED, str(error), self._ways_out()), entry=self._too_large)
        except ProviderError as error:
            return self._ended(Phase.FAILED, str(error), offers_for(error))
        except RoundsError as error:
            return self._ended(Phase.FAILED, str(error), ("continue",))
        except NoModelError as error:
            return self._ended(Phase.FAILED, str(error), ("connect", "retry"))
        except CompactionFailedError as error:
            problem = joined(" ", [str(error), cost_of_failure(error.usage)])
            return self._ended(Phase.FAILED, problem, ("digest", "retry"))
        except KnownError as error:
            return self._ended(Phase.FAILED, str(error), ("copy", "retry") if self.unsaved else ("retry",))
        except Exception:
            log.exception("A run failed.")
            return self._ended(Phase.FAILED, *((_LOST, ("copy", "retry")) if self.unsaved else (_BUG, ("retry",))))
        return self._ended(Phase.IDLE)

    async def _rounds(self) -> RunState | None:
        """Send requests until the model is done; returns a state only when the last reply is incomplete."""
        most, paused = self.most_rounds, 0
        for _ in range(most):
            request, reply = await self._reply()
            calls = [block for block in reply.whole_blocks if isinstance(block, ToolCall)]
            await self._answer(request, calls)
            self._step += 1
            pauses = reply.ended is not None and reply.ended.reason is StopReason.PAUSE_TURN
            if self.is_steered or not (calls or pauses):
                return None if reply.ended is None else self._short(request, reply, reply.ended)
            paused += not calls
        raise RoundsError(too_many_rounds(most - paused, paused))

    def _short(self, request: PreparedRequest, reply: KeptReply, ended: ReplyEnded) -> RunState | None:
        """Return the state for a reply that ended early, such as at its limit of tokens; None for a complete one."""
        if is_cut(reply):
            return self._ended(Phase.IDLE, str(limit_reached(request.limit)), ("continue", "limit"))
        told = ending(ended.reason, request.model, is_empty=reply.is_empty)
        return None if told is None else self._ended(Phase.FAILED, *told)

    async def _reply(self) -> tuple[PreparedRequest, KeptReply]:
        """Request the next reply and store it."""
        attempt, request = 1, await self._prepared()
        while True:
            try:
                return request, await self._streamed(request, attempt)
            except ProviderError as error:
                has_room = error.fault is Fault.OVERFLOW and await self._has_room_now(request, error)
                if has_room or self._goes_unsigned(error) or self._leaves_out_thoughts(request, error):
                    request = await self._prepared()
                elif error.fault is Fault.OVERFLOW and request.culprit(error.limit) is not None:
                    raise self._too_long(request, error.limit) from error
                elif error.is_retried and attempt <= self._parts.options.chat().retries:
                    await self._wait(error, attempt)
                    attempt += 1
                    if not await self._interrupt.guard(self._parts.requests.is_current(request)):
                        request = await self._prepared()
                else:
                    raise

    async def _prepared(self) -> PreparedRequest:
        self._show(Phase.PREPARING)
        compaction, session = self._parts.auto_compaction, self._place.session
        request = await self._prepare()
        if not request.fits and compaction.is_behind(session):
            self._show(Phase.COMPACTING)
            await self._interrupt.guard(compaction.wait_for_compaction(session))
            request = await self._prepare()
        need = _need(request)
        if self.is_silent and need is Need.TRIGGER:
            need = None  # the notes are written from the whole context, before its compaction
        if need is not None and compaction.is_on(request.session):
            self._show(Phase.COMPACTING)
            if await self._has_room(request, "before-request", request.window, need):
                request = await self._prepare()
        if request.is_too_long and (request.is_counted or await self._is_refused(request)):
            raise self._too_long(request, request.window)
        return request

    async def _is_refused(self, request: PreparedRequest) -> bool:
        """Whether a request that is estimated as too long really is; the server counts it when it can."""
        request, _ = await self._interrupt.guard(self._parts.counting.counted(request))
        return not request.is_counted or request.is_too_long

    def _too_long(self, request: PreparedRequest, window: int | None) -> TooLongError:
        culprit = request.culprit(window)
        self._too_large = None if culprit is None else culprit.entry
        if culprit is None:
            return TooLongError(too_long(request.tokens or 0, window or 0))
        return TooLongError(too_large(culprit.tokens, request.model, window))

    def _ways_out(self) -> tuple[str, ...]:
        return ("compact", "model", "retry") if self._too_large is None else WAYS_OUT

    async def _prepare(self) -> PreparedRequest:
        place = self._place
        request = await self._interrupt.guard(self._parts.requests.prepare(place.session, place.tip, self._overrides))
        self._place = replace(place, tip=request.tip, connection=request.connection.name, model=request.model)
        uncounted: list[str] = []
        if self._parts.counting.is_wanted(request):
            request, problem = await self._interrupt.guard(self._parts.counting.counted(request))
            uncounted = [problem] if problem else []
        left_out = [not_sent(request.model, request.left_out)] if request.left_out else []
        if remarks := [*left_out, *request.troubles, *uncounted]:
            self._remark = joined(" ", remarks)
        return request

    async def _has_room_now(self, request: PreparedRequest, error: ProviderError) -> bool:
        """Compact after a refusal as too long; returns whether the context became smaller.

        This happens once until a reply arrives. A limit that the refusal names is stored and used from now on.
        """
        if error.limit is not None:
            await self._parts.learn_limit(request.connection.name, request.model, error.limit)
        if self._has_reduced or not self._parts.auto_compaction.helps_overflow(request.session):
            return False
        self._has_reduced = True
        self._show(Phase.COMPACTING)
        known = [size for size in (request.window, request.tokens) if size]  # the reported window is too large
        return await self._has_room(request, "overflow", error.limit or min(known, default=None))

    def _goes_unsigned(self, error: ProviderError) -> bool:
        """Return whether the server refused a signed summary; if so, further requests send it as plain text."""
        if error.code not in REFUSED or not self._overrides.signed:
            return False
        self._overrides, self._remark = replace(self._overrides, signed=False), str(sent_as_text())
        return True

    def _leaves_out_thoughts(self, request: PreparedRequest, error: ProviderError) -> bool:
        """Return whether the server refused earlier thinking; if so, further requests of the session leave it out."""
        asked = request.session.key, request.connection.name, request.model
        is_refused = error.code == THINKING_REFUSED
        if not is_refused or not self._parts.options.leave_out_thoughts(*asked, request.view.projection):
            return False
        self._remark = str(sent_without_thoughts())
        return True

    async def _has_room(
        self, request: PreparedRequest, trigger: str, window: int | None, need: Need = Need.ROOM
    ) -> bool:
        session, compaction = self._place.session, self._parts.auto_compaction
        reduced = compaction.make_room(session, request.tip, trigger, window, need)
        tip = await self._interrupt.guard(reduced)
        if tip is not None:
            self._place = replace(self._place, tip=tip)
        return tip is not None

    async def _wait(self, error: ProviderError, attempt: int) -> None:
        chat = self._parts.options.chat()
        seconds = wait_before(attempt, error, chat.longest_wait, self._parts.random)
        until = self._parts.clock.now() + round(seconds * 1e9)
        self._show(Phase.RETRYING, attempt=attempt + 1, retry_at=until, problem=str(error))
        await self._interrupt.guard(asyncio.sleep(seconds))

    # -- a reply ----------------------------------------------------------------------------------------------

    async def _streamed(self, request: PreparedRequest, attempt: int) -> KeptReply:
        place = self._place
        self._show(Phase.WAITING, attempt=attempt)
        later = asyncio.get_running_loop().call_later
        reply = KeptReply(self._step, f"run-{place.run}-{self._step}", self._keep, self._stream_shown, later)
        try:
            with closing(reply):
                await self._interrupt.guard(self._receive(request, reply))
        except StoppedError:
            await self._store_broken(request, reply, Flag.ABORTED, attempt, STOPPED)
            raise
        except ProviderError as error:
            has_come = error.begun if self._overrides.prefix else reply.has_come  # the prefix is stored already
            if not has_come:
                raise
            await self._store_broken(request, reply, Flag.FAILED, attempt, BROKEN_OFF, str(error))
            raise BrokenError(str(error)) from error
        await self._store_reply(request, reply, attempt)
        return reply

    async def _receive(self, request: PreparedRequest, reply: KeptReply) -> None:
        joined = ContinuedReply(self._overrides.prefix)
        async with aclosing(request.provider.stream(request.payload)) as stream:
            async for event in stream:
                if self._state.phase is Phase.WAITING:
                    self._show(Phase.STREAMING, attempt=self._state.attempt)
                for shown in joined.feed(event):
                    reply.take(shown)
                if self.is_steered and isinstance(event, BlockDone):
                    return
        if reply.ended is None:
            raise ProviderError(
                "The reply ended without a reason; it may be incomplete.", Fault.TRUNCATED, begun=reply.has_come
            )

    async def _store_reply(self, request: PreparedRequest, reply: KeptReply, attempt: int) -> None:
        flags, more = Flag.NONE, dict[str, Any]()
        blocks = reply.blocks
        if reply.ended is None:
            flags, more, blocks = Flag.UNFINISHED, {"steered": True}, reply.whole_blocks
            if not any(isinstance(block, Text | ToolCall) for block in blocks):
                flags |= Flag.ABORTED
        elif reply.ended.reason not in (StopReason.TOOL_USE, StopReason.PAUSE_TURN):
            flags |= Flag.ENDS_TURN
            if is_cut(reply):
                flags, more = flags | Flag.CUT, {"limit": request.limit}
            sent = reply.usage.sent if reply.usage else 0
            if is_silent_overflow(sent, request.window, ends_turn=reply.ended.reason is StopReason.END_TURN):
                more["overflowed"] = True
        if reply.is_silent:
            flags |= Flag.HIDDEN
        if reply.usage and request.refused_above is not None and reply.usage.sent > request.refused_above:
            # the model accepted more, so the stored limit is outdated
            await self._parts.learn_limit(request.connection.name, request.model, None)
        await self._append_reply(request, reply, blocks, flags, attempt, more)

    async def _store_broken(
        self, request: PreparedRequest, reply: KeptReply, flag: Flag, attempt: int, why: str, problem: str = ""
    ) -> None:
        """Store the received part of a broken reply, with the reason as the result of its calls."""
        blocks = reply.blocks
        if not reply.has_come:
            return
        await self._append_reply(
            request, reply, blocks, flag, attempt, {"problem": problem, "phrase": to_data(problem)}
        )
        for block in blocks:
            if isinstance(block, ToolCall):
                await self._append(unanswered(self._parts.store.entry, block, why))

    async def _append_reply(
        self, request: PreparedRequest, reply: KeptReply, blocks: tuple[Block, ...], flags: Flag, attempt: int,
        more: dict[str, Any],
    ) -> None:  # fmt: skip
        self.unsaved = blocks
        cached = {KEPT: request.cache_prefix, "cache_miss": request.cache_break}
        details = cached | reply.figures() | {"attempt": attempt if attempt > 1 else None} | more
        name, model = request.connection.name, request.model
        usage = reply.usage
        if usage is not None:
            usage = replace(usage, cost=cost_of(usage, self._parts.known_model(f"{name}/{model}")))
        entry = self._parts.store.entry(
            Kind.MESSAGE, role=Role.ASSISTANT, blocks=blocks, provider=name, model=model, usage=usage, flags=flags,
            details=details_text(details), fixed=request.fixed,
        )  # fmt: skip
        await self._append(entry)
        self.unsaved = ()
        self._has_reduced = False  # the compaction helped, so the next overflow may compact again
        self._overrides = replace(self._overrides, prefix="")

    # -- tools ------------------------------------------------------------------------------------------------

    async def _answer(self, request: PreparedRequest, calls: list[ToolCall]) -> None:
        store = self._parts.store
        waiting = list(calls)
        try:
            while waiting and not self.is_steered:
                call = waiting[0]
                self._show(Phase.TOOLS, tool=call.name)
                outcome = await answered(
                    self._parts.toolbox, request.session, call, self._ask, self._interrupt.guard
                )  # fmt: skip
                await self._append(result(store.entry, call, outcome), outcome.files)
                waiting.pop(0)
        finally:
            for call in waiting:
                await self._append(unanswered(store.entry, call, SKIPPED if self.is_steered else STOPPED))

    async def _ask(self, question: Question) -> Consent:
        place, phase = self._place, self._state.phase
        waiting: asyncio.Future[Consent] = asyncio.get_running_loop().create_future()
        self._consents[question.call] = waiting
        self._show(Phase.ASKING, tool=question.tool)
        self._parts.states.tell(ConsentAsked(replace(question, session=place.session, run=place.run)))
        try:
            return await waiting
        finally:
            del self._consents[question.call]
            if self._state.phase is Phase.ASKING:
                self._show(phase, tool=question.tool)

    # -- published state --------------------------------------------------------------------------------------

    async def _append(self, entry: Entry, files: Mapping[str, bytes] | None = None) -> None:
        self._place, key = await self._parts.store.append(self._place, entry, files)
        self._parts.states.tell(Stored(self._place.session, self._place.run, self._step, key))

    def _keep(self, parts: Sequence[Partial | PartialText]) -> None:
        loop = asyncio.get_running_loop()

        def failed(error: KnownError) -> None:
            with suppress(RuntimeError):  # the loop is closed and has no listeners any more
                loop.call_soon_threadsafe(self._storage_failed, error)

        self._parts.store.keep(self._place, parts, failed)

    def _storage_failed(self, error: KnownError) -> None:
        self._storage_problem = error
        self._interrupt.set()

    def _stream_shown(self, event: StreamEvent) -> None:
        self._parts.states.tell(Streamed(self._place.session, self._place.run, self._step, event))

    def _show(self, phase: Phase, **facts: Any) -> None:
        if self.is_stopped:
            phase = Phase.STOPPING
        place = self._place
        self._state = RunState(
            session=place.session, run=place.run, phase=phase, tip=place.tip, connection=place.connection,
            model=place.model, beside=place.beside, remark=self._remark, **facts,
        )  # fmt: skip
        self._parts.states.set(self._state)

    def _ended(self, phase: Phase, problem: str = "", offers: tuple[str, ...] = ()) -> RunState:
        place = self._place
        return RunState(
            session=place.session, run=place.run, phase=phase, tip=place.tip, connection=place.connection,
            model=place.model, beside=place.beside, problem=problem, offers=offers,
        )  # fmt: skip
