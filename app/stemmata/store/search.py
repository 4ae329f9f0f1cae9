"""Full text: what people type, turned into a query that cannot fail; hits with snippets."""

from __future__ import annotations

import re
import sqlite3

import orjson

from stemmata.domain.entries import Kind, Role
from stemmata.domain.sessions import Hit, SearchPage
from stemmata.store.skeleton import OWN, Skeleton
from stemmata.store.snippets import Snippets
from stemmata.store.stored_json import from_json
from stemmata.store.stored_text import restored, shown

Term = tuple[str, bool]  # words, whether the last one is a prefix

MOST = 1000  # hits are counted, ordered and paged up to this many
SLICE = 16_384  # keys looked through at first in one session, then GROWTH times as many
GROWTH = 8
_AFTER_ALL = 1 << 62
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
        """Keys, newest first. The full text gives hits by key: each condition is looked up for those alone."""
        if session is None:
            found = self._written_last(match, _lookups(role=role), MOST)
        elif (members := self._skeleton.members(session)) == OWN:
            found = self._within(match, session, _lookups(role=role, session=session))
        else:
            shared = f"+entries_fts.rowid IN (SELECT key FROM {members})".replace("?1", str(int(session)))
            found = self._written_last(match, [shared, *_lookups(role=role)], MOST)
        return self._by_time(found)

    def _within(self, match: str, session: int, conditions: list[str]) -> list[int]:
        """In slices from the session's last entry on: what others wrote between its entries is not walked through."""
        found: list[int] = []
        query = "SELECT max(key) FROM entries WHERE session = ? AND key < ?"
        size, low = SLICE, _AFTER_ALL
        while len(found) < MOST:
            (high,) = self._connection.execute(query, (session, low)).fetchone()
            if high is None:
                break
            low = high - size + 1
            between = f"entries_fts.rowid BETWEEN {low} AND {high}"
            found += self._written_last(match, [between, *conditions], MOST - len(found))
            size *= GROWTH
        return found

    def _written_last(self, match: str, conditions: list[str], most: int) -> list[int]:
        where = " AND ".join(("entries_fts MATCH ?", *conditions))
        query = f"SELECT rowid AS hit FROM entries_fts WHERE {where} ORDER BY rowid DESC LIMIT {most}"
        return self._keys(f"SELECT json_group_array(hit) FROM ({query})", match)

    def _by_time(self, keys: list[int]) -> list[int]:
        return self._keys(_BY_TIME, _array(keys)) if keys else []

    def _keys(self, query: str, parameter: str) -> list[int]:
        keys: list[int] = orjson.loads(self._connection.execute(query, (parameter,)).fetchone()[0])
        return keys

    def _hits(self, terms: list[Term], keys: list[int]) -> list[Hit]:
        """In the order of the keys."""
        snippets = Snippets(terms)
        (text,) = self._connection.execute(_HITS, (_array(keys),)).fetchone()
        found = {
            key: Hit(session, key, restored(id), Role(role), Kind(kind), time, snippets.of(body))
            for session, key, id, role, kind, time, body in from_json(text.decode("utf-8", "replace"))
        }
        return [found[key] for key in keys]


def _lookups(*, role: int | None, session: int | None = None) -> list[str]:
    """The condition that a hit's entry has these; none where there is nothing to ask."""
    wanted = [f"{name} = {value:d}" for name, value in (("session", session), ("role", role)) if value is not None]
    if not wanted:
        return []
    return [f"EXISTS (SELECT 1 FROM entries WHERE key = entries_fts.rowid AND {' AND '.join(wanted)})"]


def _array(keys: list[int]) -> str:
    return f"[{','.join(map(str, keys))}]"


_BY_TIME = """
    SELECT json_group_array(key) FROM (
        SELECT entries.key FROM (SELECT value AS hit FROM json_each(?)) CROSS JOIN entries ON entries.key = hit
        ORDER BY time DESC, entries.key DESC)"""

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
