"""Saves the view of each session, and restores it when the session is opened again: the shown path, the selected
entry, the folded branches and the scroll position.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QSettings

from stemmata.domain.sessions.session import Session
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.window.main_window import MainWindow

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
        text = self._settings.value(_settings_key(session))
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    def put(self, session: str, value: Mapping[str, Any]) -> None:
        """Save the view of the session with this id, and drop the oldest beyond MOST_SESSIONS."""
        self._settings.setValue(_settings_key(session), json.dumps(value, separators=(",", ":")))
        self._order.pop(session, None)
        self._order[session] = None
        while len(self._order) > MOST_SESSIONS:
            oldest = next(iter(self._order))
            del self._order[oldest]
            self._settings.remove(_settings_key(oldest))
        self._settings.setValue(_ORDER, " ".join(self._order))


def _settings_key(session: str) -> str:
    return f"views/session-{session}"


class SavedViews(QObject):
    """The saved views of a window's sessions. `SessionController` says when one is saved, chosen and restored."""

    def __init__(self, opened: OpenSession, window: MainWindow, sessions: SessionList) -> None:
        super().__init__(window)
        self._opened, self._window, self._list = opened, window, sessions
        self._branches, self._transcript = window.branches, window.transcript.view
        self._memory = SessionMemory(window.settings)
        self._id = ""  # id of the session whose tree is shown
        self._viewed_key: int | None = None
        self._at_leaf = True
        self._chosen: dict[str, Any] | None = None  # saved view of the session that is being opened
        opened.selected.connect(self.note)

    # -- when the window closes and opens -----------------------------------------------------------------------

    def remember(self) -> None:
        """Save the open session and its view in the state of the window."""
        session = self._opened.session
        known = None if self._opened.key is None else self._list.sessions.get(self._opened.key)
        id = session.id if session is not None else known.id if known is not None else ""
        self.save()
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

    # -- when another session is opened -------------------------------------------------------------------------

    def note(self) -> None:
        """Note the shown path and the selection, because they are gone when `save` runs for another session."""
        session = self._opened.session
        self._viewed_key = self._opened.viewed_key
        self._at_leaf = session is None or self._opened.selection == session.leaf

    def save(self) -> None:
        """Save the view of the session whose tree is shown."""
        if self._id and self._branches.outline is not None:
            state = self._branches.state()
            if self._at_leaf:
                state["selected"] = None  # on restoring, the leaf is selected, wherever it is then
            place = self._transcript.place
            self._memory.put(self._id, {**state, "looking": self._viewed_key, "place": place and list(place)})

    def choose(self) -> None:
        """Read the saved view of the session that is being opened, and select the entry that it names."""
        opened, self._id = self._opened, ""
        session = None if opened.key is None else self._list.sessions.get(opened.key)
        self._chosen = {} if session is None else self._memory.get(session.id)
        if opened.selection is None:
            opened.resume(_key(self._chosen.get("selected")), _key(self._chosen.get("looking")))
        else:  # the session is opened at an entry
            self._chosen = {name: self._chosen[name] for name in ("density", "folded") if name in self._chosen}

    def restore(self, session: Session) -> tuple[int, int] | None:
        """Restore the branches of the chosen view, once the tree is read.

        Return the place of the transcript: the key of an entry and its distance to the top, in pixels; None for its
        end.
        """
        chosen, self._chosen = self._chosen, None
        self._id = session.id
        if chosen:
            self._branches.restore(chosen)
            place = chosen.get("place")
            if isinstance(place, list) and len(place) == 2 and None not in map(_key, place):
                return place[0], place[1]
        return None


def _key(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
