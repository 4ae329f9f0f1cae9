"""JSON exports that versions before format 24 read as files of Gemini CLI, because the exports name that tool."""

from __future__ import annotations

import re
import sqlite3

import zstandard

_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"stemmata"\s*:')


def let_go(connection: sqlite3.Connection) -> None:
    """Move the empty sessions of such exports to the trash, and delete the files' checkpoints, so that they are read
    again.
    """
    found = [key for key, *record in connection.execute(_BEGINNINGS).fetchall() if _is_own_export(*record)]
    for key in found:
        connection.execute("UPDATE sessions SET trashed = 1 WHERE key = ?", (key,))
        files = connection.execute("SELECT path FROM imports WHERE session = ?", (key,)).fetchall()
        connection.execute("DELETE FROM imports WHERE session = ?", (key,))
        # the trigger of a deleted import keeps followed folders from reading its file again
        connection.executemany("DELETE FROM left_out WHERE path = ?", files)


def _is_own_export(size: int, data: bytes) -> bool:
    """Return whether the first bytes of a file begin a JSON export; damaged ones do not."""
    try:
        return _START.match(zstandard.ZstdDecompressor().decompress(data, max_output_size=size)) is not None
    except zstandard.ZstdError:
        return False


_BEGINNINGS = """
    SELECT sessions.key, size, data FROM sessions
    JOIN versions ON versions.session = sessions.key
    JOIN records ON records.version = versions.key AND records.offset = 0
    WHERE source = 'gemini' AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.session = sessions.key)"""
