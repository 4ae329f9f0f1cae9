"""Drafts outlive the window: what stands in the composer is kept a moment after it was written."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.views.composer import Composer
from stemmata.gui.windows.desk import Desk

PAUSE_MS = 500  # a write for each key would keep the disk busy; at the worst this much of writing is lost


class DraftController(QObject):
    def __init__(self, desk: Desk, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened, self._composer = desk.services, desk.bridge, desk.opened, composer
        self._waiting: dict[int, str] = {}  # session → text that is not kept yet
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        composer.draft_changed.connect(self._on_draft_changed)
        desk.opened.started.connect(self._on_started)

    def flush(self) -> None:
        """Keep now what waits to be kept."""
        self._pause.stop()
        waiting, self._waiting = self._waiting, {}
        for session, text in waiting.items():
            self._bridge.when_done(self._services.drafts.save(session, text), lambda _kept: None)

    def _on_draft_changed(self, session: int, text: str) -> None:
        self._waiting[session] = text
        self._pause.start()

    def _on_started(self) -> None:
        self.flush()
        key = self._opened.key
        if key is not None and not self._composer.knows(key):
            self._bridge.when_done(self._services.drafts.get(key), lambda text: self._composer.adopt(key, text))
