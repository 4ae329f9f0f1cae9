"""Full text: what people type, turned into a query that cannot fail; hits with snippets."""

from __future__ import annotations

import re
import sqlite3
from secrets import token_hex

from stemmata.domain.entries import Kind, Role
from stemmata.domain.sessions import Hit, SearchPage
from stemmata.store.skeleton import Skeleton
from stemmata.store.stored_text import restored, shown

MOST = 1000  # hits are counted, ordered and paged up to this many
_WORDS = 24  # words around the match in a snippet
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_ROLES = {role.text: int(role) for role in Role if role.text}


class SearchRepository:
    def __init__(self, connection: sqlite3.Connection, skeleton: Skeleton) -> None:
        self._connection = connection
        self._skeleton = skeleton

    def search(self, query: str, *, session: int | None, role: str, limit: int, offset: int) -> SearchPage:
        """Newest first among the `MOST` hits written last; `total` counts up to `MOST`."""
        match = fts_query(query)
        if not match or (role and role not in _ROLES):
            return SearchPage(0, ())
        keys = self._matching(match, session, _ROLES.get(role))
        return SearchPage(len(keys), tuple(self._hits(match, keys[offset : offset + limit])))

    def _matching(self, match: str, session: int | None, role: int | None) -> list[int]:
        """Keys, newest first."""
        conditions, values = ["entries_fts MATCH ?"], [match]
        parameters: list[object] = [*values]
        if session is not None:
            first, last, members = self._extent(session)
            conditions.append(f"entries_fts.rowid BETWEEN ? AND ? AND entries_fts.rowid IN {members}")
            parameters += [first, last]
        if role is not None:
            conditions.append("(SELECT role FROM entries WHERE key = entries_fts.rowid) = ?")
            parameters.append(role)
        found = self._connection.execute(
            f"SELECT json_group_array(key) FROM (SELECT entries.key FROM (SELECT rowid AS hit FROM entries_fts "
            f"WHERE {' AND '.join(conditions)} ORDER BY rowid DESC LIMIT {MOST}) "
            "CROSS JOIN entries ON entries.key = hit ORDER BY time DESC, entries.key DESC)",
            parameters,
        ).fetchone()[0]
        return [int(key) for key in found[1:-1].split(",")] if len(found) > 2 else []

    def _extent(self, session: int) -> tuple[int, int, str]:
        members = self._skeleton.members(session).replace("?1", str(int(session)))
        first, last = self._connection.execute(f"SELECT min(key), max(key) FROM {members}").fetchone()
        return first or 0, last or 0, f"(SELECT key FROM {members})"

    def _hits(self, match: str, keys: list[int]) -> list[Hit]:
        """In the order of the keys. Marks are random on their way through SQLite, so that no text can forge them."""
        opening, closing = f"<{token_hex(8)}>", f"</{token_hex(8)}>"
        found: dict[int, Hit] = {}
        for key in keys:
            row = self._connection.execute(
                "SELECT session, id, role, kind, time, CAST(snippet(entries_fts, 0, ?, ?, '…', ?) AS BLOB) "
                "FROM entries_fts JOIN entries ON entries.key = entries_fts.rowid "
                "WHERE entries_fts MATCH ? AND entries_fts.rowid = ?",
                (opening, closing, _WORDS, match, key),
            ).fetchone()
            session, id, role, kind, time, snippet = row
            text = shown(snippet.decode("utf-8", "replace")).replace("\ue000", "").replace("\ue001", "")
            text = " ".join(text.replace(opening, "\ue000").replace(closing, "\ue001").split())
            found[key] = Hit(session, key, restored(id), Role(role), Kind(kind), time, text)
        return [found[key] for key in keys]


def fts_query(text: str) -> str:
    """FTS5 syntax for what was typed: every term quoted, words ANDed, the last word a prefix; "" for no words."""
    terms: list[str] = []
    prefix = ""
    for found in _TERM.finditer(shown(text).replace("\0", " ")):
        phrase, word = found.groups()
        term = phrase if phrase is not None else word
        if any(character.isalnum() for character in term):
            terms.append(f'"{term}"')
            prefix = "" if phrase is not None else "*"
    return " AND ".join(terms) + prefix if terms else ""
