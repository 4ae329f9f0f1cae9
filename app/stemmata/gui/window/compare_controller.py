"""Compares two branches: opens the page, updates it when the tree changes, and continues from either branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from stemmata.domain.compare.comparison import Comparison, Side
from stemmata.domain.entries.tree import Tree
from stemmata.gui.branches.controller import BranchesController
from stemmata.gui.branches.graph import COLOURS
from stemmata.gui.compare.head import BranchFacts
from stemmata.gui.compare.view import CompareView
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.window.main_window import MainWindow
from stemmata.services.sessions.branching import Position

Ends = tuple[int | None, int | None]


class CompareController(QObject):
    """Shows the comparison page; updates it while the branches grow, and closes it with the session."""

    def __init__(
        self,
        shared: WindowContext,
        window: MainWindow,
        branches: BranchesController,
        follow_link: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._follow_link = follow_link
        self._services, self._bridge = shared.services, shared.bridge
        self._toast, self._history = shared.toast, shared.history
        self._opened, self._window, self._branches = shared.opened, window, branches
        self._run = LatestOnly()
        self.ends: Ends | None = None  # keys of the last entries of the compared branches
        self._grows = True  # whether the ends follow new entries of their branches
        self._page: CompareView | None = None
        self.is_open = False
        shared.opened.started.connect(self.leave)
        shared.opened.tree_read.connect(self._on_tree_read)

    @property
    def view(self) -> CompareView:
        """The comparison page, created on first use."""
        if self._page is None:
            self._page = CompareView(self._window.theme, self._services.pages)
            self._page.leave_requested.connect(self.leave)
            self._page.continue_requested.connect(self._on_continue)
            self._page.copy_requested.connect(self._on_copy)
            self._page.link_activated.connect(self._follow_link)
        return self._page

    def open(self, entry: int, other: int | None = None) -> None:
        """Compare the newest branch through `entry` with the active one; with `other`, the paths to both entries."""
        if other is not None:
            self._open_two(entry, other)
            return
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        index = None if session_tree is None else session_tree.tree.get(entry)
        if session_tree is None or index is None:
            return
        tree = session_tree.tree
        end = tree.newest_leaf_below(index, leaf)
        if leaf is not None and tree.is_ancestor(index, leaf):
            self._toast.tell(
                self.tr("This entry is on the active branch. Choose an entry of another branch to compare.")
            )
            return
        self._grows = True
        self._ask((session_tree.session.leaf, tree.key(end)))

    def _open_two(self, one: int, other: int) -> None:
        """Compare the paths to two entries, given by key; a path on the active branch is shown left."""
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        second = None if session_tree is None else session_tree.tree.get(other)
        if session_tree is not None and leaf is not None and second is not None:
            swap = session_tree.tree.is_ancestor(second, leaf)
            self._grows = False  # the user chose exactly these two entries
            self._ask((other, one) if swap else (one, other))

    def leave(self) -> None:
        """Close the page and return to the columns."""
        self._run.cancel()
        self.ends = None
        if self._page is not None and self.is_open:
            self.is_open = False
            self._window.show_page(None)
            self._page.clear()

    def _ask(self, ends: Ends) -> None:
        session = self._opened.key
        if session is not None:
            self.ends = ends
            self._window.add_page(self.view)  # the page is filled in a later turn of the event loop
            future = self._services.comparing.compare(session, *ends)
            self._bridge.when_done(future, self._on_compared, run=self._run)

    def _on_compared(self, comparison: Comparison) -> None:
        session_tree = self._opened.session_tree
        if session_tree is None:
            return
        left, right = (
            self._facts(session_tree.tree, comparison.left),
            self._facts(session_tree.tree, comparison.right),
        )
        self.view.show_comparison(comparison, left, right, session_tree.session.cwd)
        self._window.show_page(self.view)
        self.is_open = True

    def _facts(self, tree: Tree, side: Side) -> BranchFacts:
        end, leaf = tree.get(side.end), self._opened.leaf
        active = end == leaf or (end is not None and leaf is not None and _is_within(tree, side, leaf))
        name = side.label or (self.tr("main") if active else side.name) or self.tr("branch")
        return BranchFacts(name, self._color(side.end, active=active), active, side.end)

    def _color(self, end: int | None, *, active: bool) -> str:
        """Return the colour token of the branch's lane; "lane_1" or "lane_2" when the navigator has no such entry."""
        outline = self._window.branches.outline
        place = None if outline is None else outline.place_of(outline.tree.get(end))
        number = outline.lanes.colour[place] if outline is not None and place is not None else 1
        if active or number < 1:
            return "lane_1" if active else "lane_2"
        return f"lane_{2 + (number - 1) % (COLOURS - 1)}"

    # -- news -------------------------------------------------------------------------------------------------

    def _on_tree_read(self) -> None:
        """Compare the same two branches again after the tree has changed."""
        session_tree = self._opened.session_tree
        if self.ends is None or session_tree is None:
            return
        tree = session_tree.tree
        if not self._grows:
            self._ask(self.ends)
            return
        indices = [tree.get(end) for end in self.ends]
        grown = [None if index is None else tree.key(tree.newest_leaf_below(index)) for index in indices]
        if grown[0] == grown[1] or grown[1] is None:
            self.leave()
        else:
            self._ask((grown[0], grown[1]))

    # -- going on ---------------------------------------------------------------------------------------------

    def _on_continue(self, end: int | None) -> None:
        self.leave()
        self._branches.continue_from(end)
        if self._opened.key is not None:
            self._history.tell(self.tr("The leaf moved to the other branch."), self._opened.key)

    def _on_copy(self, entries: Sequence[int], onto: int | None) -> None:
        session = self._opened.key
        if session is not None:
            self._opened.follow_leaf()
            future = self._services.comparing.copy_turn(session, entries, onto)
            self._bridge.when_done(future, self._on_copied)

    def _on_copied(self, position: Position) -> None:
        if position.session == self._opened.key:
            self._opened.arrive_at(position.leaf)
        text = self.tr("Copied the prompt as a new entry. The next reply answers the copy.")
        self._history.tell(text, position.session)


def _is_within(tree: Tree, side: Side, leaf: int) -> bool:
    """Return whether the leaf (an index) is among the entries of this side."""
    key = tree.key(leaf)
    return any(key in turn.entries for turn in side.turns)
