"""Full text: what people type, turned into a query that cannot fail; hits with snippets."""

from __future__ import annotations

import re
import sqlite3

from stemmata.domain.entries import Kind, Role
from stemmata.domain.sessions import Hit, SearchPage
from stemmata.store.skeleton import Skeleton
from stemmata.store.snippets import Snippets
from stemmata.store.stored_json import from_json
from stemmata.store.stored_text import restored, shown

Term = tuple[str, bool]  # words, whether the last one is a prefix

MOST = 1000  # hits are counted, ordered and paged up to this many
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_ROLES = {role.text: int(role) for role in Role if role.text}


class SearchRepository:
    def __init__(self, connection: sqlite3.Connection, skeleton: Skeleton) -> None:
        self._connection = connection
        self._skeleton = skeleton

    def search(self, query: str, *, session: int | None, role: str, limit: int, offset: int) -> SearchPage:
        """Newest first among the `MOST` hits written last; `total` counts up to `MOST`."""
        terms = terms_of(query)
        if not terms or (role and role not in _ROLES):
            return SearchPage(0, ())
        keys = self._matching(fts_query(terms), session, _ROLES.get(role))
        return SearchPage(len(keys), tuple(self._hits(terms, keys[offset : offset + limit])))

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

    def _hits(self, terms: list[Term], keys: list[int]) -> list[Hit]:
        """In the order of the keys."""
        snippets = Snippets(terms)
        (text,) = self._connection.execute(_HITS, (f"[{','.join(map(str, keys))}]",)).fetchone()
        found = {
            key: Hit(session, key, restored(id), Role(role), Kind(kind), time, snippets.of(body))
            for session, key, id, role, kind, time, body in from_json(text.decode("utf-8", "replace"))
        }
        return [found[key] for key in keys]


_HITS = """
    SELECT CAST(json_group_array(
        json_array(session, entries.key, entries.id, role, kind, time, searchable.text)) AS BLOB)
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON entries.key = wanted
    CROSS JOIN searchable ON searchable.key = wanted"""


def terms_of(text: str) -> list[Term]:
    """What was typed as (words, prefix): quoted words stay together, the last word is a prefix.

    A single ASCII letter is a whole word even at the end: as a prefix it would fit nearly every entry.
    """
    terms: list[Term] = []
    for found in _TERM.finditer(shown(text).replace("\ufffd", " ")):
        phrase, word = found.groups()
        term = word if phrase is None else phrase
        if any(character.isalnum() for character in term):
            terms.append((term, phrase is None and not (len(term) == 1 and term.isascii())))
    return [(term, prefix and at == len(terms) - 1) for at, (term, prefix) in enumerate(terms)]


def fts_query(terms: list[Term]) -> str:
    """FTS5 syntax: every term quoted, all of them needed."""
    return " AND ".join(f'"{term}"{"*" if prefix else ""}' for term, prefix in terms)
