"""How the window looks: light or dark, text size, and what it says about itself."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from stemmata import __version__
from stemmata.gui.actions import Actions
from stemmata.gui.dialogs.shortcuts_dialog import ShortcutsDialog
from stemmata.gui.theme.theme import Theme

STEP = 10  # percent


class ViewController(QObject):
    def __init__(self, theme: Theme, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._actions, self._window = theme, actions, window
        self._normal = theme.scale
        actions.on("scheme", lambda: theme.set_scheme("light" if theme.dark else "dark"))
        actions.on("larger", lambda: theme.set_scale(theme.scale + STEP))
        actions.on("smaller", lambda: theme.set_scale(theme.scale - STEP))
        actions.on("normal-size", lambda: theme.set_scale(self._normal))
        actions.on("quit", window.close)
        actions.on("shortcuts", self._show_shortcuts)
        actions.on("about", self._show_about)

    def _show_shortcuts(self) -> None:
        ShortcutsDialog(self._theme, self._actions, self._window).show()

    def _show_about(self) -> None:
        text = self.tr("Stemmata {0}\n\nThe session trees of your agents and model chats, in one local archive.")
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("About Stemmata"), text.format(__version__))
        box.setParent(self._window, box.windowFlags())
        box.open()
