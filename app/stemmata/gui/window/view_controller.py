"""The window among others, what it says about itself, and its end."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from stemmata import __version__
from stemmata.gui.core.actions import Actions
from stemmata.gui.sessions.view import SessionsView

MOST_WINDOWS = 8  # opened at once: more are opened by mistake


class ViewController(QObject):
    window_wanted = Signal(object)  # key of the session to open in it, None for none
    quit_wanted = Signal()

    def __init__(self, actions: Actions, sessions: SessionsView, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._sessions = window, sessions
        actions.on("new-window", lambda: self.window_wanted.emit(None))
        actions.on("open-in-new-window", self._open_selected)
        actions.on("close-window", window.close)
        actions.on("quit", self.quit_wanted.emit)
        actions.on("about", self._show_about)

    def _open_selected(self) -> None:
        """Each selected session in a window of its own."""
        for session in self._sessions.selected[:MOST_WINDOWS]:
            self.window_wanted.emit(session.key)

    def _show_about(self) -> None:
        text = self.tr("Stemmata {0}\n\nThe session trees of your agents and model chats, in one local archive.")
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("About Stemmata"), text.format(__version__))
        box.setParent(self._window, box.windowFlags())
        box.open()
