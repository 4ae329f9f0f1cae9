"""Another process goes on in the session that is open: said once a run, and everybody stays on the own branch."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.domain.chat.run import RunState
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import Desk
from stemmata.gui.text.phrases import told
from stemmata.services.chat.words import went_beside


class BesideController(QObject):
    def __init__(self, desk: Desk, streams: Streams) -> None:
        super().__init__(streams)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._toast, self._streams = desk.toast, streams
        self._told: set[int] = set()  # runs of which it was said
        self._look_run = Run()
        streams.state_changed.connect(self._on_state_changed)
        desk.opened.tree_read.connect(self._look)

    def _on_state_changed(self, state: RunState) -> None:
        if state.beside is not None and state.session == self._opened.key:
            self._tell(state, state.beside)

    def _look(self) -> None:
        """While a run is under way: whether the leaf was taken from it. What it stores next is on its own branch."""
        opened = self._opened
        state = self._streams.state(opened.key)
        if opened.session is None or not state.is_busy or state.tip in (None, opened.session.leaf):
            return
        beside = self._services.runs.beside(state.session, state.tip)
        self._bridge.when_done(beside, lambda found: self._on_looked(state, found), run=self._look_run)

    def _on_looked(self, state: RunState, beside: int | None) -> None:
        if beside is not None and state.session == self._opened.key:
            self._tell(state, beside)

    def _tell(self, state: RunState, beside: int) -> None:
        opened = self._opened
        if state.run in self._told:
            return
        self._told.add(state.run)
        if opened.looking is None and state.tip is not None:
            opened.look(state.tip)
        self._toast.tell(told(went_beside()), self.tr("Go there"), lambda: opened.look(beside))
