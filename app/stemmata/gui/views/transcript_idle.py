"""What the transcript does while nothing else happens: colours, pages around, heights further away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

BUDGET = 0.002  # seconds a slice: with a frame of scrolling beside it still a frame


class IdleWork(QObject):
    """Runs tasks in slices until none has anything left to do. A task returns whether it did something."""

    def __init__(self, parent: QObject, tasks: Sequence[Callable[[float], bool]]) -> None:
        """The first task with something to do gets the slice."""
        super().__init__(parent)
        self._tasks = tasks
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)

    def wake(self) -> None:
        if not self._timer.isActive():
            self._timer.start(0)

    def run(self, seconds: float) -> bool:
        """Work for about this long. False when nothing is left to do."""
        end = perf_counter() + seconds
        while any(task(max(end - perf_counter(), 0)) for task in self._tasks):
            if perf_counter() >= end:
                return True
        return False

    def _on_timeout(self) -> None:
        if self.run(BUDGET):
            self._timer.start(0)
