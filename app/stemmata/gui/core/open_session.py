"""The session that is open in the window: its tree, its leaf, and the path that is being looked at."""

from __future__ import annotations

from array import array

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.entries.changes import ChangeSet
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.session_facts import Session, SessionTree
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.services.context.contexts import ContextView
from stemmata.services.futures import then
from stemmata.services.services import Services

TAIL = 64  # entries read before the tree: more than a screen shows


class OpenSession(QObject):
    """Opens in two phases: the last entries at once, then the whole tree. Indices are those of the tree."""

    started = Signal()  # another session, or none; nothing of it is known yet
    tail_read = Signal(object, list)  # Session, keys of the last entries
    tree_read = Signal()  # the tree is there, or there anew
    looked = Signal()  # another path or entry is looked at
    selected = Signal()  # another entry is selected
    failed = Signal()  # it cannot be opened, or read anew

    def __init__(self, services: Services, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._bridge = bridge
        self._tail_run, self._tree_run = LatestOnly(), LatestOnly()
        self.key: int | None = None
        self.skeleton: SessionTree | None = None
        self.selection: int | None = None  # key of the selected entry
        self._following = False  # the leaf was moved on purpose: the tree to come is shown at its leaf
        self._looking: int | None = None  # key of the entry looked at beside the active path
        self._line: PathTotals | None = None
        self.compacted: dict[int, Sizes] = {}  # compaction → the context before it and, on the active path, after
        bridge.changed.connect(self._on_changed)

    # -- what is open -----------------------------------------------------------------------------------------

    @property
    def session(self) -> Session | None:
        return None if self.skeleton is None else self.skeleton.session

    @property
    def leaf(self) -> int | None:
        """Index of the leaf; None before the first entry."""
        return None if self.skeleton is None else self.skeleton.tree.get(self.skeleton.session.leaf)

    @property
    def end(self) -> int | None:
        """Index of the last entry of the path that is shown."""
        if self.skeleton is None:
            return None
        tree = self.skeleton.tree
        looking = tree.get(self._looking)
        return self.leaf if looking is None else tree.newest_leaf_below(looking)

    @property
    def path(self) -> array[int]:
        """Indices from a root to the end of the path that is shown; kept, since long ones take long to walk."""
        end = self.end
        if end is None:
            return array("i")
        line = self.line_to(end)
        return line.path if line.path[-1] == end else line.path[: line.position(end) + 1]

    @property
    def looking(self) -> int | None:
        """Key of the entry whose path is shown instead of the active one."""
        return self._looking

    @property
    def is_at_leaf(self) -> bool:
        """Whether the active path is shown."""
        return self.end == self.leaf

    @property
    def selected_index(self) -> int | None:
        return None if self.skeleton is None else self.skeleton.tree.get(self.selection)

    def line_to(self, entry: int | None) -> PathTotals:
        """A line that holds the entry; kept, because moving along one path is the common case."""
        assert self.skeleton is not None
        tree = self.skeleton.tree
        line = self._line
        if line is None or line.tree is not tree or (entry is not None and entry not in line):
            end = self.end
            through = end if entry is None or (end is not None and tree.is_ancestor(entry, end)) else entry
            line = self._line = PathTotals(tree, tree.path(through))
        return line

    def context(self, entry: int | None) -> ContextView:
        """What the model sees at an entry of the open session."""
        assert self.skeleton is not None
        line = self.line_to(entry) if entry is not None else None
        return self._services.contexts.seen(self.skeleton, entry, line)

    # -- opening ----------------------------------------------------------------------------------------------

    def open(self, key: int, entry: int | None = None) -> None:
        """Open a session, at its leaf or at an entry (store key)."""
        self.key, self.skeleton, self._line, self._following = key, None, None, False
        self._looking, self.selection = entry, entry
        self._tail_run.cancel()
        self._tree_run.cancel()  # else a tree of the session before, read because it had changed, would be taken
        self.started.emit()
        if entry is None:
            tail = self._services.sessions.tail(key, TAIL)
            self._bridge.when_done(tail, self._on_tail, self._on_failed, run=self._tail_run)
        else:
            self._read_tree()

    def resume(self, selection: int | None, looking: int | None) -> None:
        """While it is being opened: select this entry, and show the path through the other, once they are there."""
        self.selection, self._looking = selection, looking

    def close(self) -> None:
        self.key, self.skeleton, self._line, self.selection, self._looking = None, None, None, None, None
        self._tail_run.cancel()
        self._tree_run.cancel()
        self.started.emit()

    def look(self, key: int) -> None:
        """Show the path through an entry. Nothing moves."""
        if self.skeleton is None:
            return
        tree, index = self.skeleton.tree, self.skeleton.tree.get(key)
        if index is None:
            return
        end, leaf = self.end, self.leaf
        if leaf is not None and tree.is_ancestor(index, leaf):
            self._looking = None
        elif end is None or not tree.is_ancestor(index, end):
            self._looking = key
        self.selection = key
        self.looked.emit()
        self.selected.emit()

    def look_at_leaf(self) -> None:
        """Show the active path, down to its end."""
        self._looking = None
        self.selection = None if self.session is None else self.session.leaf
        self.looked.emit()
        self.selected.emit()

    def select(self, key: int) -> None:
        """Select an entry of the path that is shown; one that is not of this session is passed over."""
        is_known = self.skeleton is None or self.skeleton.tree.get(key) is not None
        if key != self.selection and is_known:
            self.selection = key
            self.selected.emit()

    def follow_leaf(self) -> None:
        """After the leaf was moved on purpose: show where it went once the tree is read anew."""
        self._looking = None
        self.selection = None
        self._following = True

    def _read_tree(self) -> None:
        if self.key is not None:
            ready = then(self._services.sessions.open(self.key), self._prepare)
            self._bridge.when_done(ready, self._on_tree, self._on_failed, run=self._tree_run)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit()
        self._bridge.failed.emit(error)

    def _prepare(self, skeleton: SessionTree) -> tuple[SessionTree, PathTotals, dict[int, Sizes]]:
        """On the db thread: find out what every view is about to ask of the tree."""
        tree = skeleton.tree
        leaf = tree.get(skeleton.session.leaf)
        line = PathTotals.to(tree, leaf)
        _ = tree.leaves, tree.labels, tree.pins
        if leaf is not None:
            self._services.contexts.seen(skeleton, leaf, line)
        return skeleton, line, self._services.contexts.compacted(skeleton, line)

    def _on_tail(self, answer: tuple[Session, list[int]]) -> None:
        if self.skeleton is None:  # else a change made the tree be read, and it was quicker
            self.tail_read.emit(*answer)
            QTimer.singleShot(0, self, self._read_tree)  # once this is painted: both at once would share the time

    def _on_tree(self, prepared: tuple[SessionTree, PathTotals, dict[int, Sizes]]) -> None:
        skeleton, self._line, self.compacted = prepared
        before = None if self.session is None else self.session.leaf
        moved = self.skeleton is not None and before != skeleton.session.leaf
        self.skeleton = skeleton
        at_leaf = moved and self._looking is None and self.selection == before  # it stays there when more is said
        if at_leaf or skeleton.tree.get(self.selection) is None:
            self.selection = skeleton.session.leaf
        self.tree_read.emit()
        if self._following and moved:
            self._following = False
            self.look_at_leaf()

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        concerned = any(change.session in (None, self.key) for change in changes)
        if self.key is not None and concerned and any(change.what for change in changes):
            self._read_tree()
