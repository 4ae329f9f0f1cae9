"""The split view: two transcripts side by side, each with its own session, path and scroll position.

One side is active: it shows the open session, which the navigator and the context show too. The other side keeps its
session and path, and becomes active when it gets the keyboard focus.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.words import titles_of
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.window.lineage_controller import LineageController
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.session_controller import SessionController, show_path

SPLIT = "split"  # the name under which the window saves the right side
LEFT, RIGHT = 0, 1


@dataclass(slots=True)
class SplitSide:
    """The session that a side shows, and the entry that its path goes through (keys); no entry: the active path."""

    session: int | None = None
    entry: int | None = None


class SplitController(QObject):
    """Splits the view, switches between its sides, and shows the side that is not active."""

    shown = Signal()  # the inactive side shows another path or a newer tree
    activated = Signal(object)  # TranscriptColumn of the new active side

    def __init__(
        self,
        shared: WindowContext,
        window: MainWindow,
        session_controller: SessionController,
        lineage: LineageController,
        open_session: Callable[..., None],
        connect_column: Callable[[TranscriptColumn], None],
    ) -> None:
        super().__init__(window)
        self._services, self._bridge, self._actions = shared.services, shared.bridge, shared.actions
        self._opened, self._window, self._session_controller = shared.opened, window, session_controller
        self._background, self._lineage = shared.background, lineage
        self._open_session, self._connect_column = open_session, connect_column
        self._sides = [SplitSide(), SplitSide()]
        self._active = LEFT
        self._read_run = LatestOnly()  # reads the tree of the inactive side
        # entry key and offset to which the inactive side is scrolled once it is read
        self._place_to_restore: tuple[int, int] | None = None
        # the selected entry and the place of the side that became active, until its branch is shown
        self._returned: tuple[int | None, tuple[int, int] | None] = None, None
        self._other: tuple[SessionTree, int | None] | None = None  # tree and end of the path of the inactive side
        window.transcript.touched.connect(partial(self.activate, LEFT))
        window.transcript.write_requested.connect(partial(self._write, LEFT))
        shared.opened.tree_read.connect(self._on_tree_read)
        shared.opened.view_changed.connect(self._show_returned)
        shared.bridge.changed.connect(self._on_changed)

    @property
    def is_split(self) -> bool:
        """Whether the right side is shown."""
        return "beside" in vars(self._window) and not self._window.beside.isHidden()

    @property
    def active(self) -> int:
        """The active side: LEFT or RIGHT."""
        return self._active

    @property
    def view(self) -> TranscriptView:
        """The transcript of the active side."""
        return self._column(self._active).view

    @property
    def other(self) -> tuple[TranscriptView, SessionTree, int | None] | None:
        """The transcript of the inactive side, its tree and the end of its path; None when the view is not split."""
        if not self.is_split or self._other is None:
            return None
        return self._column(1 - self._active).view, *self._other

    @property
    def sessions(self) -> set[int]:
        """Keys of the sessions that both sides show."""
        shown = [self._opened.key, self._sides[1 - self._active].session if self.is_split else None]
        return {key for key in shown if key is not None}

    def prepare(self) -> None:
        """Create the right side of the split view, hidden, so that opening it is fast."""
        if "beside" not in vars(self._window):
            self._prepare(self._window.beside)

    # -- actions -------------------------------------------------------------------------------------------

    def set_split(self, *, on: bool) -> None:
        """Show the open session on the right side as well, or close the right side."""
        if not on:
            self.join()
        elif not self.is_split:
            self.show_beside(self._opened.key, self._opened.viewed_key)

    def show_selected(self) -> None:
        """Show the session that is selected in the list on the inactive side; open it when none is open."""
        chosen = self._window.sessions.selected
        if chosen and self._opened.key is None:
            self._open_session(chosen[0].key)
        elif chosen:
            self.show_beside(chosen[0].key, None)

    def show_beside(self, session: int | None, entry: int | None) -> None:
        """Show the path through an entry of a session on the inactive side."""
        if session is None:
            self._actions["split-view"].setChecked(False)
            return
        if not self.is_split:
            self._window.new_picture.begin()
        self.prepare()
        self._sides[1 - self._active] = SplitSide(session, entry)
        if not self.is_split:
            self._window.beside.show()
            self._window.columns.share_sides()
        self._actions["split-view"].setChecked(True)
        self._mark_active_side()
        self._show_other()

    def join(self) -> None:
        """Activate the left side and close the right one."""
        if self.is_split:
            self.activate(LEFT)
            self._read_run.cancel()
            focused = QApplication.focusWidget()
            if focused is not None and self._window.beside.isAncestorOf(focused):
                self._column(LEFT).view.setFocus()  # Qt would give the focus to the next widget
            self._window.new_picture.begin()
            self._window.beside.hide()
            self._window.beside.view.show_replies(())
            self._window.beside.view.clear()
            self._window.columns.join_sides()
            self._sides[RIGHT], self._other = SplitSide(), None
        self._actions["split-view"].setChecked(False)
        self._mark_active_side()

    def close_deleted(self, listed: Container[int]) -> None:
        """Close the open session, which was deleted. In a split view, open the session of the other side instead.

        `listed` has the keys of the sessions that exist: the session of the other side may be deleted as well.
        """
        other = self._sides[1 - self._active]
        if not self.is_split or other.session not in listed:
            other = SplitSide()
        self._sides[LEFT] = other  # `join` activates it when the right side was active
        self.join()
        if other.session is None:
            self._opened.close()
        elif other.session != self._opened.key:
            self._open_session(other.session, other.entry)

    def switch(self) -> None:
        """Activate and focus the other side."""
        if self.is_split:
            self.activate(1 - self._active)
            self._column(self._active).view.setFocus()

    def activate(self, side: int) -> None:
        """Make a side active: open the session that it shows, along the path that it shows."""
        if side == self._active or not self.is_split:
            return
        self._read_run.cancel()  # the new active side is read as the open session
        session_tree, is_shown = self._opened.session_tree, self._opened.shown_tree is not None
        self._other = None if session_tree is None else (session_tree, self._opened.end)
        self._sides[self._active] = SplitSide(self._opened.key, self._opened.viewed_key)
        self._active, wanted, column = side, self._sides[side], self._column(side)
        place = column.view.place
        if self._window.transcript.composer.isAncestorOf(self._window.focusWidget()):
            column.view.setFocus()  # before the composer moves: Qt would give its focus to the next widget
        self._session_controller.show_in(column, None if wanted.session == self._opened.key else wanted.session)
        self._mark_active_side()
        self.activated.emit(column)
        if wanted.session == self._opened.key and self._opened.session_tree is not None:
            column.header.set_title(*titles_of(self._opened.session_tree.session))
            column.show_transcript()  # the side may still show the loading page
            self._view_entry(wanted.entry)
            self._returned = self._opened.selection, place
            self._show_returned()
        elif wanted.session is not None:
            self._open_session(wanted.session, wanted.entry)
        else:
            self._opened.close()
        if not is_shown:
            self._show_other()  # the session was still being opened, or its branch computed

    def _show_returned(self) -> None:
        """Scroll the side that became active to its place, again once its branch is shown."""
        selection, place = self._returned
        if place is not None and selection == self._opened.selection:
            self._column(self._active).view.show_place(*place)
        if self._opened.shown_tree is not None:
            self._returned = None, None

    # -- saved state --------------------------------------------------------------------------------------------

    def remember(self) -> None:
        """Activate the left side, and save the session and entry of the right side in the state of the window."""
        value: dict[str, object] = {}
        if self.is_split:
            self.activate(LEFT)
            side, place = self._sides[RIGHT], self._window.beside.view.place
            value = {"session": side.session, "entry": side.entry, "place": place and list(place)}
        self._window.keep(SPLIT, json.dumps(value))

    def restore(self) -> None:
        """Split the view as it was saved; an invalid saved value is ignored."""
        try:
            value = json.loads(self._window.kept(SPLIT) or "{}")
        except ValueError:
            value = None
        if not isinstance(value, dict) or not isinstance(value.get("session"), int):
            return
        entry, place = value.get("entry"), value.get("place")
        self.show_beside(value["session"], entry if isinstance(entry, int) else None)
        if isinstance(place, list) and len(place) == 2 and all(isinstance(part, int) for part in place):
            self._place_to_restore = (place[0], place[1])

    # -- inside -----------------------------------------------------------------------------------------------------

    def _column(self, side: int) -> TranscriptColumn:
        return self._window.beside if side == RIGHT else self._window.transcript

    def _prepare(self, column: TranscriptColumn) -> None:
        self._session_controller.connect_column(column)
        close = IconButton(self._window.theme, "close", self.tr("Close this side"))
        close.clicked.connect(self.join)
        column.header.add(close)
        column.touched.connect(partial(self.activate, RIGHT))
        column.write_requested.connect(partial(self._write, RIGHT))
        self._connect_column(column)

    def _write(self, side: int) -> None:
        self.activate(side)
        self._window.transcript.composer.editor.setFocus()

    def _view_entry(self, entry: int | None) -> None:
        if entry is None:
            self._opened.view_leaf()
        else:
            self._opened.view_entry(entry)

    def _mark_active_side(self) -> None:
        """Mark the active side and place the composer under it."""
        names = (self.tr("Transcript, left side"), self.tr("Transcript, right side"))
        for side in (LEFT, RIGHT) if "beside" in vars(self._window) else (LEFT,):
            name = names[side] if self.is_split else ""
            self._column(side).show_side(name, active=side == self._active, split=self.is_split)

    def _on_tree_read(self) -> None:
        if self.is_split and self._sides[1 - self._active].session == self._opened.key:
            self._show_other()

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        other = self._sides[1 - self._active].session
        if self.is_split and other != self._opened.key and any(one.session in (None, other) for one in changes):
            self._show_other()

    def _show_other(self) -> None:
        """Read and show the session of the inactive side."""
        other = self._sides[1 - self._active].session
        if other is None:
            return
        if other == self._opened.key and self._opened.session_tree is not None:
            self._on_read(self._opened.session_tree)
        else:
            read = self._services.sessions.open(other)
            self._bridge.when_done(read, self._on_read, lambda _gone: self.join(), run=self._read_run)

    def _on_read(self, session_tree: SessionTree) -> None:
        """Compute on the db thread which entries of the path are sent: a long path takes longer than a frame."""
        side = self._sides[1 - self._active]
        if side.session != session_tree.session.key:
            return
        tree, through = session_tree.tree, session_tree.tree.get(side.entry)
        leaf = tree.get(session_tree.session.leaf)
        end = leaf if through is None else tree.newest_leaf_below(through, leaf)

        def project() -> Projection:
            path_totals = None if end is None else PathTotals(tree, tree.path(end))
            return self._services.contexts.at(session_tree, end, path_totals).projection

        projected = self._background.submit(project)
        self._bridge.when_done(
            projected, lambda found: self._on_projected(session_tree, end, found), run=self._read_run
        )

    def _on_projected(self, session_tree: SessionTree, end: int | None, projection: Projection) -> None:
        column = self._column(1 - self._active)
        if self._sides[1 - self._active].session != session_tree.session.key:
            return
        column.header.set_title(*titles_of(session_tree.session))
        self._lineage.show_session(column, session_tree.session.key)
        with column.view.arranged_once():  # cards that take long to build follow in later turns
            column.show_transcript()
            show_path(column, session_tree, end, projection)
        self._other = (session_tree, end)
        self.shown.emit()
        place, self._place_to_restore = self._place_to_restore, None
        if place is not None:
            QTimer.singleShot(0, self, lambda: column.view.show_place(*place))  # after the path is shown
