"""The parts of a run by themselves: replies in pieces, waits, interrupts, the queue."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from stemmata.domain.chat.run import Partial, PartialText, Phase, RunState, append_text
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    Fault,
    ProviderError,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Usage
from stemmata.services.chat.interrupt import Interrupt, StoppedError, settled
from stemmata.services.chat.reply import ContinuedReply, KeptReply
from stemmata.services.chat.run import Run, offers_for, wait_before
from stemmata.services.chat.run_store import RunPosition
from tests.fakes.scripted_provider import ScriptedBench

TEXT = BlockKind.TEXT


class FileVersion:
    """A reply with the parts that were stored and those that were shown."""

    def __init__(self, *events: StreamEvent) -> None:
        self.kept: list[Partial | PartialText] = []
        self.shown: list[StreamEvent] = []
        self.loop = asyncio.new_event_loop()
        self.timers: list[asyncio.TimerHandle] = []
        self.reply = KeptReply(2, "run-7-2", self.kept.extend, self.shown.append, self._later)
        self.take(*events)
        self.loop.close()

    def take(self, *events: StreamEvent) -> None:
        for event in events:
            self.reply.take(event)

    def _later(self, seconds: float, work: Callable[[], None]) -> asyncio.TimerHandle:
        assert seconds <= 0.5  # what is shown for a second is stored, also on a busy machine
        self.timers.append(asyncio.TimerHandle(0, work, (), self.loop))
        return self.timers[-1]

    def pass_time(self) -> None:
        """Run the timers that are due."""
        due, self.timers = self.timers, []
        for timer in due:
            if not timer.cancelled():
                timer._run()


def test_whole_blocks_are_kept_at_once() -> None:
    taken = FileVersion(
        ReplyStarted("id", "m"),
        BlockStarted(0, TEXT),
        BlockGrew(0, "Hi"),
        BlockDone(0, Text("Hi")),
        ReplyEnded(StopReason.OTHER),
    )
    assert taken.kept == [Partial(2, 0, Text("Hi"), whole=True)]
    assert taken.reply.whole_blocks == taken.reply.blocks == (Text("Hi"),)
    assert taken.reply.figures()["stop"] == "other"


@pytest.mark.parametrize(
    ("kind", "piece", "block"),
    [
        (TEXT, "ab", Text("ab")),
        (BlockKind.THINKING, "ab", Thinking("ab")),
        (BlockKind.TOOL_CALL, '{"a', ToolCall("run-7-2-0", "look", '{"a')),
    ],
)
def test_text_of_an_open_block_is_stored_though_no_more_comes(kind: BlockKind, piece: str, block: Block) -> None:
    taken = FileVersion(BlockStarted(0, kind, "look"), BlockGrew(0, piece))
    assert taken.kept == []
    taken.pass_time()
    begun, grown_by = taken.kept
    assert isinstance(begun, Partial)
    assert not begun.whole
    assert grown_by == PartialText(2, 0, piece)
    assert append_text(begun.block, piece) == block
    assert taken.reply.blocks == (block,)
    assert taken.reply.whole_blocks == ()


def test_each_piece_of_a_block_is_stored_once() -> None:
    """Storing more of a long reply costs only the new part."""
    taken = FileVersion(BlockStarted(0, TEXT))
    for _ in range(50):
        taken.take(BlockGrew(0, "one "), BlockGrew(0, "two "))
        taken.pass_time()
    assert taken.kept == [Partial(2, 0, Text(""), whole=False), *[PartialText(2, 0, "one two ")] * 50]
    taken.pass_time()
    assert len(taken.kept) == 51
    taken.take(BlockDone(0, Text("one two " * 50)))
    assert taken.kept[51:] == [Partial(2, 0, Text("one two " * 50), whole=True)]


def test_a_call_is_stored_when_it_is_named() -> None:
    taken = FileVersion(BlockStarted(0, BlockKind.TOOL_CALL, "look"))
    taken.pass_time()
    assert taken.kept == [Partial(2, 0, ToolCall("run-7-2-0", "look", ""), whole=False)]
    taken.take(BlockGrew(0, '{"a'))
    taken.pass_time()
    assert taken.kept[1:] == [PartialText(2, 0, '{"a')]


def test_nothing_is_stored_once_a_reply_is_over() -> None:
    taken = FileVersion(BlockStarted(0, TEXT), BlockGrew(0, "Hi"))
    taken.reply.close()
    taken.pass_time()
    assert taken.kept == []
    taken.reply.close()


def test_what_is_worth_nothing_before_its_end_is_not_kept() -> None:
    taken = FileVersion(
        BlockStarted(0, BlockKind.OPAQUE), BlockGrew(0, "x"), BlockStarted(1, TEXT), BlockGrew(9, "of no block")
    )
    taken.pass_time()
    assert taken.kept == []
    assert not taken.reply.blocks
    taken.reply.take(BlockDone(0, UnknownBlock("o", "{}")))
    assert taken.reply.blocks == (UnknownBlock("o", "{}"),)


def test_a_call_that_had_just_begun_has_no_arguments() -> None:
    assert FileVersion(BlockStarted(0, BlockKind.TOOL_CALL, "look")).reply.blocks == (
        ToolCall("run-7-2-0", "look", "{}"),
    )


def test_figures_tell_what_the_server_told() -> None:
    ended = ReplyEnded(StopReason.END_TURN, Usage(output=9), thinking=4, cache_miss="tools")
    figures = FileVersion(ReplyStarted("id"), BlockStarted(0, TEXT), BlockDone(0, Text("x")), ended).reply.figures()
    assert (figures["message"], figures["thinking_tokens"], figures["cache_miss"]) == ("id", 4, "tools")
    assert figures["tokens_per_second"] > 0
    assert "ttft_ms" not in FileVersion(ReplyStarted("id"), ReplyEnded(StopReason.END_TURN)).reply.figures()


def test_figures_tell_how_long_each_thought_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("stemmata.services.chat.reply.time.monotonic", lambda: float(next(clock)))
    thought = BlockStarted(0, BlockKind.THINKING), BlockDone(0, Thinking("hm"))
    figures = FileVersion(*thought, BlockStarted(1, TEXT), BlockDone(1, Text("x"))).reply.figures()
    (took,) = figures["thinking_ms"]
    assert took > 0
    assert took % 1000 == 0
    unknown = FileVersion(*thought, BlockDone(1, Thinking("not begun")))
    assert "thinking_ms" not in unknown.reply.figures()
    assert "thinking_ms" not in FileVersion(BlockDone(0, Text("x"))).reply.figures()


def test_counts_of_the_beginning_stand_where_the_end_has_none() -> None:
    reply = FileVersion(ReplyStarted("id", "m", Usage(input=5)), ReplyEnded(StopReason.END_TURN)).reply
    assert reply.usage == Usage(input=5)


def test_an_empty_text_is_shown_as_a_block() -> None:
    events: list[StreamEvent] = [BlockStarted(0, TEXT), BlockDone(0, Text(""))]
    assert FileVersion(*events).shown == events


def test_after_a_silent_beginning_no_text_is_shown() -> None:
    silent: list[StreamEvent] = [
        BlockStarted(0, TEXT),
        BlockGrew(0, "NO_REPLY then"),
        BlockGrew(0, " more"),
        BlockDone(0, Text("NO_REPLY then more")),
    ]
    more: list[StreamEvent] = [BlockStarted(1, TEXT), BlockGrew(1, "second"), BlockDone(1, Text("second"))]
    taken = FileVersion(*silent, *more, ReplyEnded(StopReason.END_TURN))
    assert taken.shown == [ReplyEnded(StopReason.END_TURN)]
    assert taken.reply.is_silent


# -- going on --------------------------------------------------------------------------------------------------------


def test_a_reply_goes_on_in_the_same_block() -> None:
    going = ContinuedReply("It was ")
    events: list[StreamEvent] = [
        ReplyStarted(),
        BlockStarted(0, TEXT),
        BlockGrew(0, "dark."),
        BlockDone(0, Text("dark.")),
    ]
    events += [BlockStarted(1, TEXT), ReplyEnded(StopReason.END_TURN)]
    assert [shown for event in events for shown in going.feed(event)] == [
        ReplyStarted(), BlockStarted(0, TEXT), BlockGrew(0, "It was "), BlockGrew(0, "dark."),
        BlockDone(0, Text("It was dark.")),
        BlockStarted(1, TEXT), ReplyEnded(StopReason.END_TURN),
    ]  # fmt: skip


def test_what_had_come_stands_before_a_block_of_another_kind() -> None:
    going, call = ContinuedReply("It was "), ToolCall("c", "look")
    events: list[StreamEvent] = [BlockStarted(0, BlockKind.TOOL_CALL, "look"), BlockDone(0, call)]
    assert [shown for event in events for shown in going.feed(event)] == [
        BlockStarted(0, TEXT), BlockGrew(0, "It was "), BlockDone(0, Text("It was ")),
        BlockStarted(1, BlockKind.TOOL_CALL, "look"), BlockDone(1, call),
    ]  # fmt: skip


def test_a_model_with_nothing_to_add_leaves_what_had_come() -> None:
    shown = list(ContinuedReply("All.").feed(ReplyEnded(StopReason.END_TURN)))
    assert shown[2:] == [BlockDone(0, Text("All.")), ReplyEnded(StopReason.END_TURN)]


# -- waiting ---------------------------------------------------------------------------------------------------------


def error(fault: Fault = Fault.SERVER, retry_after: float | None = None) -> ProviderError:
    return ProviderError("x", fault, retry_after=retry_after)


def test_waits_double_and_spread() -> None:
    waits = [wait_before(attempt, error(), 60, Random(attempt)) for attempt in range(1, 9)]
    assert all(0.75 * 2**at <= wait <= 1.25 * 2**at for at, wait in enumerate(waits[:6]))
    assert all(45 <= wait <= 75 for wait in waits[6:])


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (7200.0, 60.0), (-3.0, 0.0)])
def test_the_server_may_ask_for_a_while_and_not_for_ever(asked: float, waited: float) -> None:
    assert wait_before(1, error(retry_after=asked), 60, Random(0)) == waited


def test_every_fault_offers_something() -> None:
    assert all("retry" in offers_for(error(fault)) for fault in Fault)


# -- interrupts ------------------------------------------------------------------------------------------------------


async def _forever() -> None:
    await asyncio.Event().wait()


def test_what_is_guarded_ends_when_the_run_is_stopped() -> None:
    async def main() -> None:
        interrupt = Interrupt()
        asyncio.get_running_loop().call_soon(interrupt.set)
        with pytest.raises(StoppedError):
            await interrupt.guard(_forever())
        with pytest.raises(StoppedError):
            await interrupt.guard(_forever())

    asyncio.run(main())


def test_what_cancels_the_run_itself_passes_through() -> None:
    async def main() -> None:
        task = asyncio.ensure_future(Interrupt().guard(_forever()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_what_is_stored_is_stored_whoever_cancels(chat: ScriptedBench) -> None:
    async def main() -> None:
        session = chat.session()
        task = asyncio.ensure_future(
            settled(chat.archive.write(lambda writer: writer.save_draft(session, "x", time=1)))
        )
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    [session] = chat.services.sessions.all().result()
    assert chat.services.drafts.get(session.key).result() == "x"


def test_the_error_of_a_job_is_freed_at_once() -> None:
    """The garbage collector runs rarely, and an error refers to everything that the job used."""

    class JobError(Exception):
        pass

    def failed() -> Future[None]:
        future: Future[None] = Future()
        future.set_exception(JobError())
        return future

    async def main() -> weakref.ref[JobError]:
        try:
            await settled(failed())
        except JobError as error:
            return weakref.ref(error)
        raise AssertionError

    gone = asyncio.run(main())
    assert gone() is None


def test_a_run_that_was_stopped_is_not_steered() -> None:
    shown: list[RunState] = []
    parts: Any = SimpleNamespace(states=SimpleNamespace(set=shown.append))
    run = Run(parts, RunPosition(session=1, run=2, tip=3))
    run.stop()
    run.steer()
    assert [(state.phase, state.remark) for state in shown] == [(Phase.STOPPING, "")]
