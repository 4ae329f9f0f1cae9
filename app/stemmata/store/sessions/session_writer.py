"""Creating sessions and changing their facts."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from peewee import SqliteDatabase

from stemmata.domain.sessions.details import with_marks_of
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import HandOffTable, SessionTable, TagTable
from stemmata.store.core.rows import find_row, insert_row, update_row
from stemmata.store.core.stored_text import stored
from stemmata.store.sessions.sessions import FLAGS, SessionRepository

_ADOPT = """
    UPDATE sessions SET parent = ?1
    WHERE parent IS NULL AND source = ?2 AND parent_source_id = ?3 AND key <> ?1"""
_WITH_ENTRY = """
    SELECT sessions.key FROM sessions CROSS JOIN entries ON entries.session = sessions.key AND entries.id = ?2
    WHERE sessions.source = ?1 ORDER BY sessions.key LIMIT 1"""
_FACTS = FLAGS | {"title", "details", "path", "cwd", "parent", "summary", "finalised"}


class ArchiveSessionWriter(SessionRepository):
    """Create sessions and change their facts."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(connection_of(database))
        self._database = database

    def create(self, info: SessionInfo, path: str) -> int:
        """Create a session and return its key, or return the key of the session with this source and source id.

        The session may also be known from a copy of the source without its id, or this may be such a copy.
        """
        known = self.by_source(info.source, info.source_id)
        if known is not None:
            return known.key
        other = self._of_other_copy(info) if info.first_entry else None
        if other is not None:
            return other
        parent = self._origin(info)
        row = {
            "id": self._new_id(info), "source": info.source, "source_id": stored(info.source_id),
            "title": stored(info.title), "cwd": stored(info.cwd), "parent": parent,
            "parent_source_id": stored(info.parent_source_id), "created_at": info.created_at,
            "updated_at": info.created_at, "path": stored(path), "details": stored(info.details),
        }  # fmt: skip
        key = insert_row(self._connection, SessionTable, row)
        self._set_tags(key, info.tags)
        self._adopt(key, info)
        return key

    def _of_other_copy(self, info: SessionInfo) -> int | None:
        """Return the session that was stored from a copy without the session's id, or from one with it, or None.

        A copy without the id is named by its first entry. Once a copy with the id comes, the session gets the id.
        """
        if info.source_id == info.first_entry:
            row = self._connection.execute(_WITH_ENTRY, (info.source, stored(info.first_entry))).fetchone()
            return None if row is None else int(row[0])
        other = self.by_source(info.source, info.first_entry)
        if other is None:
            return None
        row = {"id": self._new_id(info), "source_id": stored(info.source_id)}
        update_row(self._connection, SessionTable, other.key, row)
        return other.key

    def _origin(self, info: SessionInfo) -> int | None:
        """Return the session that was handed over as this one, else the one that its source names as parent."""
        handed_over = find_row(
            self._connection, HandOffTable, ("session",), source=info.source, source_id=stored(info.source_id)
        )
        if handed_over is not None:
            return int(handed_over[0])
        named = self.by_source(info.source, info.parent_source_id) if info.parent_source_id else None
        return None if named is None else named.key

    def note_hand_off(self, session: int, source: str, source_id: str) -> None:
        """Note that a session was handed over to a tool as a new session, which is its child once it is imported."""
        row = {"source": source, "source_id": stored(source_id), "session": session}
        HandOffTable.insert(row).execute(self._database)

    def _adopt(self, key: int, info: SessionInfo) -> None:
        """Set this session as the parent of forks that were imported before it."""
        self._connection.execute(_ADOPT, (key, info.source, stored(info.source_id)))

    def _new_id(self, info: SessionInfo) -> str:
        """Return the first 8 or more hex digits of a hash of the source's id, the same in every archive."""
        digest = sha256(f"{info.source}\0{info.source_id}".encode("utf-8", "surrogatepass")).hexdigest()
        length = 8
        while self._select("id = ?", digest[:length]):
            length += 4
        return digest[:length]

    def update(self, key: int, facts: dict[str, object]) -> None:
        """Change facts. Raises ValueError for a fact that cannot be set, NotFoundError for an unknown session."""
        tags = facts.pop("tags", None)
        unknown = facts.keys() - _FACTS
        if unknown:
            raise ValueError(f"not settable: {', '.join(sorted(unknown))}")
        self.get(key)
        row = {name: _column(name, value) for name, value in facts.items()}
        if row:
            update_row(self._connection, SessionTable, key, row)
        if tags is not None:
            self._set_tags(key, tags)

    def restate(self, key: int, info: SessionInfo) -> None:
        """Store the facts that a reading of the source found about the session; empty facts change nothing."""
        known = self.get(key)
        row: dict[str, object] = {"cwd": stored(info.cwd)} if info.cwd else {}
        if info.created_at:
            row["created_at"] = info.created_at
        if info.details:
            row["details"] = stored(with_marks_of(info.details, known.details))
        if info.parent_source_id:
            parent = self.by_source(info.source, info.parent_source_id)
            row["parent_source_id"] = stored(info.parent_source_id)
            if parent is not None and parent.key != key:
                row["parent"] = parent.key
        if row:
            update_row(self._connection, SessionTable, key, row)

    def _set_tags(self, key: int, tags: Any) -> None:
        TagTable.delete().where(TagTable.session == key).execute(self._database)
        for tag in dict.fromkeys(tags):
            insert_row(self._connection, TagTable, {"session": key, "tag": stored(str(tag))})


def _column(name: str, value: object) -> object:
    if name in FLAGS:
        return int(bool(value))
    return stored(value) if isinstance(value, str) else value
