"""Compute the vectors of new texts for the search by meaning while the window is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from stemmata.domain.errors import CancelledError
from stemmata.gui.core.window_context import WindowContext

PAUSE_MS = 2000  # after the last change, so that an import or a reply is not slowed down


class MeaningUpdates(QObject):
    """Embeds new texts, a pause after each change of the archive or of the settings.

    `report` is called with an error; the same error is reported once until an update succeeds.
    """

    def __init__(self, shared: WindowContext, report: Callable[[Exception], object], parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._bridge, self._report = shared.services, shared.bridge, report
        self._reported = ""
        self._is_running = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._update)
        shared.bridge.changed.connect(self.wake)

    @property
    def is_running(self) -> bool:
        """Whether an update is under way."""
        return self._is_running

    @property
    def is_waiting(self) -> bool:
        """Whether the pause before an update has begun."""
        return self._pause.isActive()

    def wake(self, *_change: object) -> None:
        """Start the pause, after which new texts are embedded if a model is chosen."""
        self._pause.start()

    def _update(self) -> None:
        if not self._services.searches_meaning:
            self._reported = ""
        elif self._is_running:
            self._pause.start()
        else:
            self._is_running = True
            self._bridge.when_done(self._services.meaning.update(), self._on_done, self._on_failed)

    def _on_done(self, _count: int) -> None:
        self._is_running, self._reported = False, ""

    def _on_failed(self, error: Exception) -> None:
        self._is_running = False
        if str(error) != self._reported and not isinstance(error, CancelledError):
            self._reported = str(error)
            self._report(error)
