"""The window among others, what it says about itself, and its end."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from stemmata import __version__
from stemmata.domain.chat.run import RunState
from stemmata.domain.entries.links import Link, parse_link
from stemmata.domain.entries.session_facts import Session
from stemmata.domain.errors import KnownError
from stemmata.gui.core.actions import Actions
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.text.phrases import told
from stemmata.gui.window.columns import first_stop
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.split_controller import SplitController
from stemmata.services.chat.run_states import went_beside
from stemmata.services.futures import chain, then


class LinkController(QObject):
    session_wanted = Signal(int, object)  # key of the session, that of an entry or None

    def __init__(self, desk: Desk, view: SessionsView) -> None:
        super().__init__(view)
        self._services, self._bridge, self._opened, self._toast = desk.services, desk.bridge, desk.opened, desk.toast
        self._view = view

    def copy_entry(self) -> None:
        """A link to the selected entry of the open session."""
        session, entry = self._opened.session, self._opened.selection
        row = None if entry is None else self._services.pages.rows([entry]).get(entry)
        if session is not None and row is not None:
            self._copy([Link(session.id, row.id)])

    def copy_sessions(self) -> None:
        """Links to the selected sessions, one on each line."""
        self._copy([Link(session.id) for session in self._view.selected])

    def follow(self, text: str) -> None:
        """Open what a link leads to; one that leads nowhere is told."""
        try:
            link = parse_link(text)
        except KnownError as error:
            self._bridge.failed.emit(error)
            return
        found = self._services.sessions.find(link.session)
        if link.entry:
            key = self._services.entries.key
            entry = chain(found, lambda session: then(key(session.key, link.entry), lambda at: (session, at)))
            self._bridge.when_done(entry, lambda answer: self.session_wanted.emit(answer[0].key, answer[1]))
        else:
            self._bridge.when_done(found, self._open)

    def _open(self, session: Session) -> None:
        self.session_wanted.emit(session.key, None)

    def _copy(self, links: list[Link]) -> None:
        QGuiApplication.clipboard().setText("\n".join(map(str, links)))
        self._toast.tell(self.tr("Copied %Ln links.", None, len(links)))


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


class ColumnsController(QObject):
    def __init__(self, actions: Actions, window: MainWindow, split: SplitController) -> None:
        super().__init__(window)
        self._actions, self._window, self._split = actions, window, split

    def go(self, name: str) -> None:
        """Give a column the keyboard."""
        self._actions[f"show-{name}"].setChecked(True)
        widget = self._place_of(name)
        if widget is not None:
            widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _place_of(self, name: str) -> QWidget | None:
        window = self._window
        if name == "context":
            return first_stop(window.context)
        places = {"sessions": window.sessions.list, "branches": window.branches.list, "transcript": self._split.view}
        return places[name]


MOST_WINDOWS = 8  # opened at once: more are opened by mistake


class ViewController(QObject):
    window_wanted = Signal(object)  # key of the session to open in it, None for none
    quit_wanted = Signal()

    def __init__(self, sessions: SessionsView, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._sessions = window, sessions

    def open_selected(self) -> None:
        """Each selected session in a window of its own."""
        for session in self._sessions.selected[:MOST_WINDOWS]:
            self.window_wanted.emit(session.key)

    def show_about(self) -> None:
        text = self.tr("Stemmata {0}\n\nThe session trees of your agents and model chats, in one local archive.")
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("About Stemmata"), text.format(__version__))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setParent(self._window, box.windowFlags())
        box.open()
