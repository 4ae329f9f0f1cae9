"""Shows the open session and its path in the transcript, the header and the composer, as the session was left."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from time import time_ns
from typing import Any

from PySide6.QtCore import QObject, QSettings, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.session_facts import Session, SessionTree, verbosity_of
from stemmata.domain.text.links import is_safe_link
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.words import deleted_words, titles_of
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.window.main_window import MainWindow

SLOW_MS = 150  # delay of the loading page, so that it does not flash for sessions that open faster
OPENED = "opened"  # the name under which the window saves its open session
MOST_SESSIONS = 500  # sessions whose views are saved
_ORDER = "views/order"  # the key of the ids of these sessions


class SessionMemory:
    """The saved views of sessions, in the window's INI file. Unreadable values count as missing."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings
        order = settings.value(_ORDER)
        self._order = dict.fromkeys(order.split() if isinstance(order, str) else ())  # least recently left first

    def get(self, session: str) -> dict[str, Any]:
        """Return the saved view of the session with this id; empty when none is saved."""
        text = self._settings.value(_session_memory_key(session))
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    def put(self, session: str, value: Mapping[str, Any]) -> None:
        """Save the view of the session with this id, and drop the oldest beyond MOST_SESSIONS."""
        self._settings.setValue(_session_memory_key(session), json.dumps(value, separators=(",", ":")))
        self._order.pop(session, None)
        self._order[session] = None
        while len(self._order) > MOST_SESSIONS:
            oldest = next(iter(self._order))
            del self._order[oldest]
            self._settings.remove(_session_memory_key(oldest))
        self._settings.setValue(_ORDER, " ".join(self._order))


def _session_memory_key(session: str) -> str:
    return f"views/session-{session}"


