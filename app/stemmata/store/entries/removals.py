"""Marking entries that a tool removed from its source after they were imported.

An entry is marked when a later reading of its source no longer yields it, and the mark is removed once a reading
yields it again. The flag REMOVED and the time of the first reading that missed it are stored together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

import orjson

from stemmata.domain.entries.entry import Flag
from stemmata.domain.sources.reading import Removal
from stemmata.store.core.stored_text import stored
from stemmata.store.entries.appending import Read


def note_removals(connection: sqlite3.Connection, session: int, read: Read, removal: Removal) -> tuple[int, int]:
    """Mark the entries that a whole reading of the session's source missed; returns how many, and how many came back.

    An entry that a fork in the same tool still contains is not marked. An entry of which the source itself says that
    it was removed is marked always, without a time when the archive never saw it otherwise.
    """
    missing: list[int] = []
    told: list[int] = []
    back: list[int] = []
    query = _OF_FILE if removal.path else _OF_SESSION
    for key, is_marked in connection.execute(query, (session, stored(removal.path))):
        is_new = read.first is not None and key >= read.first
        if key in read.told:
            if not is_marked:
                (told if is_new else missing).append(key)
        elif is_new or key in read.seen:
            back += [key] * is_marked
        elif removal.marks and not is_marked:
            missing.append(key)
    missing = _without_shared(connection, session, missing)
    connection.execute(_MARK, (_json(missing), removal.time))
    connection.execute(_MARK, (_json(told), 0))
    connection.execute(_UNMARK, (_json(back),))
    return len(missing) + len(told), len(back)


def _without_shared(connection: sqlite3.Connection, session: int, keys: Sequence[int]) -> list[int]:
    """Return the keys without entries that forks in the same tool still have."""
    if not keys:
        return []
    shared = {key for (key,) in connection.execute(_SHARED, (session,)).fetchall()}
    return [key for key in keys if key not in shared]


def _json(keys: Collection[int]) -> str:
    return orjson.dumps(list(keys)).decode()


_CANDIDATES = f"""
    SELECT key, removed IS NOT NULL FROM entries
    WHERE session = ?1 AND record_offset IS NOT NULL AND NOT flags & {int(Flag.OWN)}"""
_OF_SESSION = f"{_CANDIDATES} AND ?2 = ''"
_OF_FILE = f"""{_CANDIDATES}
    AND ifnull(version, session) IN (SELECT versions.key FROM versions WHERE versions.session = ?1 AND path = ?2)"""
_MARK = f"""
    UPDATE entries SET flags = flags | {int(Flag.REMOVED)}, removed = ?2
    WHERE key IN (SELECT value FROM json_each(?1))"""
_UNMARK = f"""
    UPDATE entries SET flags = flags & ~{int(Flag.REMOVED)}, removed = NULL
    WHERE key IN (SELECT value FROM json_each(?1))"""
_SHARED = """
    WITH RECURSIVE up (key) AS (
        SELECT entries.key FROM shares JOIN sessions ON sessions.key = shares.session
        JOIN entries ON entries.key = shares.entry
        WHERE entries.session = ?1 AND sessions.source <> 'stemmata'
        UNION SELECT entries.parent FROM up JOIN entries ON entries.key = up.key WHERE entries.parent IS NOT NULL)
    SELECT key FROM up"""
