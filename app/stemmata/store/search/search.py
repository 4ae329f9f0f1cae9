"""Full text: the entries that match, newest first, with snippets."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from sys import maxsize
from typing import Any

import orjson

from stemmata.domain.entries.blocks import decode
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.errors import CancelledError
from stemmata.domain.search.cjk import asked_pairs, has_cjk
from stemmata.domain.search.hits import Hit, SearchPage, Share, UnreadHit, UnreadHits
from stemmata.domain.search.query import Filters, Query
from stemmata.domain.search.results import role_text
from stemmata.domain.search.terms import Term, terms_of
from stemmata.domain.text.tool_wrappers import without_wrappers
from stemmata.store.core.key_ranges import places_of_sessions, places_where, ranges_of
from stemmata.store.core.search_text import in_session, said_by, text_of, with_tool
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, shown
from stemmata.store.entries.tree_loader import OWN, TreeLoader
from stemmata.store.search.other_sessions import OtherSessions
from stemmata.store.search.snippets import LONG, OPENING, SHORT, Snippets

MOST_EXPANDED = 32  # words that replace a prefix in a query; a prefix of more words is not expanded
_INDEXED = frozenset({2, 3})  # lengths of the prefixes for which FTS5 has a separate index
_TOKEN = re.compile(r"[^\W_]+")
_NEXT_WORD = "SELECT term FROM entries_fts_terms WHERE term >= ? LIMIT 1"


def fts_query(terms: Iterable[Term]) -> str:
    """Return the FTS5 query that needs all terms."""
    return " AND ".join(f'"{term}"{"*" if prefix else ""}' for term, prefix in terms)


def any_of(words: Iterable[str]) -> str:
    """Return the FTS5 query that needs one of the words."""
    named = " OR ".join(f'"{word}"' for word in words)
    return f"({named})"


def expanded(connection: sqlite3.Connection, term: Term) -> str:
    """Return the FTS5 query of a term; "" for a prefix of more than MOST_EXPANDED words of the archive.

    For a prefix that the index does not hold, FTS5 collects all entries before it returns the first. The words with
    this prefix, named one by one, are merged newest first instead.
    """
    before, last = _last_token(term)
    if not last or len(last) in _INDEXED or not last.isascii():
        return fts_query([term])
    words = _words_with_prefix(connection, last.lower())
    return any_of(f"{before}{word}" for word in words) if words else ""


def shortened(term: Term) -> str:
    """Return a faster FTS5 query that finds all matches of a prefix and more; "" for a single character alone."""
    before, last = _last_token(term)
    if len(last) > 1:
        return fts_query([(f"{before}{last[: max(_INDEXED)]}", True)])
    return fts_query([(before, False)]) if before else ""


def _last_token(term: Term) -> tuple[str, str]:
    """Return a prefix term as the text before its last word, and that word ("" if the term is no prefix)."""
    tokens = list(_TOKEN.finditer(term[0])) if term[1] else []
    return (term[0][: tokens[-1].start()], tokens[-1][0]) if tokens else (term[0], "")


def _words_with_prefix(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Return the indexed words with this prefix, at least the prefix itself; [] for more than MOST_EXPANDED."""
    out: list[str] = []
    at = prefix
    while (row := connection.execute(_NEXT_WORD, (at,)).fetchone()) and row[0].startswith(prefix):
        if len(out) == MOST_EXPANDED:
            return []
        out.append(row[0])
        at = f"{row[0]}\0"
    return out or [prefix]


MOST = 1000  # hits are counted, ordered and paged up to this many
AT_ONCE = 128  # hits of one query, of a search that gives each session its share; 20 of them would take as long
MOST_OF_PREFIX = 100  # the same for a prefix that is not expanded: its entries are read and compared one by one
MOST_COMPARED = 768  # entries that are read for this
COMPARED_AT_ONCE = 64  # entries of one query
MOST_CHARACTERS = 2_000_000  # characters that are compared, which takes about 10 ms
MOST_READ_WHOLE = 4  # large entries that are read whole for a page or a search; of others only the beginning is read
MOST_REST = 8_000_000  # characters of such entries after the first one, in all; to read them takes about 20 ms
STEPS = 100  # steps of SQLite's virtual machine between two questions whether to stop; they take 1 to 2 ms
FEW_SESSIONS = 48  # sessions named in the query; when there are more, each entry is compared with them
SCANNED = 4_000  # entries of one query that are compared with filters, which takes a few milliseconds
LEAST = 0.004  # seconds that telling suitable entries from others gets, when reading them has taken all
RANKING = 0.8  # part of the time of a search that is given to ranking all hits
WORDS, PAIRS = (
    "entries_fts",
    "cjk_fts",
)  # the index of words, and that of pairs of CJK characters
_AFTER_ALL = 1 << 62  # above every key
_SPEAKER_FACETS = {kind.text: said_by(Role.NONE, kind) for kind in Kind} | {
    role.text: said_by(role, Kind.MESSAGE) for role in Role if role
}
_WITH_FILES = ("assistant", "toolResult", "bashExecution")  # roles of entries that name a file that they touch
# roles of the entries that a search without words finds
_LISTED = ("user", *_WITH_FILES, "compaction", "branch_summary", "custom_message", "system")


