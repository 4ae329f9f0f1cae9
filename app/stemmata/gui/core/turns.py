"""Turns of the event loop: how long the current one has taken, and work that waits for one with time left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import thread_time

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

BUSY = 0.003  # seconds: after so much layout and painting, a turn has no time left for other work within a frame
PATIENCE = 3  # turns that work is put off at most: a busy machine may have no turn with time left


class TurnClock(QObject):
    """Processor time that the GUI thread has spent in the current turn of the event loop, in seconds."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.begun = thread_time()
        QAbstractEventDispatcher.instance().awake.connect(self._begin)

    @property
    def spent(self) -> float:
        """Seconds since the current turn began."""
        return thread_time() - self.begun

    def _begin(self) -> None:
        self.begun = thread_time()


class SpareTurn(QObject):
    """Runs a function once, in a later turn of the event loop that has not painted or laid out for long.

    Posted events, such as layout and painting, come before timers in a turn. After PATIENCE turns the function runs
    in any turn.
    """

    def __init__(self, parent: QObject, clock: TurnClock, run: Callable[[], object]) -> None:
        super().__init__(parent)
        self._clock, self._run = clock, run
        self._put_off = 0
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def is_active(self) -> bool:
        """Whether the function still waits for its turn."""
        return self._timer.isActive()

    def start(self) -> None:
        """Run the function in a later turn; a call while it waits has no effect."""
        if not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Cancel the waiting call of the function."""
        self._timer.stop()
        self._put_off = 0

    def _on_timeout(self) -> None:
        if self._clock.spent > BUSY and self._put_off < PATIENCE:
            self._put_off += 1
            self._timer.start()
            return
        self._put_off = 0
        self._run()


class TurnSteps(QObject):
    """Runs functions one after the other, each in a turn of the event loop that has time left."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._left: list[Callable[[], object]] = []
        self._turn = SpareTurn(self, TurnClock(self), self._take_step)

    @property
    def is_active(self) -> bool:
        """Whether functions are waiting for their turn."""
        return bool(self._left)

    def start(self, *steps: Callable[[], object]) -> None:
        """Run these functions after the functions that are waiting."""
        self._left += steps
        if self._left:
            self._turn.start()

    def stop(self) -> None:
        """Drop the functions that are waiting."""
        self._left.clear()
        self._turn.stop()

    def finish(self) -> None:
        """Run the functions that are waiting now, and those that they start."""
        while self._left:
            self._left.pop(0)()
        self._turn.stop()

    def _take_step(self) -> None:
        step = self._left.pop(0)
        if self._left:
            self._turn.start()  # first: a step that fails holds up no other
        step()


def paint_in_turns(widgets: Iterable[QWidget], steps: TurnSteps) -> None:
    """Paint widgets one after the other, because all of them at once take longer than a frame.

    Each widget shows its old content until its turn, so the first one shows its new content as early as possible. Use
    `gui/window/new_picture.py` where the new widgets must appear together, such as for another page or size.
    """
    widgets = list(widgets)
    for widget in widgets:
        widget.setUpdatesEnabled(False)
    steps.start(*(partial(_paint_again, widget) for widget in widgets))


def _paint_again(widget: QWidget) -> None:
    if isValid(widget):
        widget.setUpdatesEnabled(True)
