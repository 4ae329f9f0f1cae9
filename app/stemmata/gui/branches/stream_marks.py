"""Where replies are being written: a mark in the navigator, and one on each session in the list."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.domain.chat.run import RunState
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.core.streams import Streams
from stemmata.gui.sessions.model import SessionsModel


class StreamMarks(QObject):
    def __init__(self, streams: Streams, opened: OpenSession, view: BranchesView, sessions: SessionsModel) -> None:
        super().__init__(view)
        self._streams, self._opened, self._view, self._sessions = streams, opened, view, sessions
        self._running: frozenset[int] = frozenset()
        streams.state_changed.connect(self._on_state_changed)
        opened.tree_read.connect(self._mark)

    def _on_state_changed(self, state: RunState) -> None:
        self._running = self._running | {state.session} if state.is_busy else self._running - {state.session}
        self._sessions.set_running(self._running)
        if state.session == self._opened.key:
            self._mark()

    def _mark(self) -> None:
        state = self._streams.state(self._opened.key)
        self._view.set_streaming(state.tip if state.is_busy else None)
