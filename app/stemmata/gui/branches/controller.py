"""Connects the list of branches with the open session and the actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.branches.finder import Stopped
from stemmata.gui.branches.leaf_controller import LeafController
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.window_context import WindowContext

MOST_MATCHES = 1000
SLOW_MS = 150  # delay of the placeholder, so that it does not flash for trees that are read faster


class BranchesController(QObject):
    """Shows the tree of the open session in the branches column, and searches in it."""

    def __init__(self, desk: WindowContext, view: BranchesView, leaf: LeafController) -> None:
        super().__init__(view)
        self._services = desk.services
        self._opened, self._view, self._leaf = desk.opened, view, leaf
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_waiting)
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._on_tree_read)
        desk.opened.selected.connect(self._on_selected)
        desk.background.delivered.connect(self._on_delivered)  # select the session's entry again in a new outline
        view.look_requested.connect(desk.opened.look)
        view.set_find(self._find)

    def label(self, entries: Sequence[int]) -> None:
        """Ask for a label for these entries (keys), under the row of the last one."""
        self._leaf.label(entries, self._view.point_of(entries[-1]))

    def go_to_leaf(self) -> None:
        """Show the active path and select the leaf."""
        self._opened.look_at_leaf()
        self._view.go_to_leaf()

    # -- showing ------------------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._view.clear()
        self._slow.stop()
        if self._opened.key is not None:
            self._slow.start()

    def show_waiting(self) -> None:
        """Show the placeholder rows, unless the tree is shown by now."""
        if self._view.outline is None:
            self._view.list.show_waiting()

    def _on_tree_read(self) -> None:
        skeleton = self._opened.skeleton
        assert skeleton is not None
        self._view.show_tree(skeleton.tree, skeleton.session.leaf, self._opened.compacted)

    def _on_selected(self) -> None:
        self._view.select(self._opened.selection)

    def _on_delivered(self) -> None:
        if not self._view.is_choosing:  # else the open session takes the navigator's choice in a moment
            self._on_selected()

    def _find(self, query: str, stopped: Stopped) -> Any:
        """Return a future of the keys of matching entries; `Background.compute` resolves it without blocking."""
        return self._services.searching.entries(query, session=self._opened.key, limit=MOST_MATCHES, stopped=stopped)
