"""Going to a column by its own keys; one that is hidden is shown first."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from stemmata.gui.core.actions import Actions
from stemmata.gui.window.columns import NAMES
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.split_controller import SplitController
from stemmata.gui.window.tab_order import first_stop


class ColumnsController(QObject):
    def __init__(self, actions: Actions, window: MainWindow, split: SplitController) -> None:
        super().__init__(window)
        self._actions, self._window, self._split = actions, window, split
        for name in NAMES:
            actions.on(f"go-{name}", partial(self.go, name))

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
