"""Events of the io thread, gathered for the window."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import Phase, RunChanged, RunEvent, RunState, Stored, Streamed
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Text
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.streams import StreamingReply, Streams


class Runs:
    """Sends the test's events to its watchers, from another thread."""

    def __init__(self) -> None:
        self.watchers: list[Callable[[RunEvent], None]] = []

    def watch(self, callback: Callable[[RunEvent], None]) -> Callable[[], None]:
        self.watchers.append(callback)
        return lambda: self.watchers.remove(callback)

    def tell(self, *events: RunEvent) -> None:
        def run() -> None:
            for event in events:
                for watcher in self.watchers:
                    watcher(event)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()


@pytest.fixture
def runs() -> Runs:
    return Runs()


@pytest.fixture
def streams(runs: Runs, qtbot: QtBot) -> Iterator[Streams]:
    bridge = Bridge()
    streams = Streams(bridge)
    streams.watch(runs.watch)
    yield streams
    streams.close()
    bridge.close()
    streams.deleteLater()
    bridge.deleteLater()


def streamed(*events: StreamEvent, step: int = 0, session: int = 1) -> list[Streamed]:
    return [Streamed(session, 1, step, event) for event in events]


def text_of(reply: StreamingReply) -> str:
    return "".join(piece for block in reply.blocks.values() for piece in block.pieces)


def test_a_reply_grows_and_is_told_once_a_batch(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    told: list[int] = []
    streams.grew.connect(told.append)
    pieces = [BlockGrew(0, f"{number} ") for number in range(500)]
    with qtbot.waitSignal(streams.grew):
        runs.tell(*streamed(ReplyStarted("m", "claude"), BlockStarted(0, BlockKind.TEXT), *pieces))
    qtbot.waitUntil(lambda: bool(streams.replies(1)) and len(streams.replies(1)[0].blocks[0].pieces) == 500)
    assert streams.replies(1)[0].model == "claude"
    assert len(told) <= 2
    assert streams.replies(2) == ()


def test_a_stored_reply_stays_until_the_transcript_has_it(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    done = BlockDone(0, Text("Hi"))
    runs.tell(
        *streamed(
            ReplyStarted(),
            BlockStarted(0, BlockKind.TEXT),
            BlockGrew(0, "Hi"),
            done,
            ReplyEnded(StopReason.END_TURN),
        )
    )
    runs.tell(Stored(1, 1, 0, 77), RunChanged(RunState(session=1)))
    qtbot.waitUntil(lambda: [(reply.entry, reply.ended) for reply in streams.replies(1)] == [(77, True)])
    assert streams.state(1).phase is Phase.IDLE
    streams.forget(1, lambda entry: entry == 5)
    assert streams.replies(1)
    streams.forget(1, lambda entry: entry == 77)
    assert not streams.replies(1)


def test_a_second_try_of_the_same_step_begins_anew(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    runs.tell(*streamed(ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "first")))
    qtbot.waitUntil(lambda: bool(streams.replies(1)))
    runs.tell(*streamed(ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "second")))
    qtbot.waitUntil(lambda: [text_of(reply) for reply in streams.replies(1)] == ["second"])


def test_the_next_step_stands_behind_the_stored_one(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    runs.tell(*streamed(ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "one")), Stored(1, 1, 0, 5))
    runs.tell(*streamed(ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "two"), step=1))
    qtbot.waitUntil(lambda: [text_of(reply) for reply in streams.replies(1)] == ["one", "two"])


def test_what_was_never_stored_goes_with_its_run(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    runs.tell(*streamed(ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "lost")))
    qtbot.waitUntil(lambda: bool(streams.replies(1)))
    runs.tell(RunChanged(RunState(session=1, run=1)))
    qtbot.waitUntil(lambda: not streams.replies(1))


def test_pieces_of_blocks_that_never_began_are_passed_over(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    with qtbot.waitSignal(streams.grew):
        runs.tell(*streamed(BlockGrew(4, "x"), BlockDone(9, Text("y"))))
    assert streams.replies(1)[0].blocks == {}


def test_states_are_told_with_their_newest(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    told: list[RunState] = []
    streams.state_changed.connect(told.append)
    with qtbot.waitSignal(streams.state_changed):
        runs.tell(*(RunChanged(RunState(session=1, phase=phase)) for phase in (Phase.PREPARING, Phase.WAITING)))
    qtbot.waitUntil(lambda: streams.state(1).phase is Phase.WAITING)
    assert told[-1].phase is Phase.WAITING
    assert streams.state(None).phase is Phase.IDLE


def test_nothing_is_heard_after_closing(runs: Runs, streams: Streams) -> None:
    streams.close()
    assert runs.watchers == []


def test_a_second_try_takes_the_place_of_the_first(runs: Runs, streams: Streams, qtbot: QtBot) -> None:
    """The first broke after a block had begun, before its text."""
    first = streamed(
        ReplyStarted("m", "claude"), BlockStarted(0, BlockKind.THINKING), BlockStarted(1, BlockKind.TEXT)
    )
    runs.tell(
        *first, *streamed(ReplyStarted("m", "claude"), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "At last."))
    )
    qtbot.waitUntil(lambda: [text_of(reply) for reply in streams.replies(1)] == ["At last."])
    assert list(streams.replies(1)[0].blocks) == [0]


@pytest.mark.parametrize(("text", "left"), [((), 0), ((BlockGrew(0, "not stored"),), 1)], ids=["nothing", "text"])
def test_a_run_that_fails_leaves_what_can_still_be_copied(
    runs: Runs, streams: Streams, qtbot: QtBot, text: tuple[StreamEvent, ...], left: int
) -> None:
    runs.tell(*streamed(ReplyStarted("m", "claude"), BlockStarted(0, BlockKind.TEXT), *text))
    qtbot.waitUntil(lambda: len(streams.replies(1)) == 1)
    runs.tell(RunChanged(RunState(session=1, phase=Phase.FAILED, problem="It broke.")))
    qtbot.waitUntil(lambda: streams.state(1).phase is Phase.FAILED and len(streams.replies(1)) == left)
