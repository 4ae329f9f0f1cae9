"""The session that is open in the window: its tree, its leaf, its selection and the shown path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.entries.changes import ChangeSet
from stemmata.domain.entries.growing import Numbers, numbers
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.session_facts import Session, SessionTree
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.services.context.contexts import ContextView
from stemmata.services.futures import then
from stemmata.services.services import Services

TAIL = 64  # entries read before the tree: more than a screen shows


class OpenSession(QObject):
    """The open session. It is read in two phases: first the last entries, then the whole tree.

    Keys are store keys, indices are positions in the tree.
    """

    started = Signal()  # another session is being opened, or the session was closed
    tail_read = Signal(object, list)  # Session, keys of the last entries
    tree_read = Signal()  # the tree was read for the first time, or again
    view_changed = Signal()  # another path or entry is shown
    selected = Signal()  # another entry is selected
    failed = Signal()  # the session cannot be opened or read again

    def __init__(self, services: Services, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._bridge = bridge
        self._tail_run, self._tree_run = LatestOnly(), LatestOnly()
        self.key: int | None = None
        self.session_tree: SessionTree | None = None
        self.selection: int | None = None  # key of the selected entry
        self._choices = 0  # how often the user has chosen an entry or a session
        self._following = False  # the user moved the leaf: the next tree is shown at its leaf
        self.is_at_new_leaf = False  # the tree that is being shown has the leaf to which the user moved
        self._viewed_key: int | None = None  # key of the entry whose path is shown instead of the active one
        self._path_totals: PathTotals | None = None
        # compaction index → context sizes before it and, on the active path, after it
        self.compacted: dict[int, Sizes] = {}
        self._later = TurnSteps(self)
        bridge.changed.connect(self._on_changed)

    # -- the session ------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session | None:
        """The session; None until the tree is read."""
        return None if self.session_tree is None else self.session_tree.session

    @property
    def leaf(self) -> int | None:
        """Index of the leaf; None before the first entry."""
        return None if self.session_tree is None else self.session_tree.tree.get(self.session_tree.session.leaf)

    @property
    def end(self) -> int | None:
        """Index of the last entry of the shown path; None without a tree or entries."""
        if self.session_tree is None:
            return None
        tree = self.session_tree.tree
        viewed_key = tree.get(self._viewed_key)
        return self.leaf if viewed_key is None else tree.newest_leaf_below(viewed_key, self.leaf)

    @property
    def path(self) -> Numbers:
        """Indices from a root to the end of the shown path; cached, since long paths are slow to walk."""
        end = self.end
        if end is None:
            return numbers("i")
        path_totals = self.path_totals_to(end)
        return path_totals.path if path_totals.path[-1] == end else path_totals.path[: path_totals.position(end) + 1]

    @property
    def viewed_key(self) -> int | None:
        """Key of the entry whose path is shown instead of the active one; None while the active path is shown."""
        return self._viewed_key

    @property
    def is_at_leaf(self) -> bool:
        """Whether the active path is shown."""
        return self.end == self.leaf

    @property
    def selected_index(self) -> int | None:
        """Index of the selected entry; None when no entry of the tree is selected."""
        return None if self.session_tree is None else self.session_tree.tree.get(self.selection)

    @property
    def is_behind(self) -> bool:
        """Whether a new leaf is going to be selected in a later turn."""
        return self._later.is_active

    def path_totals_to(self, entry: int | None) -> PathTotals:
        """Return the totals of a path that holds the entry; cached, since most moves stay on one path."""
        assert self.session_tree is not None
        tree = self.session_tree.tree
        path_totals = self._path_totals
        if path_totals is None or path_totals.tree is not tree or (entry is not None and entry not in path_totals):
            end = self.end
            through = end if entry is None or (end is not None and tree.is_ancestor(entry, end)) else entry
            path_totals = self._path_totals = PathTotals.to(tree, through)
        return path_totals

    def context(self, entry: int | None) -> ContextView:
        """Return the context that the model gets at an entry (index) of the open session."""
        assert self.session_tree is not None
        path_totals = self.path_totals_to(entry) if entry is not None else None
        return self._services.contexts.seen(self.session_tree, entry, path_totals)

    # -- opening ----------------------------------------------------------------------------------------------

    def open(self, key: int, entry: int | None = None) -> None:
        """Open the session with this key, at its leaf or at the entry with this key."""
        self.keep_place()
        self.key, self.session_tree, self._path_totals = key, None, None
        self._viewed_key, self.selection = entry, entry
        self._tail_run.cancel()
        self._tree_run.cancel()  # otherwise a pending tree of the previous session would be accepted
        self.started.emit()
        if entry is None:
            tail = self._services.sessions.tail(key, TAIL)
            self._bridge.when_done(tail, self._on_tail, self._on_failed, run=self._tail_run)
        else:
            self._read_tree()

    def resume(self, selection: int | None, viewed_key: int | None) -> None:
        """Set the selection and the shown path (entry keys) of a session that is being opened."""
        self.selection, self._viewed_key = selection, viewed_key

    def close(self) -> None:
        """Close the session."""
        self.key, self.session_tree, self._path_totals, self.selection, self._viewed_key = (
            None,
            None,
            None,
            None,
            None,
        )
        self.keep_place()
        self._tail_run.cancel()
        self._tree_run.cancel()
        self.started.emit()

    def view_entry(self, key: int) -> None:
        """Select an entry (key) and show the path through it; the leaf stays."""
        if self.session_tree is None:
            return
        tree, index = self.session_tree.tree, self.session_tree.tree.get(key)
        if index is None:
            return
        self.keep_place()
        end, leaf = self.end, self.leaf
        if leaf is not None and tree.is_ancestor(index, leaf):
            self._viewed_key = None
        elif end is None or not tree.is_ancestor(index, end):
            self._viewed_key = key
        self.selection = key
        self.view_changed.emit()
        self.selected.emit()

    def view_leaf(self) -> None:
        """Show the active path and select the leaf."""
        self._choices += 1
        self._viewed_key = None
        self.selection = None if self.session is None else self.session.leaf
        self.view_changed.emit()
        self.selected.emit()

    def select(self, key: int) -> None:
        """Select an entry (key) of the shown path; an entry of another session is ignored."""
        is_known = self.session_tree is None or self.session_tree.tree.get(key) is not None
        if key != self.selection and is_known:
            self.keep_place()
            self.selection = key
            self.selected.emit()

    def follow_leaf(self) -> None:
        """Show the active path, then the leaf of the next tree; to be called when the user moves the leaf."""
        if self._viewed_key is not None:
            self._viewed_key = None
            self.view_changed.emit()  # the move may fail, and then no tree follows
        self.selection = None
        self._following = True

    def arrive_at(self, leaf: int | None) -> None:
        """Select the new leaf (key), unless the user has chosen another entry since `follow_leaf`."""
        if self._following:
            self.selection = leaf

    def if_still_here(
        self, arrive: Callable[[Any], object], elsewhere: Callable[[Any], object] = lambda _answer: None
    ) -> Callable[[Any], None]:
        """Return a function for an answer that selects or opens something.

        It calls `arrive`, but `elsewhere` when the user has chosen another entry or session since now.
        """
        is_here = self.still_here()

        def on_answer(answer: object) -> None:
            (arrive if is_here() else elsewhere)(answer)

        return on_answer

    def still_here(self) -> Callable[[], bool]:
        """Return a function that tells whether the user has chosen no other entry or session since now."""
        session, choices = self.key, self._choices
        return lambda: (session, choices) == (self.key, self._choices)

    def _read_tree(self) -> None:
        if self.key is not None:
            ready = then(self._services.sessions.open(self.key), self._prepare)
            self._bridge.when_done(ready, self._on_tree, self._on_failed, run=self._tree_run)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit()
        self._bridge.failed.emit(error)

    def _prepare(self, session_tree: SessionTree) -> tuple[SessionTree, PathTotals, dict[int, Sizes]]:
        """Compute on the db thread the values that the views need from the tree."""
        tree = session_tree.tree
        leaf = tree.get(session_tree.session.leaf)
        path_totals = PathTotals.to(tree, leaf)
        _ = tree.leaves, tree.labels, tree.pins
        if leaf is not None:
            self._services.contexts.seen(session_tree, leaf, path_totals)
        return session_tree, path_totals, self._services.contexts.compacted(session_tree, path_totals)

    def _on_tail(self, answer: tuple[Session, list[int]]) -> None:
        if self.session_tree is None:  # a tree that was read after a change may have arrived first
            self.tail_read.emit(*answer)
            # after the tail is painted, since reading both at once would delay it
            QTimer.singleShot(0, self, self._read_tree)

    def _on_tree(self, prepared: tuple[SessionTree, PathTotals, dict[int, Sizes]]) -> None:
        session_tree, self._path_totals, self.compacted = prepared
        before = None if self.session is None else self.session.leaf
        moved = self.session_tree is not None and before != session_tree.session.leaf
        self.session_tree = session_tree
        # keep the selection at the leaf when it moves on
        at_leaf = moved and self._viewed_key is None and self.selection == before
        if at_leaf or session_tree.tree.get(self.selection) is None:
            self.selection = session_tree.session.leaf
        self.is_at_new_leaf = self._following and moved
        self.tree_read.emit()
        self.is_at_new_leaf = False
        if self._following and moved:
            self._following = False
            # in another turn, since showing a tree and the selection of an entry takes longer than a frame
            self._later.start(partial(self._select_new_leaf, self.key, self.selection))

    def keep_place(self) -> None:
        """Do not show the leaf of the next tree, nor select it in a later turn: the user has just chosen an entry."""
        self._choices += 1
        self._following = False
        self._later.stop()

    def _select_new_leaf(self, session: int | None, selection: int | None) -> None:
        """Select the leaf of the tree, unless another session or entry was chosen meanwhile.

        Its path is shown already, and is not shown again: the user may have scrolled.
        """
        if self.session is not None and (session, selection) == (self.key, self.selection):
            self.selection = self.session.leaf
            self.selected.emit()

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        concerned = any(change.session in (None, self.key) for change in changes)
        if self.key is not None and concerned and any(change.what for change in changes):
            self._read_tree()
