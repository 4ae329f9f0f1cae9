"""Delivers results and change notices from other threads to the GUI thread, without polling or blocking."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from stemmata.domain.errors import KnownError
from stemmata.gui.core.turns import SpareTurn, TurnClock

if TYPE_CHECKING:
    from stemmata.domain.sessions.changes import ChangeSet

T = TypeVar("T")
ANSWERING = 0.004  # seconds of one turn of the event loop after which further answers wait
BATCH_MS = 30  # two frames: short enough to feel immediate, long enough to gather the notices of one import
log = logging.getLogger(__name__)


class LatestOnly:
    """A series of requests of which only the latest matters, such as opening sessions.

    Only the answer to the latest request is delivered. GUI thread only.
    """

    def __init__(self) -> None:
        self.number = 0

    def begin(self) -> int:
        """Start a request; answers to all earlier ones are dropped from now on."""
        self.number += 1
        return self.number

    cancel = begin

    def next_is_wanted(self) -> Callable[[], bool]:
        """Return a function that tells whether the request that begins next is still the latest. For any thread."""
        number = self.number + 1
        return lambda: self.number <= number


class _Request(NamedTuple):
    """The receivers of an answer.

    It does not refer to the future, because the future refers to it, and a circle of references would keep both in
    memory.
    """

    on_result: Callable[[Any], None]
    on_error: Callable[[Exception], None] | None
    run: LatestOnly | None
    number: int

    @property
    def is_late(self) -> bool:
        return self.run is not None and self.run.number != self.number


_NOTHING = object()


class _NewestValue(Generic[T]):
    """The newest value for the GUI thread; `_NOTHING` after it was taken."""

    def __init__(self, on_value: Callable[[T], None]) -> None:
        self.on_value = on_value
        self.value: T | object = _NOTHING


class Bridge(QObject):
    """Delivers futures and change notices to the GUI thread, in the order they came."""

    changed = Signal(object)  # tuple[ChangeSet, ...], oldest first, at most one signal per BATCH_MS
    failed = Signal(object)  # Exception without an `on_error` handler
    _answered = Signal(object, object)
    _noticed = Signal()
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._closed = False
        self._notices: list[ChangeSet] = []
        self._unsubscribers: list[Callable[[], None]] = []
        self._batch = QTimer(self, singleShot=True, interval=BATCH_MS)
        self._batch.timeout.connect(self._on_batch_due)
        self._waiting: deque[tuple[_Request, Future[Any]]] = deque()  # answers for the next turn of the event loop
        self._turn = TurnClock(self)
        self._answering = SpareTurn(self, self._turn, self._deliver_some)
        self._answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)
        self._posted.connect(self._on_posted, Qt.ConnectionType.QueuedConnection)
        self._noticed.connect(self._on_noticed, Qt.ConnectionType.QueuedConnection)

    def when_done(
        self,
        future: Future[T],
        on_result: Callable[[T], None],
        on_error: Callable[[Exception], None] | None = None,
        *,
        run: LatestOnly | None = None,
    ) -> None:
        """Call `on_result` in the GUI thread, always from the event loop, never from within this call.

        Errors go to `on_error`, else to `failed`. With `run`, this request supersedes the run's earlier ones: their
        results and errors are dropped. Nothing is delivered for cancelled futures or after `close`.
        """
        request = _Request(on_result, on_error, run, run.begin() if run else 0)
        future.add_done_callback(lambda done: self._emit(self._answered, request, done))

    def latest(self, on_value: Callable[[T], None]) -> Callable[[T], None]:
        """Return a function for other threads that passes its argument to `on_value` on the GUI thread.

        Values that arrive faster than the GUI thread takes them are dropped; the newest one is always delivered.
        """
        slot: _NewestValue[T] = _NewestValue(on_value)

        def post(value: T) -> None:
            with self._lock:
                waiting, slot.value = slot.value is not _NOTHING, value
            if not waiting:
                self._emit(self._posted, slot)

        return post

    def subscribe(self, subscribe: Callable[[Callable[[ChangeSet], None]], Callable[[], None]]) -> None:
        """Subscribe to change notices until `close`; they may come from any thread."""
        self._unsubscribers.append(subscribe(self.publish))

    def publish(self, change: ChangeSet) -> None:
        """Queue a change notice for `changed`; may be called from any thread."""
        with self._lock:
            self._notices.append(change)
            first = len(self._notices) == 1
        if first:
            self._emit(self._noticed)

    def close(self) -> None:
        """Deliver nothing from now on. May be called twice."""
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self._unsubscribers.clear()
        with self._lock:
            self._closed = True
        self._batch.stop()
        self._answering.stop()
        self._waiting.clear()

    def _emit(self, signal: Any, *arguments: object) -> None:
        with self._lock:  # `close` waits, so the object is still there while another thread emits
            if not self._closed:
                signal.emit(*arguments)

    def _on_noticed(self) -> None:
        if not self._closed:
            self._batch.start()

    def _on_batch_due(self) -> None:
        with self._lock:
            notices, self._notices = tuple(self._notices), []
        if notices:
            self.changed.emit(notices)

    def _on_posted(self, slot: _NewestValue[Any]) -> None:
        with self._lock:
            value, slot.value = slot.value, _NOTHING
        if not self._closed:
            slot.on_value(value)

    def _on_answered(self, request: _Request, done: Future[Any]) -> None:
        """Deliver an answer in a turn in which no earlier answer has asked for painting or layout yet."""
        if self._closed:  # the answer was under way when the bridge was closed
            return
        self._waiting.append((request, done))
        self._answering.start()

    def _deliver_some(self) -> None:
        """Deliver one answer, and further ones while the turn has taken less than ANSWERING."""
        if self._waiting:
            self._deliver(*self._waiting.popleft())
        while self._waiting and self._turn.spent < ANSWERING:
            self._deliver(*self._waiting.popleft())
        if self._waiting:
            self._answering.start()

    def _deliver(self, request: _Request, done: Future[Any]) -> None:
        if self._closed or request.is_late or done.cancelled():
            return
        error = done.exception()
        if error is None:
            request.on_result(done.result())
        elif isinstance(error, Exception):
            self._report(error, request.on_error)
        else:
            raise error

    def _report(self, error: Exception, on_error: Callable[[Exception], None] | None) -> None:
        if not isinstance(error, KnownError):
            log.error("a request failed", exc_info=error)
        if on_error is not None:
            on_error(error)
        else:
            self._on_batch_due()  # first deliver the changes that were stored before the error
            self.failed.emit(error)
