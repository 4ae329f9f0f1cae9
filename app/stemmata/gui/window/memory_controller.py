"""Restores the view of a session as it was left: shown path, folded branches and scroll position."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, QSettings, QTimer

from stemmata.domain.entries.session_facts import Session
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.window.main_window import MainWindow

MOST_SESSIONS = 500
_ORDER = "views/order"


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


OPENED = "opened"  # the name under which the window saves its open session


class MemoryController(QObject):
    """Saves the view of a session when another one is opened, and restores it when the session is opened again.

    It must be created before the controllers that clear the views, so that its slots run first.
    """

    def __init__(
        self,
        desk: WindowContext,
        branches: BranchesView,
        transcript: TranscriptView,
        sessions: Callable[[], Mapping[int, Session]],
        window: MainWindow,
    ) -> None:
        super().__init__(branches)
        self._opened, self._branches, self._transcript, self._sessions = desk.opened, branches, transcript, sessions
        self._window, self._memory = window, SessionMemory(window.settings)
        self._id = ""  # id of the session whose tree is shown
        self._looking: int | None = None
        self._at_leaf = True
        self._saved_view: dict[str, Any] | None = None  # saved view of the session that is being opened
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._on_tree_read)
        desk.opened.tree_read.connect(self._note)
        desk.opened.looked.connect(self._note)
        desk.opened.selected.connect(self._note)

    def remember(self) -> None:
        """Save the open session and its view in the state of the window."""
        session = self._opened.session
        known = None if self._opened.key is None else self._sessions().get(self._opened.key)
        id = session.id if session is not None else known.id if known is not None else ""
        self._keep()
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

    def _note(self) -> None:
        """Note the shown path and the selection, which are lost when another session is opened."""
        session = self._opened.session
        self._looking = self._opened.looking
        self._at_leaf = session is None or self._opened.selection == session.leaf

    def _on_started(self) -> None:
        self._keep()
        opened, self._id = self._opened, ""
        session = None if opened.key is None else self._sessions().get(opened.key)
        self._saved_view = {} if session is None else self._memory.get(session.id)
        if opened.selection is None:
            opened.resume(_key(self._saved_view.get("selected")), _key(self._saved_view.get("looking")))
        else:  # the session is opened at an entry
            self._saved_view = {
                name: self._saved_view[name] for name in ("density", "folded") if name in self._saved_view
            }

    def _keep(self) -> None:
        if self._id and self._branches.outline is not None:
            state = self._branches.state()
            if self._at_leaf:
                state["selected"] = None  # on restoring, the leaf is selected, wherever it is then
            place = self._transcript.place
            self._memory.put(self._id, {**state, "looking": self._looking, "place": place and list(place)})

    def _on_tree_read(self) -> None:
        session, due, self._saved_view = self._opened.session, self._saved_view, None
        self._id = "" if session is None else session.id
        if due:
            self._branches.restore(due)
            place = due.get("place")
            if isinstance(place, list) and len(place) == 2 and None not in map(_key, place):
                QTimer.singleShot(0, self, lambda: self._show_place(place[0], place[1]))  # after the path is shown

    def _show_place(self, key: int, offset: int) -> None:
        if self._opened.skeleton is not None:
            self._transcript.show_place(key, offset)


def _key(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
