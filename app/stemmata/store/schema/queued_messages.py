"""Queued messages of Claude Code, which versions before format 26 stored as messages of unknown speakers."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from stemmata.domain.entries.entry import Kind, Role
from stemmata.store.entries.digests import ANY
from stemmata.store.entries.indexing import index, unindex
from stemmata.store.entries.previews import renew_titles


def renew(connection: sqlite3.Connection) -> None:
    """Store them as messages of the user, and take the titles of their sessions from their prompts again.

    Their pictures and the limits of their texts were not stored, so any content of the same message counts as theirs.
    Those with damaged content stay as they are: the text with which they were indexed is not known.
    """
    found = connection.execute(_QUEUED, (Kind.CUSTOM_MESSAGE, Role.CUSTOM)).fetchall()
    for key, _ in found:
        with suppress(ValueError, LookupError, TypeError):
            unindex(connection, [key])
            connection.execute(_CHANGE, (Kind.MESSAGE, Role.USER, ANY, key))
            index(connection, [key])
    renew_titles(connection, {session for _, session in found})


_QUEUED = """
    SELECT entries.key, session FROM entries JOIN sessions ON sessions.key = session AND source = 'claude-code'
    WHERE kind = ? AND role = ? AND entries.name = 'attachment:queued_command'"""
_CHANGE = "UPDATE entries SET kind = ?, role = ?, digest = ? WHERE key = ?"
