"""The navigator: it shows the open session's tree, and what is asked for in it is done."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.gui.branches.finder import Stopped
from stemmata.gui.branches.leaf_controller import LeafController
from stemmata.gui.branches.leave_controller import LeaveController
from stemmata.gui.branches.verbs import Move, Verb
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.window_context import Desk

MOST_MATCHES = 1000
SLOW_MS = 150  # faster trees are there before the eye notices
VERBS = {
    "continue": Verb.CONTINUE,
    "fork": Verb.FORK,
    "label": Verb.LABEL,
    "pin": Verb.PIN,
    "compact-from": Verb.COMPACT,
    "summarise-from": Verb.SUMMARISE_FROM,
    "summarise-up-to": Verb.SUMMARISE_UP_TO,
    "copy-entry": Verb.COPY,
    "compare": Verb.COMPARE,
    "trash-branch": Verb.TRASH,
}  # asked of the selected row: a row is a whole turn, and each verb knows which entry of it is meant
MOVES = {"previous-sibling": Move.PREVIOUS_SIBLING, "next-sibling": Move.NEXT_SIBLING}


class BranchesController(QObject):
    compact_requested = Signal(int)  # with the cut at this entry
    context_requested = Signal(int)
    copy_requested = Signal(int)
    copy_many_requested = Signal(list)

    def __init__(self, desk: Desk, view: BranchesView, leaf: LeafController) -> None:
        super().__init__(view)
        self._services, self._toast = desk.services, desk.toast
        self._opened, self._view, self._leaf = desk.opened, view, leaf
        self.leave = LeaveController(desk, view, leaf)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_waiting)
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._on_tree_read)
        desk.opened.selected.connect(self._on_selected)
        desk.background.delivered.connect(self._on_delivered)  # a new outline selects what is open
        self._connect(desk)
        view.set_find(self._find)

    def _connect(self, desk: Desk) -> None:
        view, leaf = self._view, self._leaf
        view.look_requested.connect(desk.opened.look)
        view.continue_requested.connect(self.leave.continue_from)
        view.fork_requested.connect(leaf.fork)
        view.pin_requested.connect(leaf.pin)
        view.trash_requested.connect(leaf.trash)
        view.pin_many_requested.connect(lambda keys, on: leaf.pin_many(keys, on=on))
        view.label_requested.connect(lambda key: leaf.label(key, view.point_of(key)))
        view.label_many_requested.connect(lambda keys: leaf.label_many(keys, view.point_of(keys[-1])))
        view.copy_requested.connect(self.copy_requested)
        view.copy_many_requested.connect(self.copy_many_requested)
        view.compact_requested.connect(self.compact_requested)
        view.context_requested.connect(self.context_requested)
        view.summarise_from_requested.connect(self.leave.summarise_from)
        view.summarise_up_to_requested.connect(self._on_summarise_up_to_requested)
        for id, verb in VERBS.items():
            desk.actions.on(id, partial(self._give, verb))
        for id, move in MOVES.items():
            desk.actions.on(id, partial(view.list.move_given.emit, move))
        desk.actions.on("go-to-leaf", self._go_to_leaf)
        desk.actions["show-deleted"].toggled.connect(lambda on: view.show_trash(on=on))

    def _give(self, verb: Verb) -> None:
        row = self._view.list.selected_row
        if row is not None:
            self._view.list.verb_given.emit(verb, row)

    def _go_to_leaf(self) -> None:
        self._opened.look_at_leaf()
        self._view.go_to_leaf()

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

    def _on_summarise_up_to_requested(self, key: int) -> None:
        """The kept part begins with what follows the entry on the active path."""
        skeleton, leaf = self._opened.skeleton, self._opened.leaf
        entry = None if skeleton is None else skeleton.tree.get(key)
        if skeleton is None or leaf is None or entry is None or not skeleton.tree.is_ancestor(entry, leaf):
            self._toast.tell(self.tr("Only the active branch can be compacted. Continue from there first."))
        elif entry == leaf:
            self._toast.tell(self.tr("Something has to be kept: choose an entry above the last one."))
        else:
            path = skeleton.tree.path(leaf)
            self.compact_requested.emit(skeleton.tree.key(path[path.index(entry) + 1]))
