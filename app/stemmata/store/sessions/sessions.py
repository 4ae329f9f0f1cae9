"""The list of sessions, in SQL, so that the first window need not load peewee."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions.lineage import ForkPoint
from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.titles import whole_title
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.stored_text import MARK, restored, stored

_COLUMNS = (
    "key", "id", "source", "source_id", "title", "prompt", "cwd", "parent", "leaf", "created_at", "updated_at",
    "entries", "branches", "compactions", "context_tokens", "context_kind", "model", "cost", "starred", "archived",
    "trashed", "path", "details", "finalised",
)  # fmt: skip
_TEXTS = frozenset({"source_id", "title", "prompt", "cwd", "model", "path", "details"})
FLAGS = frozenset({"starred", "archived", "trashed"})
_TAGS = "(SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE tags.session = sessions.key ORDER BY tag))"
# one JSON row for the whole list: a row at a time would wait for the GIL at every row
_SELECT = f"SELECT json_group_array(json_array({', '.join(_COLUMNS)}, json({_TAGS})))"
_HOLDING = """
    SELECT other.key FROM sessions AS asked CROSS JOIN sessions AS other ON other.source = asked.source
    AND other.cwd = asked.cwd AND other.key <> asked.key
    CROSS JOIN entries ON entries.session = other.key AND entries.id = ?2
    WHERE asked.key = ?1 ORDER BY other.key LIMIT 1"""
# SQLite takes the preview from the row of the greatest entry
_FORK_POINTS = """
    SELECT shares.session, max(shares.entry), entries.preview
    FROM shares CROSS JOIN entries ON entries.key = shares.entry GROUP BY shares.session"""
_NEWEST_FIRST = "ORDER BY updated_at DESC, key DESC"


class SessionRepository:
    """Read the list of sessions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, *, trashed: bool = False) -> list[Session]:
        """Return the sessions outside the trash, or those in it, newest first."""
        return self._select("trashed = ?", int(trashed))

    def newest(self, count: int) -> list[Session]:
        """Return the `count` newest sessions outside the trash and those they came from, newest first."""
        return self._select(_NEWEST, count)

    def get(self, key: int) -> Session:
        """Return a session by key. Raises NotFoundError."""
        return self._only(self._select("key = ?", key), Phrase("Session {0} does not exist.", str(key)))

    def find(self, name: str) -> Session:
        """Return a session by id, source id, unique prefix of either, or "latest". Raises NotFoundError."""
        if name == "latest":
            found = self._select("trashed = 0", limit=1)
            return self._only(found, Phrase("The archive is empty. Import sessions first."))
        text = stored(name)
        for condition in ("id = ?1 OR source_id = ?1", "substr(id, 1, length(?1)) = ?1", _SOURCE_PREFIX):
            found = self._select(condition, text) if name else []
            if found:
                return self._only(_without_subagents(found), "")
        raise NotFoundError(Phrase("No session matches “{0}”.", name))

    def by_source(self, source: str, source_id: str) -> Session | None:
        """Return the session with this source and source id, None if there is none."""
        found = self._select("source = ? AND source_id = ?", source, stored(source_id))
        return found[0] if found else None

    def of_file(self, path: str) -> list[Session]:
        """Return the sessions that were first imported from this file."""
        return self._select("path = ?", stored(path))

    def fork_points(self) -> dict[int, ForkPoint]:
        """Return the last shared entry of each session that shares entries of another one."""
        rows = self._connection.execute(_FORK_POINTS).fetchall()
        return {session: ForkPoint(entry, restored(preview)) for session, entry, preview in rows}

    def holding(self, key: int, id: str) -> int | None:
        """Return the oldest other session of the same source and folder with an entry of this id, or None."""
        row = self._connection.execute(_HOLDING, (key, stored(id))).fetchone()
        return row[0] if row else None

    def summary(self, key: int) -> str:
        """Return the summary that the session got when it was finalised last; "" for none. Raises NotFoundError."""
        row = self._connection.execute("SELECT summary FROM sessions WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise NotFoundError(Phrase("Session {0} does not exist.", str(key)))
        return restored(row[0])

    def lineage(self, key: int) -> list[int]:
        """Return the ancestors of a session, nearest first. A circle of parents ends where it closes."""
        out: list[int] = []
        at = key
        while (parent := self._parent(at)) is not None and parent != key and parent not in out:
            out.append(parent)
            at = parent
        return out

    def _parent(self, key: int) -> int | None:
        row = self._connection.execute("SELECT parent FROM sessions WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def _select(self, condition: str, *values: object, limit: int = -1) -> list[Session]:
        chosen = f"SELECT * FROM sessions WHERE {condition} {_NEWEST_FIRST} LIMIT {limit}"
        (text,) = self._connection.execute(f"{_SELECT} FROM ({chosen}) AS sessions", values).fetchone()
        rows = json.loads(text)
        return [_session(row) for row in (rows if MARK not in text else map(_restored, rows))]

    @staticmethod
    def _only(found: list[Session], absent: str) -> Session:
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFoundError(absent)
        names = ", ".join(session.id for session in found[:5])
        raise NotFoundError(Phrase("{0} sessions match ({1}…). Give more characters of the id.", len(found), names))


_NEWEST = f"""
    trashed = 0 AND key IN (WITH RECURSIVE wanted (key) AS (
        SELECT key FROM (SELECT key FROM sessions WHERE trashed = 0 {_NEWEST_FIRST} LIMIT ?)
        UNION SELECT sessions.parent FROM wanted JOIN sessions ON sessions.key = wanted.key
    ) SELECT key FROM wanted)"""
_SOURCE_PREFIX = "substr(source_id, 1, length(?1)) = ?1"


def _without_subagents(found: list[Session]) -> list[Session]:
    """Remove subagents whose session was found, too: their source ids begin with the session's."""
    mains = {(session.source, session.source_id) for session in found}
    return [each for each in found if (each.source, each.source_id.rpartition("/")[0]) not in mains]


def _restored(row: list[Any]) -> list[Any]:
    """Return a row with its texts as they were before they were stored."""
    *values, tags = row
    texts = (restored(value) if name in _TEXTS else value for name, value in zip(_COLUMNS, values, strict=True))
    return [*texts, [restored(tag) for tag in tags]]


def _session(row: list[Any]) -> Session:
    """Return a session.

    Columns are read one by one for speed, since the list of 10,000 sessions is read at each change.
    """
    (
        key, id, source, source_id, title, prompt, cwd, parent, leaf, created_at, updated_at, entries, branches,
        compactions, context_tokens, context_kind, model, cost, starred, archived, trashed, path, details, finalised,
        tags,
    ) = row  # fmt: skip
    return Session(
        key=key, id=id, source=source, source_id=source_id, title=whole_title(title, prompt, details),
        named=bool(title), cwd=cwd, parent=parent, leaf=leaf, created_at=created_at, updated_at=updated_at,
        entries=entries, branches=branches,
        compactions=compactions, context_tokens=context_tokens, context_kind=context_kind, model=model, cost=cost,
        starred=bool(starred), archived=bool(archived), trashed=bool(trashed), tags=tuple(tags), path=path,
        details=details, finalised=finalised,
    )  # fmt: skip
