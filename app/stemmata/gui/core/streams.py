"""Collects the events of runs from the io thread, and passes them to the GUI thread in intervals."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.chat.run import (
    AutoCompacting,
    CompactionStage,
    ConsentAsked,
    Noticed,
    Phase,
    QueueChanged,
    RunChanged,
    RunEvent,
    RunState,
    SessionContinued,
    Stored,
    Streamed,
)
from stemmata.domain.chat.streaming import BlockDone, BlockGrew, BlockKind, BlockStarted, ReplyEnded, ReplyStarted
from stemmata.domain.entries.blocks import Block
from stemmata.gui.core.bridge import Bridge

GATHER_MS = 30  # two frames: events that arrive within them are painted together

Watch = Callable[[Callable[[RunEvent], None]], Callable[[], None]]


@dataclass(slots=True)
class OpenBlock:
    """A streaming block: the text `pieces` received so far, and `done`, the complete block at its end."""

    kind: BlockKind
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    done: Block | None = None


@dataclass(slots=True)
class StreamingReply:
    """A reply that is streaming, or that is stored as `entry` (store key) but not yet in the shown tree."""

    session: int
    run: int
    step: int
    model: str = ""
    blocks: dict[int, OpenBlock] = field(default_factory=dict)  # by index in the stream, in the order of their start
    characters: int = 0  # number of characters in all blocks
    since: float = 0.0  # time of the first character, in seconds of the monotonic clock
    ended: bool = False
    entry: int | None = None


class Streams(QObject):
    """The states and streaming replies of all runs.

    Signals are emitted on the GUI thread, at most every GATHER_MS.
    """

    state_changed = Signal(object)  # RunState
    grew = Signal(int)  # key of the session whose streaming replies changed
    queue_changed = Signal(object)  # QueueChanged
    asked = Signal(object)  # Question
    compacting = Signal(object)  # AutoCompacting
    noticed = Signal(object)  # Noticed
    continued = Signal(object)  # SessionContinued

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._came: deque[RunEvent] = deque()
        self._states: dict[int, RunState] = {}
        self._replies: dict[int, list[StreamingReply]] = {}
        self._compacting: dict[int, AutoCompacting] = {}
        self._unwatch: Callable[[], None] | None = None
        self._wake = bridge.latest(self._on_woken)
        self._pause = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._pause.timeout.connect(self._on_pause_over)

    def watch(self, watch: Watch) -> None:
        """Subscribe to the events of runs until `close`."""
        self._unwatch = watch(self._take)

    def close(self) -> None:
        """Unsubscribe from the events and drop pending ones. May be called twice."""
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        self._pause.stop()
        self._came.clear()

    def state(self, session: int | None) -> RunState:
        """Return the last known state of the session's run."""
        known = self._states.get(session) if session is not None else None
        return known or RunState(session=session or 0)

    def compaction(self, session: int | None) -> AutoCompacting:
        """Return the last known stage of the session's automatic compaction."""
        known = self._compacting.get(session) if session is not None else None
        return known or AutoCompacting(session or 0, CompactionStage.OVER)

    def replies(self, session: int | None) -> Sequence[StreamingReply]:
        """Return the streaming replies of the session, oldest first."""
        return self._replies.get(session, ()) if session is not None else ()

    def forget(self, session: int, has_entry: Callable[[int], bool]) -> None:
        """Drop the stored replies for which `has_entry` is true, since the transcript shows their entries now."""
        left = [reply for reply in self.replies(session) if reply.entry is None or not has_entry(reply.entry)]
        if len(left) != len(self.replies(session)):
            self._replies[session] = left
            self.grew.emit(session)

    # -- gathering -------------------------------------------------------------------------------------------

    def _take(self, event: RunEvent) -> None:
        """Queue an event; called on the io thread."""
        self._came.append(event)
        self._wake(None)

    def _on_woken(self, _nothing: object) -> None:
        if not self._pause.isActive():
            self._drain()

    def _on_pause_over(self) -> None:
        if self._came:
            self._drain()

    def _drain(self) -> None:
        """Apply all queued events, then emit the signals once per session."""
        self._pause.start()
        states: dict[int, RunState] = {}
        grown: dict[int, None] = {}
        for _ in range(len(self._came)):
            event = self._came.popleft()
            match event:
                case RunChanged(state):
                    states[state.session] = self._states[state.session] = state
                    if not state.is_busy:
                        self._drop_unstored(state)
                        grown[state.session] = None
                case Streamed(session):
                    self._apply(event)
                    grown[session] = None
                case Stored():
                    self._settle(event)
                case QueueChanged() | Noticed() | SessionContinued():
                    self._pass_on(event)
                case ConsentAsked(question):
                    self.asked.emit(question)
                case AutoCompacting(session):
                    self._compacting[session] = event
                    self.compacting.emit(event)
        for session in grown:
            self.grew.emit(session)
        for state in states.values():
            self.state_changed.emit(state)

    def _pass_on(self, event: QueueChanged | Noticed | SessionContinued) -> None:
        match event:
            case QueueChanged():
                self.queue_changed.emit(event)
            case Noticed():
                self.noticed.emit(event)
            case SessionContinued():
                self.continued.emit(event)

    def _apply(self, streamed: Streamed) -> None:
        reply = self._reply(streamed)
        # Text of a block whose start was missed is ignored here: the stored reply will hold it.
        match streamed.event:
            case ReplyStarted(_, model):
                reply.model = model or reply.model
            case BlockStarted(index, kind, name):
                reply.blocks[index] = OpenBlock(kind, name)
            case BlockGrew(index, text) if index in reply.blocks:
                reply.blocks[index].pieces.append(text)
                reply.since = reply.since or monotonic()
                reply.characters += len(text)
            case BlockDone(index, block) if index in reply.blocks:
                reply.blocks[index].done = block
            case ReplyEnded():
                reply.ended = True

    def _reply(self, streamed: Streamed) -> StreamingReply:
        replies = self._replies.setdefault(streamed.session, [])
        if isinstance(streamed.event, ReplyStarted):  # the step is retried: drop the replies of earlier tries
            replies[:] = [reply for reply in replies if reply.entry is not None]
        for reply in reversed(replies):
            if (reply.run, reply.step) == (streamed.run, streamed.step) and reply.entry is None:
                return reply
        state = self.state(streamed.session)
        replies.append(StreamingReply(streamed.session, streamed.run, streamed.step, state.model))
        return replies[-1]

    def _settle(self, stored: Stored) -> None:
        for reply in self.replies(stored.session):
            if (reply.run, reply.step) == (stored.run, stored.step) and reply.entry is None:
                reply.entry = stored.entry

    def _drop_unstored(self, state: RunState) -> None:
        """Drop the replies that an ended run did not store."""
        replies = self._replies.get(state.session)
        if replies:
            keeps_text = state.phase is not Phase.IDLE  # after an error, unstored text stays so that it can be copied
            self._replies[state.session] = [
                reply for reply in replies if reply.entry is not None or (keeps_text and reply.characters)
            ]
