"""While somebody can see it: look now and then whether another process wrote to the archive."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

from stemmata.gui.core.bridge import Bridge
from stemmata.services.services import Services

LOOK_MS = 1000
log = logging.getLogger(__name__)


class Elsewhere(QObject):
    """Asks every LOOK_MS while `is_seen` says that a window is, and one question at a time."""

    def __init__(self, services: Services, is_seen: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._is_seen = services, is_seen
        self._bridge = Bridge(self)
        self._asking = False
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        if not self._asking and self._is_seen():
            self._asking = True
            self._bridge.when_done(self._services.watching.look(), self._on_answer, self._on_error)

    def close(self) -> None:
        self._timer.stop()
        self._bridge.close()

    def _on_answer(self, _changed: object) -> None:
        self._asking = False

    def _on_error(self, error: Exception) -> None:
        """What ails the archive is told by whoever wants something of it."""
        self._asking = False
        log.info("The archive cannot be looked at: %s", error)
