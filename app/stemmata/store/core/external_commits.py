"""Commits that somebody else made: another process, or another instance of this program."""

from __future__ import annotations

import sqlite3


class ForeignCommits:
    """Asks `PRAGMA data_version`, which changes on a connection with every commit of another one.

    Until something is written here, any connection will do; from then on only the one that writes, because to every
    other connection its commits look like those of a stranger. Belongs to the db thread.
    """

    def __init__(self, reading: sqlite3.Connection) -> None:
        self._connection = reading
        self._version = _version(reading)
        self._missed = False  # one came in before the writing connection was watched

    def watch(self, writing: sqlite3.Connection) -> None:
        """Before the first write here: from now on this connection tells."""
        version = _version(writing)
        self._missed |= _version(self._connection) != self._version  # asked second: nothing falls between
        self._connection, self._version = writing, version

    def seen(self) -> bool:
        """Whether there were any since this was last asked. Not inside a transaction."""
        before, self._version = self._version, _version(self._connection)
        missed, self._missed = self._missed, False
        return missed or before != self._version


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version
