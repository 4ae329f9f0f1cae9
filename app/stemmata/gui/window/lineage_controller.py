"""Shows in a transcript column the sessions before and after its session, and opens them."""

from __future__ import annotations

from collections.abc import Callable
from time import time_ns

from PySide6.QtCore import QObject, Signal

from stemmata.domain.sessions.details import verbosity_of
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.words import deleted_words
from stemmata.gui.transcript.column import TranscriptColumn


class LineageController(QObject):
    """Shows what the list of sessions says about the session of a column, and steps to its neighbours."""

    session_wanted = Signal(int)  # key of the session to open

    def __init__(self, shared: WindowContext, column: TranscriptColumn, sessions: SessionList) -> None:
        super().__init__(column)
        self._opened, self._actions = shared.opened, shared.actions
        self._column, self._list = column, sessions
        shared.opened.started.connect(self._show_open)
        sessions.listed.connect(lambda _sessions: self._show_open())
        sessions.states_changed.connect(self._show_open)

    def show_in(self, column: TranscriptColumn) -> None:
        """Show the sessions before and after the open one in this column from now on."""
        self._column = column

    def show_session(self, column: TranscriptColumn, key: int | None) -> None:
        """Show in a column the sessions before and after the session with this key; show its tools open or not."""
        listed = None if key is None else self._list.sessions.get(key)
        point = None if key is None else self._list.fork_points.get(key)
        column.lineage.show_session(listed, self._list.lineage, point)
        state = None if listed is None else self._list.state(listed.key)
        column.removed.show_session("" if listed is None else deleted_words(listed, state, time_ns()))
        column.view.open_tools(on=listed is not None and verbosity_of(listed.details) == "full")

    def go_before(self) -> None:
        """Open the session from which the open one came."""
        self._go(self._list.lineage.before)

    def go_after(self) -> None:
        """Open the session that continues the open one, or else its newest fork."""
        self._go(self._list.lineage.after)

    def _go(self, step: Callable[[Session], Session | None]) -> None:
        listed = self._listed()
        found = None if listed is None else step(listed)
        if found is not None:
            self.session_wanted.emit(found.key)

    def _show_open(self) -> None:
        listed, lineage = self._listed(), self._list.lineage
        self.show_session(self._column, self._opened.key)
        self._actions.set_state(State.BEFORE, on=listed is not None and lineage.before(listed) is not None)
        self._actions.set_state(State.AFTER, on=listed is not None and lineage.after(listed) is not None)

    def _listed(self) -> Session | None:
        """Return the open session as the list has it, also before its tree is read; None when it is not listed."""
        return None if self._opened.key is None else self._list.sessions.get(self._opened.key)
