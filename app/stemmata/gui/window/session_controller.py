"""Shows the open session and its path in the transcript, the header and the composer."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.context.projection import Projection
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.words import titles_of
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.saved_views import SavedViews

SLOW_MS = 150  # delay of the loading page, so that it does not flash for sessions that open faster


class SessionController(QObject):
    """Shows the open session in a transcript column.

    When another session is opened, it first saves the view of the old one. So it must be created before the
    controllers that clear the views: slots run in the order in which they were connected.
    """

    opened = Signal(int)  # key of the session whose first entries are on the screen

    def __init__(self, shared: WindowContext, window: MainWindow, views: SavedViews) -> None:
        super().__init__(window)
        opened, column = shared.opened, window.transcript
        self._opened, self._actions, self._column, self._views = opened, shared.actions, column, views
        self._is_first_tree = False  # whether the next tree is the first one of the session
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_loading)
        self._shown_before: int | None = None  # key of a session that the column showed before it was opened
        opened.started.connect(self._on_started)
        opened.failed.connect(self._on_failed)
        opened.tail_read.connect(self._on_tail_read)
        opened.tree_read.connect(self._on_tree_read)
        opened.view_changed.connect(self._on_view_changed)
        opened.branch_awaited.connect(self._slow.start)
        self._composer = column.composer
        self._left_view = column.view  # its scroll position is saved and restored
        self.connect_column(column)

    def connect_column(self, column: TranscriptColumn) -> None:
        """Handle the requests of this column, which is the active one whenever it emits them."""
        column.branch_step_requested.connect(self._on_branch_step)

    def show_in(self, column: TranscriptColumn, shows: int | None = None) -> None:
        """Show the open session in this column from now on, and leave the other column unchanged.

        `shows` is the key of the session that the column already shows; when it is opened, its scroll position stays.
        """
        self._column, self._shown_before = column, shows

    # -- opening ----------------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._views.save()
        self._views.choose()
        self._is_first_tree = True
        key = self._opened.key
        self._slow.stop()
        if key is not None and key != self._shown_before:
            self._slow.start()
        self._actions.set_state(State.OPEN, on=key is not None)
        self._column.show_branch(0, 0)
        self._column.header.set_chip("")
        if key is None:
            self._show_title("")
            self._column.show_nothing()
            self._column.view.clear()
        self._composer.open(key)

    @property
    def is_waiting(self) -> bool:
        """Whether a session is being read, or a branch computed, and the loading page is not shown yet."""
        return self._slow.isActive()

    def show_loading(self) -> None:
        """Show the loading page, so that the entries of the previous session are not shown for the new session."""
        self._column.show_loading()

    def _on_failed(self) -> None:
        """Hide the loading page; the banner shows the error."""
        self._slow.stop()
        if self._column.is_loading:
            self._column.show_nothing()

    def _show_title(self, title: str, whole: str = "") -> None:
        """Set the title of the header and of the window, which the system's window list shows."""
        self._column.header.set_title(title, whole)
        self._column.window().setWindowTitle(self.tr("{0} – Stemmata").format(title) if title else "Stemmata")

    def _on_tail_read(self, session: Session, keys: list[int]) -> None:
        self._slow.stop()
        self._show_title(*titles_of(session))
        with self._column.view.arranged_once():  # in the final width
            self._column.show_transcript()
            if session.key != self._shown_before:
                self._column.view.set_folder(session.cwd)
                self._column.view.show_tail(keys)
        self.opened.emit(session.key)

    def _on_tree_read(self) -> None:
        session = self._opened.session
        assert session is not None
        place = self._views.restore(session)
        self._views.note()
        self._slow.stop()
        self._show_title(*titles_of(session))
        self._column.view.set_folder(session.cwd)
        keeps, self._shown_before = session.key == self._shown_before, None
        with self._column.view.arranged_once():  # for the new path, in the final width, at the selected entry
            self._column.show_transcript()
            self._show_path()
            if self._opened.is_at_new_leaf:
                self._column.view.scroll_to_end()
            if self._is_first_tree and not keeps and self._opened.selected_index != self._opened.leaf:
                self._scroll_to_selection()
            if place is not None:
                self._left_view.show_place(*place)
        self._is_first_tree = False

    def _on_view_changed(self) -> None:
        self._views.note()
        self._slow.stop()
        with self._column.view.arranged_once():
            if self._column.is_loading and self._opened.session is not None:
                self._show_title(*titles_of(self._opened.session))
                self._column.show_transcript()
            self._show_path()
            if self._opened.selected_index == self._opened.end:
                self._column.view.scroll_to_end()
            else:
                self._scroll_to_selection()

    # -- moving between branches --------------------------------------------------------------------------------

    def step_sibling(self, key: int, step: int) -> None:
        """Show the path through the sibling `step` positions after this entry (key)."""
        session_tree = self._opened.session_tree
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is None or entry is None:
            return
        family = session_tree.tree.alternatives(entry)
        at = family.index(entry) + step if entry in family else -1
        if 0 <= at < len(family):
            self._opened.view_entry(session_tree.tree.key(family[at]))

    def _on_branch_step(self, step: int) -> None:
        session_tree, end = self._opened.session_tree, self._opened.end
        if session_tree is not None and end is not None:
            leaves = session_tree.tree.kept_leaves(self._opened.leaf, end)
            at = (bisect_left(leaves, end) + step) % len(leaves)
            self._opened.view_entry(session_tree.tree.key(leaves[at]))

    def show_summarised(self, key: int) -> None:
        """Scroll to the first entry that the compaction with this key summarised."""
        session_tree = self._opened.session_tree
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is not None and entry is not None:
            self._column.view.scroll_to(session_tree.tree.key(session_tree.tree.path(entry)[0]))

    # -- showing ----------------------------------------------------------------------------------------------

    def _show_path(self) -> None:
        if self._opened.session_tree is not None:
            end = self._opened.end
            show_path(self._column, self._opened.session_tree, end, self._opened.context(end).projection)

    def _scroll_to_selection(self) -> None:
        if self._opened.selection is not None:
            self._column.view.scroll_to(self._opened.selection)


def show_path(column: TranscriptColumn, session_tree: SessionTree, end: int | None, projection: Projection) -> None:
    """Show in a column the path to an entry (index in the tree), the branch's number, and whether it is active."""
    tree = session_tree.tree
    leaf = tree.get(session_tree.session.leaf)
    column.view.show_path(tree, tree.path(end), projection)
    leaves = tree.kept_leaves(leaf, end)
    at = bisect_left(leaves, end) + 1 if end is not None else 0
    column.show_branch(min(at, len(leaves)), len(leaves))
    active = end == leaf
    column.show_active(on=active)
    head = tree.deleted_head(end, leaf)
    column.show_deleted(None if head is None else tree.key(head))
    removed = tree.removed_head(end)
    column.show_removed(None if removed is None else tree.key(removed), session_tree.session.source)
