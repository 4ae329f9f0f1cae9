"""Load the sessions for the window's list, and reload them when the archive changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from stemmata.domain.entries.changes import Change
from stemmata.domain.entries.lineage import Lineage
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.sessions.model import SessionsModel

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.entries.changes import ChangeSet
    from stemmata.domain.entries.session_facts import Session
    from stemmata.services.sessions.sessions import Sessions


class SessionList(QObject):
    """The listed sessions.

    `sessions` maps store keys to sessions outside the trash, and `lineage` knows how they follow each other;
    `in_trash`: the trash is listed.
    """

    listed = Signal(list)  # list[Session]: the sessions outside the trash were read

    def __init__(self, sessions: Sessions, bridge: Bridge, model: SessionsModel) -> None:
        super().__init__(model)
        self._all, self._bridge, self._model = sessions, bridge, model
        self._run = LatestOnly()
        self.in_trash = False
        self.lineage = Lineage(())
        self.sessions: dict[int, Session] = {}
        bridge.changed.connect(self._on_changed)

    def read(self, begun: Future[list[Session]] | None = None) -> None:
        """Reload the list. `begun` is a query for all sessions that is already running."""
        sessions = begun or self._all.all(trashed=self.in_trash)
        self._bridge.when_done(sessions, self._on_read, run=self._run)

    def show_trash(self, *, on: bool) -> None:
        """List the trash, or the sessions outside it."""
        self.in_trash = on
        self.read()

    def _on_read(self, sessions: list[Session]) -> None:
        self._model.set_sessions(sessions)
        if not self.in_trash:
            self.sessions = {session.key: session for session in sessions}
            self.lineage = self._model.lineage
            self.listed.emit(sessions)

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        if any(change.what & (Change.SESSIONS | Change.ENTRIES) for change in changes):
            self.read()
