"""The list of sessions: looking them up, making them, changing what is said about them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from peewee import SqliteDatabase

from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions import Session, SessionInfo
from stemmata.store.database import connection_of
from stemmata.store.rows import SessionRow, TagRow
from stemmata.store.stored_text import from_json, restored, stored

_COLUMNS = (
    "key", "id", "source", "source_id", "title", "prompt", "cwd", "parent", "leaf", "created_at", "updated_at",
    "entries", "branches", "compactions", "context_tokens", "context_kind", "model", "cost", "starred", "archived",
    "trashed", "path", "details",
)  # fmt: skip
_TEXTS = frozenset({"source_id", "title", "prompt", "cwd", "model", "path", "details"})
_FLAGS = frozenset({"starred", "archived", "trashed"})
_FACTS = _FLAGS | {"title", "details", "path", "cwd", "parent"}
_TAGS = "(SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE tags.session = sessions.key ORDER BY tag))"
# one JSON row for the whole list: a row at a time would wait for the GIL at every row
_SELECT = f"SELECT json_group_array(json_array({', '.join(_COLUMNS)}, json({_TAGS})))"
_NEWEST_FIRST = "ORDER BY updated_at DESC, key DESC"


class SessionRepository:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    # -- looking up -------------------------------------------------------------------------------------------

    def all(self, *, trashed: bool = False) -> list[Session]:
        """Newest first."""
        return self._select("trashed = ?", int(trashed))

    def get(self, key: int) -> Session:
        """Raises NotFoundError."""
        return self._only(self._select("key = ?", key), f"There is no session number {key}.")

    def find(self, name: str) -> Session:
        """By id, `latest`, source id, or a unique prefix of either. Raises NotFoundError."""
        if name == "latest":
            found = self._select("trashed = 0", limit=1)
            return self._only(found, "The archive holds no session yet. Import some first.")
        text = stored(name)
        for condition in ("id = ?1 OR source_id = ?1", "substr(id, 1, length(?1)) = ?1", _SOURCE_PREFIX):
            found = self._select(condition, text) if name else []
            if found:
                return self._only(found, "")
        raise NotFoundError(f"There is no session “{name}”. “stemmata sessions” lists them.")

    def by_source(self, source: str, source_id: str) -> Session | None:
        found = self._select("source = ? AND source_id = ?", source, stored(source_id))
        return found[0] if found else None

    def lineage(self, key: int) -> list[int]:
        """The sessions this one descends from, nearest first. A circle of parents ends where it closes."""
        out: list[int] = []
        at = key
        while (parent := self._parent(at)) is not None and parent != key and parent not in out:
            out.append(parent)
            at = parent
        return out

    def _parent(self, key: int) -> int | None:
        row = connection_of(self._database).execute("SELECT parent FROM sessions WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def _select(self, condition: str, *values: object, limit: int = -1) -> list[Session]:
        chosen = f"SELECT * FROM sessions WHERE {condition} {_NEWEST_FIRST} LIMIT {limit}"
        (text,) = connection_of(self._database).execute(f"{_SELECT} FROM ({chosen}) AS sessions", values).fetchone()
        return [_session(row) for row in from_json(text)]

    @staticmethod
    def _only(found: list[Session], absent: str) -> Session:
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFoundError(absent)
        names = ", ".join(session.id for session in found[:5])
        raise NotFoundError(f"That fits {len(found)} sessions ({names}…). Give more of the id.")

    # -- making and changing ----------------------------------------------------------------------------------

    def create(self, info: SessionInfo, path: str) -> int:
        """Key of the new session, or of the one that has this source and source id."""
        known = self.by_source(info.source, info.source_id)
        if known is not None:
            return known.key
        parent = self.by_source(info.source, info.parent_source_id) if info.parent_source_id else None
        row = {
            "id": self._new_id(info), "source": info.source, "source_id": stored(info.source_id),
            "title": stored(info.title), "cwd": stored(info.cwd), "parent": parent.key if parent else None,
            "parent_source_id": stored(info.parent_source_id), "created_at": info.created_at,
            "updated_at": info.created_at, "path": stored(path), "details": stored(info.details),
        }  # fmt: skip
        key: int = SessionRow.insert(row).execute(self._database)
        self._adopt(key, info)
        return key

    def _adopt(self, key: int, info: SessionInfo) -> None:
        """Sessions imported before the one they were forked from find their parent now."""
        orphans = (
            SessionRow.parent.is_null()
            & (SessionRow.source == info.source)
            & (SessionRow.parent_source_id == stored(info.source_id))
            & (SessionRow.key != key)
        )
        SessionRow.update(parent=key).where(orphans).execute(self._database)

    def _new_id(self, info: SessionInfo) -> str:
        """The first 8 or more hex digits of a hash of the source's id: the same in every archive."""
        digest = sha256(f"{info.source}\0{info.source_id}".encode("utf-8", "surrogatepass")).hexdigest()
        length = 8
        while self._select("id = ?", digest[:length]):
            length += 4
        return digest[:length]

    def update(self, key: int, facts: dict[str, object]) -> None:
        """Raises ValueError for a fact that is not for others to set, NotFoundError for an unknown session."""
        tags = facts.pop("tags", None)
        unknown = facts.keys() - _FACTS
        if unknown:
            raise ValueError(f"not settable: {', '.join(sorted(unknown))}")
        self.get(key)
        row = {name: _column(name, value) for name, value in facts.items()}
        if row:
            SessionRow.update(row).where(SessionRow.key == key).execute(self._database)
        if tags is not None:
            self._set_tags(key, tags)

    def _set_tags(self, key: int, tags: Any) -> None:
        TagRow.delete().where(TagRow.session == key).execute(self._database)
        for tag in dict.fromkeys(tags):
            TagRow.insert(session=key, tag=stored(str(tag))).execute(self._database)


def _column(name: str, value: object) -> object:
    if name in _FLAGS:
        return int(bool(value))
    return stored(value) if isinstance(value, str) else value


_SOURCE_PREFIX = "substr(source_id, 1, length(?1)) = ?1"


def _session(row: list[Any]) -> Session:
    *values, tags = row
    facts: dict[str, Any] = dict(zip(_COLUMNS, values, strict=True))
    for name in _TEXTS:
        facts[name] = restored(facts[name])
    for name in _FLAGS:
        facts[name] = bool(facts[name])
    prompt = facts.pop("prompt")
    facts["named"] = bool(facts["title"])
    facts["title"] = facts["title"] or prompt
    return Session(**facts, tags=tuple(restored(tag) for tag in tags))
