"""What the transcript does while nothing else happens: colours and pages around at once, far heights later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

BUDGET = 0.002  # seconds a slice: with a frame of scrolling beside it still a frame
REST_MS = 120  # without a wake: nobody scrolls; wheels and touchpads send the next step well before
REST_BUDGET = 0.001  # seconds a slice of what waits for that: other views may be scrolled meanwhile
REST_EVERY_MS = 8

Task = Callable[[float], bool]  # gets seconds; returns whether it did something


class IdleWork(QObject):
    """Runs tasks in slices until none has anything left to do; the first task that has something gets the slice."""

    def __init__(self, parent: QObject, soon: Sequence[Task], later: Sequence[Task]) -> None:
        """What is to be done between the frames of scrolling, and what waits for its end."""
        super().__init__(parent)
        self._soon, self._later = tuple(soon), tuple(later)
        self._timer = self._single_shot(self._on_timeout)
        self._rest = self._single_shot(self._on_rest)

    @property
    def is_active(self) -> bool:
        """Whether there is work that does not wait for a rest."""
        return self._timer.isActive()

    def wake(self) -> None:
        if not self._timer.isActive():
            self._timer.start(0)
        self._rest.start(REST_MS)

    def run(self, seconds: float) -> bool:
        """Work on everything for about this long. False when nothing is left to do."""
        return _work((*self._soon, *self._later), seconds)

    def _on_timeout(self) -> None:
        if _work(self._soon, BUDGET):
            self._timer.start(0)

    def _on_rest(self) -> None:
        if self.run(REST_BUDGET):
            self._rest.start(REST_EVERY_MS)

    def _single_shot(self, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(work)
        return timer


def _work(tasks: Sequence[Task], seconds: float) -> bool:
    end = perf_counter() + seconds
    while any(task(max(end - perf_counter(), 0)) for task in tasks):
        if perf_counter() >= end:
            return True
    return False
