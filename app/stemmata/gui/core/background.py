"""Pure work that is too long for a frame: done on the db thread, in turn with what is queued there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from stemmata.gui.core.bridge import Bridge
from stemmata.services.futures import then
from stemmata.services.services import Services

T = TypeVar("T")


class Background(QObject):
    """`submit` answers with a future; `compute` delivers to the GUI thread, as the navigator wants it."""

    delivered = Signal()  # after something that `compute` ran was delivered

    def __init__(self, services: Services, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._bridge = bridge

    def submit(self, job: Callable[[], T]) -> Future[T]:
        return then(self._services.entries.rows(()), lambda _rows: job())

    def compute(self, job: Callable[[], Any], deliver: Callable[[Any], None]) -> None:
        """A job whose value is a future is waited for; one that fails delivers nothing found."""
        self._bridge.when_done(self.submit(job), lambda value: self._hand_over(value, deliver))

    def _hand_over(self, value: Any, deliver: Callable[[Any], None]) -> None:
        if isinstance(value, Future):
            self._bridge.when_done(value, deliver, lambda _error: deliver(()))
            return
        deliver(value)
        self.delivered.emit()
