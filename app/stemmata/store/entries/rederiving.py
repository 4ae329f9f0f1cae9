"""Derived facts of entries, updated when their file has grown.

The content of an entry is in its own line and never changes. Its parent, usage, tool and flags may depend on later
lines, and a line can turn out to belong elsewhere. A file that was read in pieces must give the same entries as one
that was read at once, so the latest reading of the whole file decides.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

import orjson

from stemmata.domain.entries.entry import Flag, Usage
from stemmata.store.core.stored_text import stored
from stemmata.store.entries.indexing import index, unindex
from stemmata.store.sessions.steps import withdraw_entry


class DerivedFacts(NamedTuple):
    """The facts of an entry that other lines of its file decide; parent and target are keys."""

    parent: int | None
    target: int | None
    flags: Flag
    tool: str
    usage: Usage | None


def rederive(connection: sqlite3.Connection, key: int, told: DerivedFacts) -> None:
    """Store the derived facts of an entry as the latest reading gives them."""
    usage = told.usage
    reported = usage.context if usage is not None and usage.context else -1
    unindex(connection, [key])
    connection.execute(
        "UPDATE entries SET parent = ?, target = ?, flags = ?, tool = ?, reported = ? WHERE key = ?",
        (told.parent, told.target, int(told.flags), stored(told.tool), reported, key),
    )
    connection.execute("INSERT OR IGNORE INTO names (text) SELECT tool FROM entries WHERE key = ?", (key,))
    connection.execute(_LABEL, (key,))
    index(connection, [key])
    connection.execute("DELETE FROM usage WHERE key = ?", (key,))
    if usage is not None:
        row = (key, usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_write_1h)
        connection.execute("INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, usage.total, usage.cost))


_LABEL = """
    UPDATE entries SET label = (SELECT id FROM names WHERE names.text = entries.tool)
    WHERE key = ? AND model = '' AND tool <> ''"""


def withdraw(
    connection: sqlite3.Connection, session: int, version: int, seen: Container[int], first: int | None
) -> int:
    """Delete entries that only earlier readings of this version produced; returns their number.

    With later bytes, their lines are other entries or belong to another session. The latest reading confirmed those
    in `seen` and added those from the key `first` on. Entries that others hang from or name are kept.
    """
    made: Iterator[tuple[int, int | None]] = connection.execute(_MADE, (session, version))  # many: row by row
    gone = {key: parent for key, parent in made if key not in seen and (first is None or key < first)}
    if not gone:
        return 0
    kept = {key for (key,) in connection.execute(_NEEDED, {"gone": _json(gone), "session": session}).fetchall()}
    for key in kept:
        at: int | None = key
        while at in gone:  # ancestors of a kept entry stay, too
            at = gone.pop(at)
    for key in sorted(gone):
        above: int | None = gone[key]
        passed = {key}
        while above in gone and above not in passed:
            passed.add(above)
            above = gone[above]
        connection.execute("UPDATE leaf_moves SET after = ? WHERE session = ? AND after = ?", (above, session, key))
        connection.execute("UPDATE leaf_moves SET before = ? WHERE session = ? AND before = ?", (above, session, key))
        withdraw_entry(connection, session, key, above)
        connection.execute("UPDATE sessions SET leaf = ? WHERE key = ? AND leaf = ?", (above, session, key))
        unindex(connection, [key])
        connection.execute("DELETE FROM entries WHERE key = ?", (key,))
    return len(gone)


def _json(keys: Iterable[int]) -> str:
    return orjson.dumps(list(keys)).decode()


_MADE = """
    SELECT key, parent FROM entries
    WHERE session = ?1 AND ifnull(version, session) = ?2 AND record_offset IS NOT NULL AND NOT flags & 128"""
_NEEDED = """
    WITH gone (key) AS (SELECT value FROM json_each(:gone))
    SELECT parent FROM entries
    WHERE session = :session AND parent IN (SELECT key FROM gone) AND key NOT IN (SELECT key FROM gone)
    UNION SELECT target FROM entries
    WHERE session = :session AND target IN (SELECT key FROM gone) AND key NOT IN (SELECT key FROM gone)
    UNION SELECT entry FROM shares WHERE entry IN (SELECT key FROM gone)
    UNION SELECT after FROM leaf_moves WHERE after IN (SELECT key FROM gone)
        AND (session <> :session OR reason <> 'import')
    UNION SELECT leaf FROM sessions WHERE leaf IN (SELECT key FROM gone) AND key <> :session
    UNION SELECT tip FROM runs WHERE tip IN (SELECT key FROM gone)"""