@dataclass(slots=True)
class _Scope:
    """The scope of a search: `table` is the index of words or the index of pairs of characters.

    `match` are the conditions of the index, `where` those of SQL with their `values`. `members` are the keys of a
    fork's entries as JSON, `ranges` the keys that may fit, the last ones first. At `until` (monotonic seconds) the
    search ends with the results until then; `rest` is then the key before which it ended. `goes_on`: another search
    can go on there.
    """

    match: list[str]
    members: str | None = None
    table: str = WORDS
    where: list[str] = field(default_factory=list)
    values: dict[str, object] = field(default_factory=dict)
    ranges: Sequence[range] = (range(_AFTER_ALL),)
    until: float = float("inf")
    rest: int | None = None
    goes_on: bool = False


class _Taken:
    """The hits that a search takes: at most MOST, of each session its share, and only those that suit."""

    def __init__(self, share: Share | None, suits: Callable[[UnreadHit], bool] | None) -> None:
        self.keys: list[int] = []
        self.passed = set[int]()  # sessions with further hits
        self._most, self._suits = maxsize if share is None else share.most, suits
        self._counts = Counter({} if share is None else share.found)
        self.given = {session for session, count in self._counts.items() if count >= self._most}
        self.sessions = self._counts.keys()

    def without_shares(self) -> None:
        """Take all hits of each session from now on."""
        self._most = maxsize

    def take(self, hits: Iterable[UnreadHit], until: float) -> int | None:
        """Take hits in their order. Return the entry of the first one that was left, None if none was.

        Until a time (monotonic seconds) it is told which ones suit; at least the first one is looked at.
        """
        for at, hit in enumerate(hits):
            if self._counts[hit.session] >= self._most:
                self.passed.add(hit.session)
            elif len(self.keys) == MOST or (at and self._suits is not None and time.monotonic() > until):
                return hit.entry
            elif self._suits is None or self._suits(hit):
                self._counts[hit.session] += 1
                self.keys.append(hit.entry)
        return None


class _WholeReads:
    """Decides which large entries are read whole: the first one, and a few more with short unread parts."""

    def __init__(self) -> None:
        self._left, self._rests = MOST_READ_WHOLE, 0

    def may_read(self, row: list[Any]) -> bool:
        """Return whether the entry of a row, whose end is missing, is to be read whole, and count it."""
        rest = row[-1]["cut"]
        if not self._left or (self._rests and self._rests + rest > MOST_REST):
            return False
        self._left -= 1
        self._rests += rest
        return True


