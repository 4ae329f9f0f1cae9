"""Runs pure work that is too long for a frame on the db thread, in turn with the work queued there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from stemmata.gui.core.bridge import Bridge

if TYPE_CHECKING:
    from stemmata.services.services import Services

T = TypeVar("T")


class Background(QObject):
    """Runs jobs on the db thread; `submit` returns a future, `compute` calls back on the GUI thread.

    `services` returns all services, after the first paint.
    """

    delivered = Signal()  # after the result of a `compute` job was delivered

    def __init__(self, services: Callable[[], Services], bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._bridge = bridge

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Run a job on the db thread; return a future of its result."""
        return self._services().sessions.compute(job)

    def compute(self, job: Callable[[], Any], deliver: Callable[[Any], None]) -> None:
        """Run a job on the db thread and pass its result to `deliver` on the GUI thread.

        When the result is a future, its result is delivered, or `()` when it fails.
        """
        self._bridge.when_done(self.submit(job), lambda value: self._hand_over(value, deliver))

    def _hand_over(self, value: Any, deliver: Callable[[Any], None]) -> None:
        if isinstance(value, Future):
            self._bridge.when_done(value, deliver, lambda _error: deliver(()))
            return
        deliver(value)
        self.delivered.emit()
