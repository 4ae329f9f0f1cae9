"""Full text: the entries that match, newest first, with snippets."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import orjson

from stemmata.domain.entries.blocks import decode
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session_facts import Hit, Match, Matches, SearchPage
from stemmata.domain.errors import CancelledError
from stemmata.domain.text.tool_wrappers import spoken
from stemmata.store.core.search_text import in_session, said_by, text_of, with_tool
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, shown
from stemmata.store.entries.tree_loader import OWN, Skeleton
from stemmata.store.search.search_terms import Term, any_of, fts_query, opened, shortened, terms_of
from stemmata.store.search.snippets import OPENING, Snippets

MOST = 1000  # hits are counted, ordered and paged up to this many
FEWER = 100  # the same where a prefix stands for many words
CHECKED, BATCH = 768, 64  # entries that are read to find those, and at a time
LENGTH = 2_000_000  # characters of theirs
AGAIN = 4  # large entries of a page that are read whole
STEPS = 100  # of SQLite's virtual machine, one or two milliseconds of the full text: how often a search asks to go on
_AFTER_ALL = 1 << 62
_WHO = {kind.text: said_by(Role.NONE, kind) for kind in Kind} | {
    role.text: said_by(role, Kind.MESSAGE) for role in Role if role
}


class SearchRepository:
    def __init__(self, connection: sqlite3.Connection, skeleton: Skeleton) -> None:
        self._connection = connection
        self._skeleton = skeleton

    def matches(
        self, query: str, *, session: int | None, role: str, tool: str, limit: int, stopped: Callable[[], bool]
    ) -> Matches:
        """Newest first among the `MOST` written last, or `FEWER` (but `limit`) where a prefix stands for many words.

        Raises CancelledError soon after `stopped` says so.
        """
        terms = terms_of(query)
        if not terms or (role and role not in _WHO):
            return Matches()
        with _stopping(self._connection, stopped):
            facets, members = ([], None) if session is None else self._within(session)
            narrow = [*_facets(role, tool), *facets, *(opened(self._connection, term) for term in terms[:-1])]
            keys, more = self._written_last(narrow, terms[-1], members, max(FEWER, limit))
        (text,) = self._connection.execute(_BY_TIME, (_array(keys),)).fetchone()
        return Matches(tuple(Match(session, key, Kind(kind)) for session, key, kind in orjson.loads(text)), more)

    def _within(self, session: int) -> tuple[list[str], str | None]:
        """What the entries of the session have in common; of a fork, which shares only some, the keys as JSON too."""
        members = self._skeleton.members(session)
        if members == OWN:
            return [any_of([in_session(session)])], None
        query = f"SELECT json_group_array(DISTINCT session), json_group_array(key) FROM {members}"
        owners, keys = self._connection.execute(query, (session,)).fetchone()
        return [any_of(map(in_session, orjson.loads(owners)))], keys

    def _written_last(self, narrow: list[str], last: Term, members: str | None, fewer: int) -> tuple[list[int], bool]:
        """Keys of what is narrowed so and has the last term; whether there are more."""
        words, wider = opened(self._connection, last), shortened(last)
        if not words and wider:
            found = self._checked([*narrow, wider], last, members, fewer + 1)
            if found is not None:
                return found[:fewer], len(found) > fewer
        found = self._keys([*narrow, words or fts_query([last])], members, MOST + 1)
        return found[:MOST], len(found) > MOST

    def _checked(self, match: list[str], term: Term, members: str | None, most: int) -> list[int] | None:
        """Those that have the term too, told by their texts; None when that takes too much reading."""
        snippets, below, length, again = Snippets([term]), _AFTER_ALL, 0, AGAIN
        found: list[int] = []
        for _ in range(CHECKED // BATCH):
            keys = self._keys(match, members, BATCH, below)
            for row in sorted(self._texts(keys), key=_key, reverse=True):
                text = _text(row)
                if _is_cut(row) and not snippets.fit(text) and again:
                    again -= 1
                    text = _text(self._texts([_key(row)], "body")[0])
                length += len(text)
                if snippets.fit(text):
                    found.append(_key(row))
                elif length > LENGTH or (_is_cut(row) and not again):
                    return None
            if len(found) >= most or len(keys) < BATCH:
                return found
            below = keys[-1]
        return None

    def _keys(self, match: list[str], members: str | None, most: int, below: int = _AFTER_ALL) -> list[int]:
        """Last written first."""
        shared = "" if members is None else "AND +entries_fts.rowid IN (SELECT value FROM json_each(?2))"
        query = f"""
            SELECT json_group_array(hit) FROM (SELECT rowid AS hit FROM entries_fts
            WHERE entries_fts MATCH ?1 AND rowid < {below} {shared} ORDER BY rowid DESC LIMIT {most})"""
        words = " AND ".join(match)
        parameters = (words,) if members is None else (words, members)
        keys: list[int] = orjson.loads(self._connection.execute(query, parameters).fetchone()[0])
        return keys

    def page(self, query: str, matches: Matches, limit: int, offset: int) -> SearchPage:
        keys = [match.entry for match in matches.found[offset : offset + limit]]
        return SearchPage(len(matches.found), self.hits(query, keys), matches.more)

    def hits(self, query: str, keys: Sequence[int]) -> tuple[Hit, ...]:
        """In the order of the keys. Large entries are read by their heads, a few without a match then whole."""
        snippets, again = Snippets(terms_of(query)), AGAIN
        found = {}
        for row in self._texts(keys):
            hit = _hit(row, snippets)
            if _is_cut(row) and OPENING not in hit.snippet and again:
                again -= 1
                hit = _hit(self._texts([hit.entry], "body")[0], snippets)
            found[hit.entry] = hit
        return tuple(found[key] for key in keys)

    def _texts(self, keys: Sequence[int], body: str = "ifnull(head, body)") -> list[list[Any]]:
        """Rows of what is read of an entry for its text."""
        query = _HITS.format(body)
        rows: list[list[Any]] = from_json(self._connection.execute(query, (_array(keys),)).fetchone()[0])
        return rows


def _hit(row: list[Any], snippets: Snippets) -> Hit:
    session, key, id, role, kind, time, *_ = row
    text = _text(row)
    snippet = snippets.of(spoken(text))  # without the wrappings of commands, if it is not there that the match is
    if OPENING not in snippet:
        snippet = snippets.of(text)
    return Hit(session, key, restored(id), Role(role), Kind(kind), time, snippet)


def _key(row: list[Any]) -> int:
    key: int = row[1]
    return key


def _text(row: list[Any]) -> str:
    *_, role, kind, _time, name, body = row
    return shown(text_of(decode(body["b"]), restored(name), Role(role), Kind(kind)))


def _is_cut(row: list[Any]) -> bool:
    return bool(row[-1].get("cut"))


@contextmanager
def _stopping(connection: sqlite3.Connection, stopped: Callable[[], bool]) -> Iterator[None]:
    """What is asked inside is broken off soon after `stopped` says so."""
    connection.set_progress_handler(stopped, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise CancelledError("The search was stopped.") from error
    finally:
        connection.set_progress_handler(None, 0)


def _facets(role: str, tool: str) -> list[str]:
    """Tools of different programs are called the same but for their first letter."""
    names = sorted({tool, tool.lower(), tool.capitalize()} - {""})
    return [any_of(words) for words in ([_WHO[role]] if role else [], [with_tool(name) for name in names]) if words]


def _array(keys: Sequence[int]) -> str:
    return f"[{','.join(map(str, keys))}]"


_BY_TIME = """
    SELECT json_group_array(json_array(session, key, kind)) FROM (
        SELECT session, entries.key, kind
        FROM (SELECT value AS hit FROM json_each(?)) CROSS JOIN entries ON entries.key = hit
        ORDER BY time DESC, entries.key DESC)"""

_HITS = """
    SELECT '[' || ifnull(group_concat(
        '[' || session || ',' || entries.key || ',' || json_quote(entries.id) || ',' || role || ',' || kind || ','
        || time || ',' || json_quote(name) || ',' || {} || ']'), '') || ']'
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON entries.key = wanted
    CROSS JOIN bodies ON bodies.key = wanted"""
