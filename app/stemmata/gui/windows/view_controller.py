"""What the window says about itself, and its end."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from stemmata import __version__
from stemmata.gui.actions import Actions


class ViewController(QObject):
    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        actions.on("quit", window.close)
        actions.on("about", self._show_about)

    def _show_about(self) -> None:
        text = self.tr("Stemmata {0}\n\nThe session trees of your agents and model chats, in one local archive.")
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("About Stemmata"), text.format(__version__))
        box.setParent(self._window, box.windowFlags())
        box.open()
