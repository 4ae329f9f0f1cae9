"""Find the next entry of a search that passes over the entries of some sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Container
from heapq import heapify, heappop, heapreplace

import orjson


class OtherSessions:
    """Finds the last entry before another one that belongs to none of the sessions that are passed over.

    A session is asked for its entries only while it may have the last one, so that a search through the whole archive
    asks each session once, and those that were written in turn with others a few times more.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._last: list[tuple[int, int]] | None = None  # a heap: minus the key of an entry, and its session

    def before(self, end: int, passed: Container[int]) -> int | None:
        """Return the key after that entry, None if there is none. `end` and the sessions left never grow.

        `end` is the key before which the entries lie, `passed` are the sessions that are passed over.
        """
        if self._last is None:
            sessions, lasts = map(orjson.loads, self._connection.execute(LAST_OF_EACH).fetchone())
            self._last = [(-key, session) for session, key in zip(sessions, lasts, strict=True) if key is not None]
            heapify(self._last)
        while self._last:
            key, session = -self._last[0][0], self._last[0][1]
            if session in passed:
                heappop(self._last)
            elif key < end:
                return key + 1
            elif (earlier := self._earlier(session, end)) is None:
                heappop(self._last)
            else:
                heapreplace(self._last, (-earlier, session))
        return None

    def _earlier(self, session: int, end: int) -> int | None:
        """Return the last entry of a session before a key."""
        key: int | None = self._connection.execute(_EARLIER, (session, end)).fetchone()[0]
        return key


# null for a session without entries, since a condition on the last entry would look it up a second time
LAST_OF_EACH = """
    SELECT json_group_array(key),
        json_group_array((SELECT max(key) FROM entries WHERE entries.session = sessions.key))
    FROM sessions"""
_EARLIER = "SELECT max(key) FROM entries WHERE session = ? AND key < ?"
