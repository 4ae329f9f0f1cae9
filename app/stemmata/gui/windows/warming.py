"""After the first paint: what is needed next is loaded and made, a slice at a time, while nothing else waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal


class Warming(QObject):
    """Runs one step whenever the event loop has nothing else to do; `finished` when there is none left."""

    finished = Signal()

    def __init__(self, steps: Iterable[Callable[[], object]], parent: QObject) -> None:
        super().__init__(parent)
        self._steps = iter(steps)
        self.is_finished = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)
        self.start = self._timer.start
        self.stop = self._timer.stop

    def _step(self) -> None:
        step = next(self._steps, None)
        if step is None:
            self._timer.stop()
            if not self.is_finished:
                self.is_finished = True
                self.finished.emit()
        else:
            step()
