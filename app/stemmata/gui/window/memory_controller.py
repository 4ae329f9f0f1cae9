"""A session is found again as it was left: what was looked at, folded and in sight."""

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
    """Kept in the window's INI file. What cannot be read any more counts as forgotten."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings
        order = settings.value(_ORDER)
        self._order = dict.fromkeys(order.split() if isinstance(order, str) else ())  # least recently left first

    def get(self, session: str) -> dict[str, Any]:
        """By the session's id; empty when nothing is known of it."""
        text = self._settings.value(_session_memory_key(session))
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    def put(self, session: str, value: Mapping[str, Any]) -> None:
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


OPENED = "opened"  # the name under which the window remembers what is open in it


class MemoryController(QObject):
    """Made before all that clears the views when another session is opened, so that it hears of it first."""

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
        self._id = ""  # of the session whose tree is shown
        self._looking: int | None = None
        self._at_leaf = True
        self._due: dict[str, Any] | None = None  # what is remembered of the session that is on its way
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._on_tree_read)
        desk.opened.tree_read.connect(self._note)
        desk.opened.looked.connect(self._note)
        desk.opened.selected.connect(self._note)

    def remember(self) -> None:
        """Keep with the window which session is open in it, and how."""
        session = self._opened.session
        known = None if self._opened.key is None else self._sessions().get(self._opened.key)
        id = session.id if session is not None else known.id if known is not None else ""
        self._keep()
        self._window.keep(OPENED, json.dumps({**(self._memory.get(id) if id else {}), "session": id}))

    def recall(self) -> str:
        """The id of the session that `remember` kept, "" for none; opened next, it is shown as it was then."""
        try:
            value = json.loads(self._window.kept(OPENED) or "{}")
        except ValueError:
            value = None
        id = value.pop("session", "") if isinstance(value, dict) else ""
        if not isinstance(id, str) or not id:
            return ""
        if value:
            self._memory.put(id, value)  # another window may have left it otherwise since
        return id

    def _note(self) -> None:
        """What will not be known any more once another session is opened."""
        session = self._opened.session
        self._looking = self._opened.looking
        self._at_leaf = session is None or self._opened.selection == session.leaf

    def _on_started(self) -> None:
        self._keep()
        opened, self._id = self._opened, ""
        session = None if opened.key is None else self._sessions().get(opened.key)
        self._due = {} if session is None else self._memory.get(session.id)
        if opened.selection is None:
            opened.resume(_key(self._due.get("selected")), _key(self._due.get("looking")))
        else:  # an entry was asked for
            self._due = {name: self._due[name] for name in ("density", "folded") if name in self._due}

    def _keep(self) -> None:
        if self._id and self._branches.outline is not None:
            state = self._branches.state()
            if self._at_leaf:
                state["selected"] = None  # wherever the leaf will be
            place = self._transcript.place
            self._memory.put(self._id, {**state, "looking": self._looking, "place": place and list(place)})

    def _on_tree_read(self) -> None:
        session, due, self._due = self._opened.session, self._due, None
        self._id = "" if session is None else session.id
        if due:
            self._branches.restore(due)
            place = due.get("place")
            if isinstance(place, list) and len(place) == 2 and None not in map(_key, place):
                QTimer.singleShot(0, self, lambda: self._show_place(place[0], place[1]))  # once the path is there

    def _show_place(self, key: int, offset: int) -> None:
        if self._opened.skeleton is not None:
            self._transcript.show_place(key, offset)


def _key(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