class SearchRepository:
    """Search the full text."""

    def __init__(self, connection: sqlite3.Connection, tree_loader: TreeLoader) -> None:
        self._connection = connection
        self._tree_loader = tree_loader

    def unread_hits(
        self, query: str, *, session: int | None, role: str, tool: str, limit: int, stopped: Callable[[], bool]
    ) -> UnreadHits:
        """Return the newest of the `MOST` hits written last (`MOST_OF_PREFIX` or `limit` for a common prefix).

        Raises CancelledError soon after `stopped` returns true.
        """
        terms = terms_of(query)
        if not terms or (role and role not in _SPEAKER_FACETS):
            return UnreadHits()
        with _stopping(self._connection, stopped):
            facets, members = ([], None) if session is None else self._facets_within(session)
            facets = [*_facets([role] if role else [], [tool] if tool else []), *facets]
            scope = _Scope(facets, members, _table(terms))
            keys, rest = self._reading(scope, terms, max(MOST_OF_PREFIX, limit))(MOST, _AFTER_ALL)
        return UnreadHits(self._newest(keys), rest is not None)

    def find(
        self,
        query: Query,
        *,
        session: int | None,
        by_rank: bool,
        below: int | None,
        share: Share | None,
        suits: Callable[[UnreadHit], bool] | None,
        seconds: float,
        stopped: Callable[[], bool],
    ) -> UnreadHits:
        """Return up to `MOST` hits among the entries stored before the entry `below`: the newest or the best ones.

        `share` limits the hits of each session. `suits` tells whether an entry is wanted, given its session, key and
        kind. After `seconds` the search ends with what it has found; `rest` is then the entry from which the search
        can continue. The best hits are searched in the whole archive; when this takes too long, the newest are
        returned, with `by_rank` false.
        Raises CancelledError soon after `stopped` returns true.
        """
        begun = time.monotonic()
        terms = [*((file, False) for file in query.filters.files if _TOKEN.search(file)), *terms_of(query.words)]
        with _stopping(self._connection, stopped):
            scope = self._scope(query.filters, session, terms)
        if scope is None:
            return UnreadHits()
        scope.until, scope.goes_on = begun + seconds * RANKING, True
        best = self._best(scope, terms, stopped) if by_rank and terms and below is None else None
        scope.until = begun + seconds
        with _stopping(self._connection, stopped):
            if best is not None and (hits := self._best_hits(best, _Taken(share, suits), scope.until)) is not None:
                return hits
            taken = _Taken(share, suits)
            rest = self._take_last_written(scope, terms, _AFTER_ALL if below is None else below, taken)
        hits_by_time = self._newest(taken.keys)
        unfinished = self._begun_before(rest, taken.sessions).union(taken.passed, taken.given)
        return UnreadHits(hits_by_time, rest is not None, rest, unfinished=unfinished)

    def _best_hits(self, best: Sequence[int], taken: _Taken, until: float) -> UnreadHits | None:
        """Return the hits to take of all hits, best first; None when this takes too long."""
        if len(best) <= MOST:
            taken.without_shares()
        left = None
        for at in range(0, len(best), MOST):
            if at and time.monotonic() > until:
                return None
            left = taken.take(self._places(best[at : at + MOST]), until)
            if left is not None:
                break
        if left is not None and len(taken.keys) < MOST:
            return None
        known = {hit.entry: hit for hit in self._newest(taken.keys)}
        unfinished = taken.passed if left is None else taken.sessions
        hits = tuple(known[key] for key in taken.keys)
        return UnreadHits(hits, left is not None, by_rank=True, unfinished=frozenset(unfinished))

    def _take_last_written(self, scope: _Scope, terms: Sequence[Term], below: int, taken: _Taken) -> int | None:
        """Take entries with all terms, last written first. Return the key before which there may be more, or None.

        Once a session has its share, the search passes over its other entries.
        """
        written_last = self._reading(scope, terms, MOST_OF_PREFIX)
        keys, rest = written_last(MOST, below)
        if rest is None and below == _AFTER_ALL:
            taken.without_shares()
        others, at_once, until = OtherSessions(self._connection), AT_ONCE, max(scope.until, time.monotonic() + LEAST)
        while True:
            before, hits = len(taken.keys), self._places(keys)
            left = taken.take(hits, until)
            if left is not None:
                return left + 1
            if rest is not None and hits and hits[-1].session in taken.passed:
                rest = others.before(rest, taken.passed)
            if rest is None or len(taken.keys) == MOST or time.monotonic() > scope.until:
                return rest
            at_once = AT_ONCE if len(taken.keys) > before else min(2 * at_once, MOST)
            keys, rest = written_last(MOST if scope.where else at_once, rest)

    def _places(self, keys: Sequence[int]) -> list[UnreadHit]:
        """Return entries, given by key, with session and kind, in the same order, without sessions in the trash."""
        rows = orjson.loads(self._connection.execute(_PLACES, (_array(keys),)).fetchone()[0])
        found = {key: UnreadHit(session, key, Kind(kind)) for session, key, kind in rows}
        return [found[key] for key in keys if key in found]

    def _begun_before(self, rest: int | None, sessions: Iterable[int]) -> frozenset[int]:
        """Return those of the sessions that have entries written before the entry `rest`; none for None."""
        values = _array(list(sessions)), 0 if rest is None else rest
        return frozenset(orjson.loads(self._connection.execute(_BEGUN_BEFORE, values).fetchone()[0]))

    def fitting(self, filters: Filters, keys: Sequence[int]) -> tuple[UnreadHit, ...]:
        """Return the entries with these keys that fit, in the order of the keys, without entries of sessions in the
        trash. Filters by file are ignored, as is the scope of the branches.
        """
        values: dict[str, object] = {"keys": _array(keys)}
        where = ["key IN (SELECT value FROM json_each(:keys))", *_conditions("entries", filters, values)]
        sessions = self._sessions(filters)
        if sessions is not None:
            where.append("session IN (SELECT value FROM json_each(:sessions))")
            values["sessions"] = _array(sessions)
        query = f"SELECT json_group_array(key) FROM entries WHERE {' AND '.join(where)}"
        found: list[int] = orjson.loads(self._connection.execute(query, values).fetchone()[0])
        tools = {tool.lower() for tool in filters.tools}
        fitting = {
            hit.entry: hit
            for hit in self._newest(found, _KEPT)
            if (not filters.roles or role_text(hit.role, hit.kind) in filters.roles)
            and (not tools or hit.tool.lower() in tools)
        }
        return tuple(fitting[key] for key in keys if key in fitting)

    def _scope(self, filters: Filters, session: int | None, terms: Sequence[Term]) -> _Scope | None:
        """Return the scope of a search with these filters; None when no entry can fit."""
        facets, members = ([], None) if session is None else self._facets_within(session)
        roles = filters.roles or (_WITH_FILES if filters.files else () if terms else _LISTED)
        scope = _Scope([*_facets(roles, filters.tools), *facets], members, _table(terms))
        sessions = self._sessions(filters, left=session is None and filters.scope == "abandoned")
        if sessions is not None and len(sessions) <= FEW_SESSIONS:
            if not sessions:
                return None
            scope.match.append(any_of(map(in_session, sessions)))
        elif sessions is not None:
            scope.where.append("entries.session IN (SELECT value FROM json_each(:sessions))")
            scope.values["sessions"] = _array(sessions)
        self._add_range_conditions(scope, filters, sessions)
        return scope

    def _add_range_conditions(self, scope: _Scope, filters: Filters, sessions: Sequence[int] | None) -> None:
        """Add the conditions that the index does not know: times, models and images, and the keys that may fit."""
        entries, ranges = _conditions("entries", filters, scope.values), _conditions("", filters, scope.values)
        scope.where += entries
        places: list[Collection[int]] = []
        if ranges:
            places.append(places_where(self._connection, ranges, scope.values))
        if sessions is not None:
            places.append(places_of_sessions(self._connection, sessions))
        if places:
            scope.ranges = ranges_of(set.intersection(*map(set, places)))

    def _sessions(self, filters: Filters, *, left: bool = False) -> list[int] | None:
        """Return the sessions with these facts; None for all. `left`: only those that may have abandoned branches."""
        values: dict[str, object] = {}
        where = [
            _any_text("cwd", filters.projects, values),
            _any_text("source", [source.replace(" ", "-") for source in filters.sources], values),
            "starred = 1" if filters.starred else "",
            _MAY_BE_LEFT if left else "",
        ]
        for at, cost in enumerate(filters.costs):
            where.append(f"cost {_SIGNS[cost.sign]} :cost{at}")
            values[f"cost{at}"] = cost.amount
        if filters.session is not None:
            where.append("key = :session")
            values["session"] = filters.session
        if not any(where):
            return None
        query = f"SELECT json_group_array(key) FROM sessions WHERE {' AND '.join(filter(None, where))}"
        keys: list[int] = orjson.loads(self._connection.execute(query, values).fetchone()[0])
        return keys

    def _facets_within(self, session: int) -> tuple[list[str], str | None]:
        """Return the facets of the session's entries; for a fork that shares entries, also their keys as JSON."""
        members = self._tree_loader.members(session)
        if members == OWN:
            return [any_of([in_session(session)])], None
        query = f"SELECT json_group_array(DISTINCT session), json_group_array(key) FROM {members}"
        owners, keys = self._connection.execute(query, (session,)).fetchone()
        return [any_of(map(in_session, orjson.loads(owners)))], keys

    def _reading(
        self, scope: _Scope, terms: Sequence[Term], fewer: int
    ) -> Callable[[int, int], tuple[list[int], int | None]]:
        """Return what reads the keys of at most so many entries of the scope with all terms, below a key.

        The last written ones come first. With them comes the key before which there may be more, None when there are
        none. `fewer` is the maximum number for a prefix that is not expanded.
        """
        indexed = _indexed_terms(terms, scope)
        match = [*scope.match, *(expanded(self._connection, term) for term in indexed[:-1])]
        words = expanded(self._connection, indexed[-1]) if indexed else ""
        wider = "" if words or not indexed else shortened(indexed[-1])
        whole = [*match, words or fts_query(indexed[-1:])] if indexed else match

        def read(most: int, below: int) -> tuple[list[int], int | None]:
            if wider:
                few = min(fewer, most)
                checked = self._compared([*match, wider], terms[-1], scope, few + 1, below)
                if checked is not None and len(checked) > few:
                    return checked[:few], checked[few - 1]
                if checked is not None:
                    return checked, scope.rest
            found = self._keys(whole, scope, most + 1, below)
            return found[:most], found[most - 1] if len(found) > most else scope.rest

        return read

    def _compared(self, match: list[str], term: Term, scope: _Scope, most: int, below: int) -> list[int] | None:
        """Return the keys of the entries that match `match` and whose text has the term.

        When too much text would have to be read, return the keys found so far, with `scope.rest` as the key before
        which the comparison ended; None when the search cannot go on from there, or when nothing was found.
        """
        snippets, length, whole = Snippets([term]), 0, _WholeReads()
        found: list[int] = []
        for _ in range(MOST_COMPARED // COMPARED_AT_ONCE):
            keys = self._keys(match, scope, COMPARED_AT_ONCE, below)
            for row in sorted(self._texts(keys), key=_key, reverse=True):
                text, is_whole = _text(row), not _is_cut(row)
                fits = snippets.fit(text)
                if not (fits or is_whole) and whole.may_read(row):
                    text, is_whole = _text(self._texts([_key(row)], "body")[0]), True
                    fits = snippets.fit(text)
                length += len(text)
                if fits:
                    found.append(_key(row))
                elif length > MOST_CHARACTERS or not is_whole:
                    if found and scope.goes_on:
                        scope.rest = _key(row) + (not is_whole)
                        return found
                    return None
            if len(found) >= most or len(keys) < COMPARED_AT_ONCE or scope.rest is not None:
                return found
            below = keys[-1]
        if found and scope.goes_on:
            scope.rest = below
            return found
        return None

    def _keys(self, match: list[str], scope: _Scope, most: int, below: int = _AFTER_ALL) -> list[int]:
        """Return the keys of matching entries, last written first."""
        values = {**scope.values, "match": " AND ".join(match), "members": scope.members}
        shared = "" if scope.members is None else _SHARED.format(table=scope.table)
        found: list[int] = []
        scope.rest = None
        if not scope.where:
            for part in _ranges_below(scope.ranges, below):
                query = _KEYS.format(
                    table=scope.table, first=part.start, below=part.stop, shared=shared, most=most - len(found)
                )
                found += orjson.loads(self._connection.execute(query, values).fetchone()[0])
                if len(found) >= most:
                    break
            return found
        parts = list(_ranges_below(scope.ranges, below))
        for part in parts:
            end = part.stop
            while end > part.start:
                query = _FITTING.format(
                    table=scope.table, first=part.start, below=end, shared=shared, most=SCANNED,
                    where=" AND ".join(scope.where),
                )  # fmt: skip
                fitting, count, last = self._connection.execute(query, values).fetchone()
                found += orjson.loads(fitting)
                end = last if count == SCANNED else part.start
                if len(found) >= most:
                    return found[:most]
                if time.monotonic() > scope.until:
                    scope.rest = end if end > parts[-1].start else None
                    return found
        return found

    def _best(self, scope: _Scope, terms: Sequence[Term], stopped: Callable[[], bool]) -> list[int] | None:
        """Return the keys of all hits, best first; None when it takes too long to rank them."""
        match = [
            *scope.match,
            *(expanded(self._connection, term) or fts_query([term]) for term in _indexed_terms(terms, scope)),
        ]
        values = {**scope.values, "match": " AND ".join(match), "members": scope.members}
        shared = "" if scope.members is None else _SHARED.format(table=scope.table)
        where = "".join(f" AND {condition}" for condition in scope.where)
        query = _RANKED.format(table=scope.table, shared=shared, where=where)
        try:
            with _stopping(self._connection, lambda: stopped() or time.monotonic() > scope.until):
                keys: list[int] = orjson.loads(self._connection.execute(query, values).fetchone()[0])
                return keys
        except CancelledError:
            if stopped():
                raise
            return None

    def _newest(self, keys: Sequence[int], where: str = "") -> tuple[UnreadHit, ...]:
        """Return the hits at these keys, newest first; `where` is a condition on their sessions."""
        (text,) = self._connection.execute(_BY_TIME.format(where=where), (_array(keys),)).fetchone()
        return tuple(
            UnreadHit(session, key, Kind(kind), Role(role), when, restored(tool))
            for session, key, kind, role, when, tool in from_json(text)
        )

    def page(self, query: str, hits: UnreadHits, limit: int, offset: int) -> SearchPage:
        """Return one page of the hits with snippets."""
        keys = [hit.entry for hit in hits.found[offset : offset + limit]]
        return SearchPage(len(hits.found), self.hits(query, keys), hits.more)

    def hits(self, query: str, keys: Sequence[int], *, long: bool = False) -> tuple[Hit, ...]:
        """Return snippets in the order of the keys.

        Only the beginning of a large entry is read, except for a few without a match in it, see _WholeReads.
        """
        snippets, whole = Snippets(terms_of(query), LONG if long else SHORT), _WholeReads()
        found = {}
        for row in self._texts(keys):
            hit = _hit(row, snippets)
            if _is_cut(row) and OPENING not in hit.snippet and whole.may_read(row):
                hit = _hit(self._texts([hit.entry], "body")[0], snippets)
            found[hit.entry] = hit
        return tuple(found[key] for key in keys if key in found)

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the texts of entries without the wrappers of tools; of large entries only the beginning."""
        return {_key(row): without_wrappers(_text(row)).strip() for row in self._texts(keys)}

    def _texts(self, keys: Sequence[int], body: str = "ifnull(head, body)") -> list[list[Any]]:
        """Return the columns from which the text of an entry is computed."""
        query = _HITS.format(body)
        rows: list[list[Any]] = from_json(self._connection.execute(query, (_array(keys),)).fetchone()[0])
        return rows


def _hit(row: list[Any], snippets: Snippets) -> Hit:
    session, key, id, role, kind, when, tool, model, *_ = row
    text = _text(row)
    snippet = snippets.of(without_wrappers(text))
    if OPENING not in snippet:  # the match lies inside a tool's wrapper
        snippet = snippets.of(text)
    return Hit(session, key, restored(id), Role(role), Kind(kind), when, snippet, restored(tool), restored(model))


def _key(row: list[Any]) -> int:
    key: int = row[1]
    return key


def _text(row: list[Any]) -> str:
    *_, role, kind, _time, _tool, _model, name, body = row
    return text_of(decode(body["b"]), restored(name), Role(role), Kind(kind))


def _is_cut(row: list[Any]) -> bool:
    return bool(row[-1].get("cut"))


@contextmanager
def _stopping(connection: sqlite3.Connection, stopped: Callable[[], bool]) -> Iterator[None]:
    """Interrupt queries of the block soon after `stopped` returns true."""
    connection.set_progress_handler(stopped, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:  # a damaged text has no code
            raise
        raise CancelledError("The search was stopped.") from error
    finally:
        connection.set_progress_handler(None, 0)


def _facets(roles: Iterable[str], tools: Iterable[str]) -> list[str]:
    """Return the facets of roles and tools. Tool names differ between programs in the case of a letter."""
    names = sorted({name for tool in tools for name in (tool, tool.lower(), tool.capitalize())} - {""})
    return [
        any_of(words)
        for words in ([_SPEAKER_FACETS[role] for role in roles], [with_tool(name) for name in names])
        if words
    ]


def _table(terms: Iterable[Term]) -> str:
    """Return the index that finds the terms."""
    return PAIRS if any(has_cjk(text) for text, _ in terms) else WORDS


def _indexed_terms(terms: Sequence[Term], scope: _Scope) -> list[Term]:
    """Return the terms as the index of the scope holds them."""
    if scope.table == WORDS:
        return list(terms)
    found = ((asked_pairs(text), prefix and not has_cjk(text[-1:])) for text, prefix in terms)
    return [(text, is_begun or prefix) for (text, is_begun), prefix in found]


def _ranges_below(ranges: Iterable[range], end: int) -> Iterator[range]:
    """Yield the parts of ranges that lie below a key; ranges and parts are in descending order."""
    for part in ranges:
        if part.start < end:
            yield range(part.start, min(part.stop, end))


def _conditions(table: str, filters: Filters, values: dict[str, object]) -> list[str]:
    """Return the conditions on times, models and images: of entries, or with `table` "" of ranges of keys."""
    values |= {"since": filters.since, "until": filters.until}
    latest, earliest = ("entries.time", "entries.time") if table else ("latest", "earliest")
    model = _any_text("entries.model" if table else "model", filters.models, values)
    return [
        *([f"{latest} >= :since"] if filters.since is not None else []),
        *([f"{earliest} < :until"] if filters.until is not None else []),
        *(["entries.images > 0" if table else "images > 0"] if filters.images else []),
        *([model] if model else []),
    ]


def _any_text(column: str, texts: Sequence[str], values: dict[str, object]) -> str:
    """Return the condition that a column contains one of the texts, in any case; "" without texts."""
    names = [f"{column.replace('.', '_')}{at}" for at in range(len(texts))]
    values.update(zip(names, (shown(text).lower() for text in texts), strict=True))
    return f"({' OR '.join(f'instr(lower({column}), :{name})' for name in names)})" if names else ""


def _array(keys: Sequence[int]) -> str:
    return f"[{','.join(map(str, keys))}]"


# Other sessions have no abandoned branch: they have a single branch with the leaf at its end, and no trash.
_MAY_BE_LEFT = f"""(branches <> 1 OR leaf IS NULL
    OR EXISTS (SELECT 1 FROM entries WHERE entries.session = sessions.key AND entries.key > leaf)
    OR EXISTS (SELECT 1 FROM shares WHERE shares.session = sessions.key)
    OR EXISTS (SELECT 1 FROM entries WHERE entries.session = sessions.key AND kind = {Kind.TRASH:d}))"""
_SIGNS = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_SHARED = "AND +{table}.rowid IN (SELECT value FROM json_each(:members))"
_KEYS = """
    SELECT json_group_array(hit) FROM (SELECT rowid AS hit FROM {table}
    WHERE {table} MATCH :match AND rowid >= {first} AND rowid < {below} {shared} ORDER BY rowid DESC LIMIT {most})"""
_FITTING = """
    SELECT json_group_array(entries.key) FILTER (WHERE {where}), count(*), min(entries.key)
    FROM (SELECT rowid AS hit FROM {table} WHERE {table} MATCH :match
        AND rowid >= {first} AND rowid < {below} {shared} ORDER BY rowid DESC LIMIT {most})
    CROSS JOIN entries ON entries.key = hit"""
_RANKED = """
    SELECT json_group_array(hit) FROM (SELECT {table}.rowid AS hit
    FROM {table} CROSS JOIN entries ON entries.key = {table}.rowid
    WHERE {table} MATCH :match {shared} {where} ORDER BY bm25({table}, 1.0, 0.0))"""

_BY_TIME = """
    SELECT json_group_array(json_array(session, key, kind, role, time, tool)) FROM (
        SELECT session, entries.key, kind, role, time, tool
        FROM (SELECT value AS hit FROM json_each(?)) CROSS JOIN entries ON entries.key = hit {where}
        ORDER BY time DESC, entries.key DESC)"""
_PLACES = """
    SELECT json_group_array(json_array(session, entries.key, kind))
    FROM (SELECT value AS hit FROM json_each(?)) CROSS JOIN entries ON entries.key = hit
    CROSS JOIN sessions ON sessions.key = session AND NOT trashed"""
_BEGUN_BEFORE = """
    SELECT json_group_array(value) FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM entries WHERE entries.session = value AND entries.key < ?)"""
_KEPT = "WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.key = session AND trashed = 1)"

_HITS = """
    SELECT '[' || ifnull(group_concat(
        '[' || session || ',' || entries.key || ',' || json_quote(entries.id) || ',' || role || ',' || kind || ','
        || time || ',' || json_quote(tool) || ',' || json_quote(model) || ',' || json_quote(name) || ','
        || {} || ']'), '') || ']'
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON entries.key = wanted
    CROSS JOIN bodies ON bodies.key = wanted"""
