"""The session that is open in the window: its tree, its leaf, its selection and the shown path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.entries.growing import Numbers, numbers
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.core.kept_totals import KeptTotals
from stemmata.gui.core.turns import TurnSteps
from stemmata.services.context.contexts import ContextView
from stemmata.services.services import Services

TAIL = 64  # entries read before the tree: more than a screen shows
AT_ONCE = 4_096  # entries whose totals the GUI thread computes, in about two milliseconds; more are for the db thread


class PreparedTree(NamedTuple):
    """A tree with the values that the views need from it, computed on the db thread.

    `compacted` is as in `OpenSession`.
    """

    session_tree: SessionTree
    totals: KeptTotals
    compacted: dict[int, Sizes]


class OpenSession(QObject):
    """The open session. It is read in two phases: first the last entries, then the whole tree.

    A branch that is chosen is the shown one at once, so that keys act on it. Its path is shown with `view_changed`:
    in the same turn if little has to be computed, else when the db thread has computed it.

    Keys are store keys, indices are positions in the tree.
    """

    started = Signal()  # another session is being opened, or the session was closed
    tail_read = Signal(object, list)  # Session, keys of the last entries
    tree_read = Signal()  # the tree was read for the first time, or again
    view_changed = Signal()  # another path or entry is shown
    branch_awaited = Signal()  # a branch was chosen that is shown later, with `view_changed`
    selected = Signal()  # another entry is selected
    failed = Signal()  # the session cannot be opened or read again

    def __init__(self, services: Services, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._bridge = bridge
        self._tail_run, self._tree_run, self._branch_run = LatestOnly(), LatestOnly(), LatestOnly()
        self.key: int | None = None
        self.session_tree: SessionTree | None = None
        self.selection: int | None = None  # key of the selected entry
        self._choices = 0  # how often the user has chosen an entry or a session
        self._following = False  # the user moved the leaf: the next tree is shown at its leaf
        self.is_at_new_leaf = False  # the tree that is being shown has the leaf to which the user moved
        self._viewed_key: int | None = None  # key of the entry whose path is shown instead of the active one
        self._totals = KeptTotals()
        self.is_branch_awaited = False  # whether a chosen branch is shown later, when its context is computed
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
    def shown_tree(self) -> SessionTree | None:
        """The tree while its shown path is displayed; None until it is read, and while a chosen branch is awaited."""
        return None if self.is_branch_awaited else self.session_tree

    @property
    def leaf(self) -> int | None:
        """Index of the leaf; None before the first entry."""
        return None if self.session_tree is None else self.session_tree.tree.get(self.session_tree.session.leaf)

    @property
    def end(self) -> int | None:
        """Index of the last entry of the shown path; None without a tree or entries."""
        return None if self.session_tree is None else _end_of(self.session_tree, self._viewed_key)

    @property
    def path(self) -> Numbers:
        """Indices from a root to the end of the shown path; cached, since long paths are slow to walk."""
        end = self.end
        if end is None or self.session_tree is None:
            return numbers("i")
        if self.is_branch_awaited:
            return self.session_tree.tree.path(end)
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
        """Whether a later turn of the event loop will select a new leaf or show a chosen branch."""
        return self._later.is_active or self.is_branch_awaited

    def path_totals_to(self, entry: int | None) -> PathTotals:
        """Return the totals of a path that holds the entry; those of the active and the shown path are kept."""
        assert self.session_tree is not None
        return self._totals.to(self.session_tree.tree, entry, self.end)

    def context(self, entry: int | None) -> ContextView:
        """Return the context that the model gets at an entry (index) of the open session."""
        assert self.session_tree is not None
        path_totals = self.path_totals_to(entry) if entry is not None else None
        return self._services.contexts.seen(self.session_tree, entry, path_totals)

    # -- opening ----------------------------------------------------------------------------------------------

    def open(self, key: int, entry: int | None = None) -> None:
        """Open the session with this key, at its leaf or at the entry with this key."""
        self.keep_place()
        self.key, self._viewed_key, self.selection = key, entry, entry
        self._forget()
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
        self.key = self.selection = self._viewed_key = None
        self.keep_place()
        self._forget()
        self.started.emit()

    def _forget(self) -> None:
        """Forget the tree, and drop pending answers, which would be taken for those of the next session."""
        self.session_tree, self._totals = None, KeptTotals()
        self._tail_run.cancel()
        self._tree_run.cancel()
        self._stop_awaiting()

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
        self._show_branch(self.session_tree)

    def view_leaf(self) -> None:
        """Show the active path and select the leaf."""
        self._choices += 1
        self._viewed_key = None
        self.selection = None if self.session is None else self.session.leaf
        self._stop_awaiting()
        self.view_changed.emit()
        self.selected.emit()

    def select(self, key: int) -> None:
        """Select an entry (key) of the shown path; an entry of another session, or of a branch left, is ignored."""
        is_known = self.session_tree is None or self._may_select(self.session_tree.tree, key)
        if key != self.selection and is_known:
            self.keep_place()
            self.selection = key
            self.selected.emit()

    def follow_leaf(self) -> None:
        """Show the active path, then the leaf of the next tree; to be called when the user moves the leaf."""
        if self._viewed_key is not None:
            self._viewed_key = None
            self._stop_awaiting()
            self.view_changed.emit()  # the move may fail, and then no tree follows
        self.selection = None
        self._following = True

    def arrive_at(self, leaf: int | None) -> None:
        """Select the new leaf (key), unless the user has chosen another entry since `follow_leaf`."""
        if self._following:
            self.selection = leaf

    def unless_selection_changed(
        self, arrive: Callable[[Any], object], elsewhere: Callable[[Any], object] = lambda _answer: None
    ) -> Callable[[Any], None]:
        """Return a function that calls `arrive`, or `elsewhere` when the user has chosen another entry or session
        meanwhile. It is for answers that select or open something.
        """
        is_here = self.selection_check()

        def on_answer(answer: object) -> None:
            (arrive if is_here() else elsewhere)(answer)

        return on_answer

    def selection_check(self) -> Callable[[], bool]:
        """Return a function that returns False once the user has chosen another entry or session."""
        session, choices = self.key, self._choices
        return lambda: (session, choices) == (self.key, self._choices)

    def _may_select(self, tree: Tree, key: int) -> bool:
        """Return whether an entry (key) may be selected: not when its card is left over from another branch."""
        index, end = tree.get(key), self.end
        return index is not None and (not self.is_branch_awaited or end is None or tree.is_ancestor(index, end))

    # -- another branch: its context is computed on the db thread if much of it is new -------------------------------

    def _show_branch(self, session_tree: SessionTree) -> None:
        """Show the chosen branch, at once or when its context is computed, unless another one is chosen by then."""
        self._stop_awaiting()
        end = self.end
        if self._is_fast_to_compute(session_tree.tree, end):
            self.view_changed.emit()
            self.selected.emit()
            return
        self.is_branch_awaited = True
        is_wanted = self._branch_run.next_is_wanted()
        computed = self._services.sessions.compute(
            lambda: self._totals_to(session_tree, end) if is_wanted() else None
        )
        self._bridge.when_done(computed, self._on_branch, self._on_branch_failed, run=self._branch_run)
        self.branch_awaited.emit()
        self.selected.emit()

    def _is_fast_to_compute(self, tree: Tree, end: int | None) -> bool:
        """Return whether the context at the end of a path can be computed within a turn of the event loop."""
        return self._totals.ends_at(tree, end) or PathTotals.work(tree, end) <= AT_ONCE

    def _totals_to(self, session_tree: SessionTree, end: int | None) -> PathTotals:
        """Return the totals of a path, with all that its context needs. Runs on the db thread."""
        path_totals = PathTotals.to(session_tree.tree, end)
        self._services.contexts.seen(session_tree, end, path_totals)
        return path_totals

    def _on_branch(self, path_totals: PathTotals | None) -> None:
        self.is_branch_awaited, self._totals.shown = False, path_totals
        self.view_changed.emit()  # the entry was selected when it was chosen

    def _on_branch_failed(self, error: Exception) -> None:
        self.view_leaf()
        self._bridge.failed.emit(error)

    def _stop_awaiting(self) -> None:
        self._branch_run.cancel()
        self.is_branch_awaited = False

    # -- reading ------------------------------------------------------------------------------------------------

    def _read_tree(self) -> None:
        if self.key is not None:
            prepared = self._services.sessions.prepared(self.key, self._preparation())
            self._bridge.when_done(prepared, self._on_tree, self._on_failed, run=self._tree_run)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit()
        self._bridge.failed.emit(error)

    def _preparation(self) -> Callable[[SessionTree], PreparedTree]:
        """Return a function for the db thread that prepares a tree for the branch that is shown now."""
        viewed_key, shown = self._viewed_key, self._totals.shown
        return lambda session_tree: self._prepare(session_tree, viewed_key, shown)

    def _prepare(self, session_tree: SessionTree, viewed_key: int | None, shown: PathTotals | None) -> PreparedTree:
        """Compute on the db thread the values that the views need from the tree.

        The active path comes last: the next tree continues its totals.
        """
        tree, end, leaf = session_tree.tree, _end_of(session_tree, viewed_key), _end_of(session_tree, None)
        if end == leaf:
            shown = None
        elif shown is not None and shown.path and shown.path[-1] == end and tree.extends(shown.tree):
            shown = shown.on(tree)
        else:
            shown = self._totals_to(session_tree, end)
        _ = tree.leaves, tree.labels, tree.pins
        active = self._totals_to(session_tree, leaf)
        compacted = self._services.contexts.compacted(session_tree, active)
        return PreparedTree(session_tree, KeptTotals(active, shown), compacted)

    def _on_tail(self, answer: tuple[Session, list[int]]) -> None:
        if self.session_tree is None:  # a tree that was read after a change may have arrived first
            self.tail_read.emit(*answer)
            # after the tail is painted, since reading both at once would delay it
            QTimer.singleShot(0, self, self._read_tree)

    def _on_tree(self, prepared: PreparedTree) -> None:
        """Show a tree; first prepare it once more if another branch was chosen meanwhile whose context takes long."""
        session_tree, totals, compacted = prepared
        end = _end_of(session_tree, self._viewed_key)
        if not totals.ends_at(session_tree.tree, end) and PathTotals.work(session_tree.tree, end) > AT_ONCE:
            again = self._services.sessions.compute(partial(self._preparation(), session_tree))
            self._bridge.when_done(again, self._on_tree, self._on_failed, run=self._tree_run)
            return
        awaited = self.is_branch_awaited
        self._stop_awaiting()
        self._totals, self.compacted = totals, compacted
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
        elif awaited:
            self._later.start(self.view_changed.emit)  # scrolls to the chosen entry; later for the same reason

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


def _end_of(session_tree: SessionTree, viewed_key: int | None) -> int | None:
    """Return the index of the last entry of the path through an entry (key); without one, that of the leaf."""
    tree = session_tree.tree
    leaf, viewed = tree.get(session_tree.session.leaf), tree.get(viewed_key)
    return leaf if viewed is None else tree.newest_leaf_below(viewed, leaf)