class SessionController(QObject):
    """Shows the open session in a transcript column.

    When another session is opened, the shown path, the folded branches and the scroll position are saved; they are
    restored when the session is opened again. This controller must be created before those that clear the views, so
    that its slots run first.
    """

    opened = Signal(int)  # key of the session whose first entries are on the screen
    session_wanted = Signal(int)  # key of the session to open

    def __init__(self, shared: WindowContext, window: MainWindow, sessions: SessionList) -> None:
        super().__init__(window)
        opened, column = shared.opened, window.transcript
        self._opened, self._actions, self._column, self._toast = opened, shared.actions, column, shared.toast
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
        self._window, self._branches, self._transcript = window, window.branches, column.view
        self._list, self._memory = sessions, SessionMemory(window.settings)
        sessions.listed.connect(lambda _sessions: self._show_lineage())
        sessions.states_changed.connect(self._show_lineage)
        self._id = ""  # id of the session whose tree is shown
        self._viewed_key: int | None = None
        self._at_leaf = True
        self._saved_view: dict[str, Any] | None = None  # saved view of the session that is being opened
        opened.selected.connect(self._note_view)
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
        self._save_view()
        self._choose_view()
        self._is_first_tree = True
        key = self._opened.key
        self._slow.stop()
        if key is not None and key != self._shown_before:
            self._slow.start()
        self._actions.set_state(State.OPEN, on=key is not None)
        self._column.show_branch(0, 0)
        self._column.header.set_chip("")
        self._show_lineage()
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
        """Show the loading page, so that the entries of the previous session are not taken for this one's."""
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
        place = self._restore_view(session)
        self._note_view()
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
                self._transcript.show_place(*place)
        self._is_first_tree = False

    def _on_view_changed(self) -> None:
        self._note_view()
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

    # -- the sessions before and after --------------------------------------------------------------------------

    def go_before(self) -> None:
        """Open the session from which the open one came."""
        self._go(self._list.lineage.before)

    def go_after(self) -> None:
        """Open the session that continues the open one, or else its newest fork."""
        self._go(self._list.lineage.after)

    def _go(self, step: Callable[[Session], Session | None]) -> None:
        listed = self._listed()
        found = None if listed is None else step(listed)
        if found is not None:
            self.session_wanted.emit(found.key)

    def _listed(self) -> Session | None:
        """Return the open session as the list has it, also before its tree is read; None when it is not listed."""
        return None if self._opened.key is None else self._list.sessions.get(self._opened.key)

    def show_lineage_in(self, column: TranscriptColumn, key: int | None) -> None:
        """Show in a column the sessions before and after the session with this key; show its tools open or not."""
        listed = None if key is None else self._list.sessions.get(key)
        point = None if key is None else self._list.fork_points.get(key)
        column.lineage.show_session(listed, self._list.lineage, point)
        state = None if listed is None else self._list.state(listed.key)
        column.removed.show_session("" if listed is None else deleted_words(listed, state, time_ns()))
        column.view.open_tools(on=listed is not None and verbosity_of(listed.details) == "full")

    def _show_lineage(self) -> None:
        listed, lineage = self._listed(), self._list.lineage
        self.show_lineage_in(self._column, self._opened.key)
        self._actions.set_state(State.BEFORE, on=listed is not None and lineage.before(listed) is not None)
        self._actions.set_state(State.AFTER, on=listed is not None and lineage.after(listed) is not None)

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

    def follow_link(self, target: str) -> None:
        """Show the target of a link in a toast, which opens it in the browser on request; refuse unsafe links."""
        if not is_safe_link(target):
            self._toast.tell(self.tr("Only http, https and mailto links can be opened: {0}").format(target[:200]))
            return
        self._toast.tell(target[:300], self.tr("Open in browser"), lambda: QDesktopServices.openUrl(QUrl(target)))

    # -- the view as it was left --------------------------------------------------------------------------------

    def remember(self) -> None:
        """Save the open session and its view in the state of the window."""
        session = self._opened.session
        known = None if self._opened.key is None else self._list.sessions.get(self._opened.key)
        id = session.id if session is not None else known.id if known is not None else ""
        self._save_view()
        self._window.keep(OPENED, json.dumps({**(self._memory.get(id) if id else {}), "session": id}))

    def recall(self) -> str:
        """Return the id of the session that `remember` saved, "" for none; opening it next restores its view."""
        try:
            value = json.loads(self._window.kept(OPENED) or "{}")
        except ValueError:
            value = None
        id = value.pop("session", "") if isinstance(value, dict) else ""
        if not isinstance(id, str) or not id:
            return ""
        if value:
            self._memory.put(id, value)  # another window may have saved another view since
        return id

    def _note_view(self) -> None:
        """Note the shown path and the selection, because they are gone when `_save_view` runs for another session."""
        session = self._opened.session
        self._viewed_key = self._opened.viewed_key
        self._at_leaf = session is None or self._opened.selection == session.leaf

    def _save_view(self) -> None:
        if self._id and self._branches.outline is not None:
            state = self._branches.state()
            if self._at_leaf:
                state["selected"] = None  # on restoring, the leaf is selected, wherever it is then
            place = self._transcript.place
            self._memory.put(self._id, {**state, "looking": self._viewed_key, "place": place and list(place)})

    def _choose_view(self) -> None:
        """Read the saved view of the session that is being opened, and select the entry that it names."""
        opened, self._id = self._opened, ""
        session = None if opened.key is None else self._list.sessions.get(opened.key)
        self._saved_view = {} if session is None else self._memory.get(session.id)
        if opened.selection is None:
            opened.resume(_key(self._saved_view.get("selected")), _key(self._saved_view.get("looking")))
        else:  # the session is opened at an entry
            self._saved_view = {
                name: self._saved_view[name] for name in ("density", "folded") if name in self._saved_view
            }

    def _restore_view(self, session: Session) -> tuple[int, int] | None:
        """Restore the branches of the saved view; return the place of its transcript, None for its end."""
        due, self._saved_view = self._saved_view, None
        self._id = session.id
        if due:
            self._branches.restore(due)
            place = due.get("place")
            if isinstance(place, list) and len(place) == 2 and None not in map(_key, place):
                return place[0], place[1]
        return None

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


def _key(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
