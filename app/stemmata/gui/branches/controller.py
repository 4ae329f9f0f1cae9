"""The list of branches: it shows the open session's tree, and actions act on the rows that are selected in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.branches.finder import Stopped
from stemmata.gui.branches.leaf_controller import LeafController
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.window_context import WindowContext

MOST_MATCHES = 1000
SLOW_MS = 150  # faster trees are there before the eye notices


class BranchesController(QObject):
    def __init__(self, desk: WindowContext, view: BranchesView, leaf: LeafController) -> None:
        super().__init__(view)
        self._services = desk.services
        self._opened, self._view, self._leaf = desk.opened, view, leaf
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_waiting)
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._on_tree_read)
        desk.opened.selected.connect(self._on_selected)
        desk.background.delivered.connect(self._on_delivered)  # a new outline selects what is open
        view.look_requested.connect(desk.opened.look)
        view.set_find(self._find)

    def label(self, entries: Sequence[int]) -> None:
        """Ask for the label of these entries, under the row of the last one."""
        self._leaf.label(entries, self._view.point_of(entries[-1]))

    def go_to_leaf(self) -> None:
        self._opened.look_at_leaf()
        self._view.go_to_leaf()

    # -- showing ------------------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._view.clear()
        self._slow.stop()
        if self._opened.key is not None:
            self._slow.start()

    def show_waiting(self) -> None:
        """The tree takes its time, unless it is there by now."""
        if self._view.outline is None:
            self._view.list.show_waiting()

    def _on_tree_read(self) -> None:
        skeleton = self._opened.skeleton
        assert skeleton is not None
        self._view.show_tree(skeleton.tree, skeleton.session.leaf, self._opened.compacted)

    def _on_selected(self) -> None:
        self._view.select(self._opened.selection)

    def _on_delivered(self) -> None:
        if not self._view.is_choosing:  # else what is open follows the navigator in a moment
            self._on_selected()

    def _find(self, query: str, stopped: Stopped) -> Any:
        """A future of the keys that match; the background waits for it without blocking."""
        return self._services.searching.entries(query, session=self._opened.key, limit=MOST_MATCHES, stopped=stopped)
