"""How each session was left: a small JSON value by session, of the sessions that were open last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSettings

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
        text = self._settings.value(_key(session))
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    def put(self, session: str, value: Mapping[str, Any]) -> None:
        self._settings.setValue(_key(session), json.dumps(value, separators=(",", ":")))
        self._order.pop(session, None)
        self._order[session] = None
        while len(self._order) > MOST_SESSIONS:
            oldest = next(iter(self._order))
            del self._order[oldest]
            self._settings.remove(_key(oldest))
        self._settings.setValue(_ORDER, " ".join(self._order))


def _key(session: str) -> str:
    return f"views/session-{session}"
