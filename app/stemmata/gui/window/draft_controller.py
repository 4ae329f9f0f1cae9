"""Drafts outlive the window: what stands in the composer is kept a moment after it was written or attached."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.composer.attachment_controller import AttachmentController
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.window_context import Desk
from stemmata.services.sessions.drafts import Kept

PAUSE_MS = 500  # a write for each key would keep the disk busy; at the worst this much of writing is lost


class DraftController(QObject):
    """Sending takes the draft out of the archive in one step with the message: until then it stays there."""

    def __init__(self, desk: Desk, composer: Composer, attachments: AttachmentController) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened, self._composer = desk.services, desk.bridge, desk.opened, composer
        self._attachments = attachments
        self._waiting: dict[int, str | None] = {}  # session → text that is not kept yet, None: as it was kept
        self._attached: set[int] = set()  # sessions whose attachments are not kept yet
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        composer.draft_changed.connect(self._on_draft_changed)
        attachments.changed.connect(self._on_attached)
        desk.opened.started.connect(self._on_started)

    def flush(self) -> None:
        """Keep now what waits to be kept."""
        self._pause.stop()
        waiting, self._waiting = self._waiting, {}
        changed = {session for session in self._attached if self._attachments.knows(session)}
        self._attached -= changed  # of the others it is not known yet what was attached before
        for session, text in waiting.items():
            attached, files = self._attachments.draft(session) if session in changed else (None, {})
            kept = self._services.drafts.save(session, text, attached, files)
            self._bridge.when_done(kept, lambda _kept: None)

    def sent(self, session: int) -> None:
        """The draft is on its way: it is taken out of the archive where the message comes in."""
        self._waiting.pop(session, None)
        self._attached.discard(session)

    def _on_draft_changed(self, session: int, text: str) -> None:
        self._waiting[session] = text
        self._pause.start()

    def _on_attached(self, session: int) -> None:
        self._attached.add(session)
        self._waiting.setdefault(session, None)
        self._pause.start()

    def _on_started(self) -> None:
        self.flush()
        key = self._opened.key
        if key is None:
            return
        if not self._composer.knows(key):
            self._bridge.when_done(self._services.drafts.get(key), lambda text: self._composer.adopt(key, text))
        if not self._attachments.knows(key):
            self._bridge.when_done(self._services.drafts.attached(key), lambda kept: self._adopt(key, kept))

    def _adopt(self, session: int, kept: Sequence[Kept]) -> None:
        if not self._attachments.knows(session):
            self._attachments.adopt(session, kept)
        if session in self._attached:
            self._on_attached(session)
