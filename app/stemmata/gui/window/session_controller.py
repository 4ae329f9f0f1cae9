"""Shows the open session and its path in the transcript, the header and the composer."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.session_facts import Session, SessionTree
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.words import title_of
from stemmata.gui.transcript.column import TranscriptColumn

SLOW_MS = 150  # delay of the loading page, so that it does not flash for sessions that open faster
SCHEMES = frozenset({"http", "https", "mailto"})


class SessionController(QObject):
    """Shows the open session in a transcript column."""

    opened = Signal(int)  # key of the session whose first entries are on the screen

    def __init__(self, desk: WindowContext, column: TranscriptColumn) -> None:
        super().__init__(column)
        session, actions = desk.opened, desk.actions
        self._session, self._actions, self._column, self._toast = session, actions, column, desk.toast
        self._arriving = False  # whether the next tree is the first one of the session
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_loading)
        self._shown: int | None = None  # key of a session that the column showed before it was opened
        session.started.connect(self._on_started)
        session.failed.connect(self._on_failed)
        session.tail_read.connect(self._on_tail_read)
        session.tree_read.connect(self._on_tree_read)
        session.looked.connect(self._on_looked)
        self._composer = column.composer
        self.connect_column(column)

    def connect_column(self, column: TranscriptColumn) -> None:
        """Handle the requests of this column, which is the active one whenever it emits them."""
        column.branch_step_requested.connect(self._on_branch_step)

    def show_in(self, column: TranscriptColumn, shows: int | None = None) -> None:
        """Show the open session in this column from now on, and leave the other column unchanged.

        `shows` is the key of the session that the column already shows; when it is opened, its scroll position stays.
        """
        self._column, self._shown = column, shows

    # -- opening ----------------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._arriving = True
        key = self._session.key
        self._slow.stop()
        if key is not None and key != self._shown:
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
        """Whether the first entries of a session are being read and the loading page is not shown yet."""
        return self._slow.isActive()

    def show_loading(self) -> None:
        """Show the loading page, so that the entries of the previous session are not taken for this one's."""
        self._column.show_loading()

    def _on_failed(self) -> None:
        """Hide the loading page; the banner shows the error."""
        self._slow.stop()
        if self._column.is_loading:
            self._column.show_nothing()

    def _show_title(self, title: str) -> None:
        """Set the title of the header and of the window, which the system's window list shows."""
        self._column.header.set_title(title)
        self._column.window().setWindowTitle(self.tr("{0} – Stemmata").format(title) if title else "Stemmata")

    def _on_tail_read(self, session: Session, keys: list[int]) -> None:
        self._slow.stop()
        self._show_title(title_of(session))
        self._column.show_transcript()  # before the entries, so that they are laid out once, in the final width
        if session.key != self._shown:
            self._column.view.show_tail(keys)
        self.opened.emit(session.key)

    def _on_tree_read(self) -> None:
        session = self._session.session
        assert session is not None
        self._slow.stop()
        self._show_title(title_of(session))
        self._show_path()
        self._column.show_transcript()
        keeps, self._shown = session.key == self._shown, None
        if self._arriving and not keeps and self._session.selected_index != self._session.leaf:
            self._scroll_to_selection()
        self._arriving = False

    def _on_looked(self) -> None:
        self._show_path()
        if self._session.selected_index == self._session.end:
            self._column.view.scroll_to_end()
        else:
            self._scroll_to_selection()

    # -- moving between branches --------------------------------------------------------------------------------

    def step_sibling(self, key: int, step: int) -> None:
        """Show the path through the sibling `step` positions after this entry (key)."""
        skeleton = self._session.skeleton
        entry = None if skeleton is None else skeleton.tree.get(key)
        if skeleton is None or entry is None:
            return
        family = skeleton.tree.alternatives(entry)
        at = family.index(entry) + step if entry in family else -1
        if 0 <= at < len(family):
            self._session.look(skeleton.tree.key(family[at]))

    def _on_branch_step(self, step: int) -> None:
        skeleton, end = self._session.skeleton, self._session.end
        if skeleton is not None and end is not None:
            leaves = skeleton.tree.kept_leaves(self._session.leaf, end)
            at = (bisect_left(leaves, end) + step) % len(leaves)
            self._session.look(skeleton.tree.key(leaves[at]))

    def show_summarised(self, key: int) -> None:
        """Scroll to the first entry that the compaction with this key summarised."""
        skeleton = self._session.skeleton
        entry = None if skeleton is None else skeleton.tree.get(key)
        if skeleton is not None and entry is not None:
            self._column.view.scroll_to(skeleton.tree.key(skeleton.tree.path(entry)[0]))

    def follow_link(self, target: str) -> None:
        """Show a link's target in a toast that opens it on request; only links with one of SCHEMES are opened."""
        url = QUrl(target)
        if url.scheme().lower() not in SCHEMES:
            self._toast.tell(self.tr("Only http, https and mailto links can be opened: {0}").format(target[:200]))
            return
        self._toast.tell(target[:300], self.tr("Open in browser"), lambda: QDesktopServices.openUrl(url))

    # -- showing ----------------------------------------------------------------------------------------------

    def _show_path(self) -> None:
        if self._session.skeleton is not None:
            end = self._session.end
            show_path(self._column, self._session.skeleton, end, self._session.context(end).projection)

    def _scroll_to_selection(self) -> None:
        if self._session.selection is not None:
            self._column.view.scroll_to(self._session.selection)


def show_path(column: TranscriptColumn, skeleton: SessionTree, end: int | None, projection: Projection) -> None:
    """Show in a column the path to an entry (index in the tree), the branch's number, and whether it is active."""
    tree = skeleton.tree
    leaf = tree.get(skeleton.session.leaf)
    column.view.show_path(tree, tree.path(end), projection)
    leaves = tree.kept_leaves(leaf, end)
    at = bisect_left(leaves, end) + 1 if end is not None else 0
    column.show_branch(min(at, len(leaves)), len(leaves))
    active = end == leaf
    column.show_active(on=active)
