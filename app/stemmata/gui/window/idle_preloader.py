"""After the first paint: what is needed next is loaded and made, a slice at a time, while nothing else waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal

FRAMES_MS = 32  # two of them: the event loop has timers wait neither for painting nor for keys
PATIENCE = 10  # times that long: a window that is covered may never be painted


class Warming(QObject):
    """Runs one step whenever the event loop has nothing else to do; `finished` when there is none left.

    The first one waits for what `start` was called with to be painted; `is_painted` says so where more is known.
    """

    finished = Signal()

    def __init__(
        self,
        steps: Iterable[Callable[[], object]],
        parent: QObject,
        is_painted: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(parent)
        self._steps = iter(steps)
        self._is_painted, self._waited = is_painted, 0
        self.is_finished = False
        self._timer = QTimer(self, interval=FRAMES_MS)
        self._timer.timeout.connect(self._step)
        self.start = self._timer.start
        self.stop = self._timer.stop

    def _step(self) -> None:
        self._waited += 1
        if self._waited <= PATIENCE and not self._is_painted():
            return  # on a busy machine
        self._timer.setInterval(0)
        step = next(self._steps, None)
        if step is None:
            self._timer.stop()
            if not self.is_finished:
                self.is_finished = True
                self.finished.emit()
        else:
            step()
