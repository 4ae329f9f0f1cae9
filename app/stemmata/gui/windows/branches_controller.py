"""The navigator: it shows the open session's tree, and what is asked for in it is done."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.gui.views.branches import BranchesView
from stemmata.gui.windows.desk import Desk
from stemmata.gui.windows.leaf_controller import LeafController


class BranchesController(QObject):
    def __init__(self, desk: Desk, view: BranchesView, leaf: LeafController) -> None:
        super().__init__(view)
        self._opened, self._view, self._leaf = desk.opened, view, leaf
