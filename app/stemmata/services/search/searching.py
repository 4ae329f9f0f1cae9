"""Full-text search in the archive, limited to the active or the abandoned branches when wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import islice

from stemmata.domain.entries.entry import ANNOTATION_KINDS
from stemmata.domain.entries.session_facts import Session
from stemmata.domain.errors import CancelledError
from stemmata.domain.search.hits import Hit, Match, Matches, SearchPage
from stemmata.domain.search.query import Query
from stemmata.domain.search.results import Results, SortedMatches, first_shown, grouped, role_counts
from stemmata.services.ports.archive import Archive, ArchiveReader

SCAN = 400  # hits that are examined at least when a scope filters them
BUDGET = 0.03  # seconds of one step of a search with filters
FIRST = 24  # hits that are read with the first matches: more than a window shows


class Searching:
    """Searches the full text."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def search(
        self,
        query: str,
        *,
        session: int | None = None,
        role: str = "",
        tool: str = "",
        scope: str = "all",
        limit: int = 50,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Future[SearchPage]:
        """Search the archive; hits come newest first. Scope `active` is the path to the leaf, `abandoned` the rest.

        With a scope other than `all`, the search ends after `limit` hits in the scope. `stopped` is called on another
        thread; once it returns True, the search ends and the future fails with
        CancelledError.
        """
        if not query.strip():
            out: Future[SearchPage] = Future()
            out.set_result(SearchPage(0, ()))
            return out

        def job(reader: ArchiveReader) -> SearchPage:
            _go_on(stopped)
            most = limit if scope == "all" else SCAN
            matches = reader.matches(query, session=session, role=role, tool=tool, limit=most, stopped=stopped)
            if scope != "all":
                paths = _LeafPaths(reader, session, stopped)
                matches = _first(matches, limit, lambda match: paths.hold(match) is (scope == "active"))
            keys = [match.entry for match in matches.found[:limit]]
            return SearchPage(len(matches.found), reader.hits(query, keys), matches.more)

        return self._archive.read(job)

    def entries(
        self, query: str, *, session: int | None, limit: int, stopped: Callable[[], bool] = lambda: False
    ) -> Future[frozenset[int]]:
        """Return the keys of the matching entries."""

        def job(reader: ArchiveReader) -> frozenset[int]:
            _go_on(stopped)
            found = reader.matches(query, session=session, limit=limit, stopped=stopped).found
            return frozenset(match.entry for match in found[:limit])

        return self._archive.read(job)

    # -- with filters -----------------------------------------------------------------------------------------------

    def find(
        self,
        query: Query,
        *,
        session: int | None = None,
        by_rank: bool = False,
        below: int | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Future[Results]:
        """Search the archive, or one session, with the filters of a query; the newest or the best come first.

        The search ends after `BUDGET` seconds with what it has found; `Results.rest`, given as `below`, goes on.
        Fails with CancelledError soon after `stopped`, which is called on another thread, returns true.
        """

        def job(reader: ArchiveReader) -> Results:
            _go_on(stopped)
            if query.is_empty:
                return Results()
            found = reader.find(query, session=session, by_rank=by_rank, below=below, seconds=BUDGET, stopped=stopped)
            matches, unsorted = found.found, tuple[Match, ...]()
            if query.filters.scope != "all":
                sorted_ = _sorted(reader, matches, stopped)
                wanted = sorted_.abandoned if query.filters.scope == "abandoned" else sorted_.active
                matches, unsorted = tuple(match for match in matches if match.entry in wanted), sorted_.unsorted
            keys = first_shown(grouped(matches), FIRST)
            hits = {hit.entry: hit for hit in reader.hits(query.words, keys, long=True)}
            counts = role_counts(_of_any_role(reader, query, stopped) if query.filters.roles else matches)
            return Results(matches, hits, counts, found.rest, found.more, found.by_rank, unsorted)

        return self._archive.read(job)

    def hits(self, query: Query, entries: Sequence[int], stopped: Callable[[], bool]) -> Future[tuple[Hit, ...]]:
        """Return the hits of a query in entries, with three lines of context."""

        def job(reader: ArchiveReader) -> tuple[Hit, ...]:
            _go_on(stopped)
            return reader.hits(query.words, entries, long=True)

        return self._archive.read(job)

    def sort(self, matches: Sequence[Match], stopped: Callable[[], bool]) -> Future[SortedMatches]:
        """Tell the matches on active branches from those on abandoned ones, for `BUDGET` seconds."""

        def job(reader: ArchiveReader) -> SortedMatches:
            _go_on(stopped)
            return _sorted(reader, matches, stopped)

        return self._archive.read(job)


def _of_any_role(reader: ArchiveReader, query: Query, stopped: Callable[[], bool]) -> tuple[Match, ...]:
    anyone = replace(query, filters=replace(query.filters, roles=()))
    return reader.find(anyone, seconds=BUDGET / 4, stopped=stopped).found


def _sorted(reader: ArchiveReader, matches: Sequence[Match], stopped: Callable[[], bool]) -> SortedMatches:
    until, paths = time.monotonic() + BUDGET, _LeafPaths(reader, None, stopped)
    active, abandoned = set[int](), set[int]()
    for at, match in enumerate(matches):
        if at and time.monotonic() > until:
            return SortedMatches(frozenset(active), frozenset(abandoned), tuple(matches[at:]))
        (active if paths.hold(match) else abandoned).add(match.entry)
    return SortedMatches(frozenset(active), frozenset(abandoned))


def _first(matches: Matches, limit: int, suits: Callable[[Match], bool]) -> Matches:
    """Return the first `limit` matches that suit, without examining more."""
    rest = iter(matches.found)
    found = tuple(islice(filter(suits, rest), limit))
    return Matches(found, matches.more or next(rest, None) is not None)


def _go_on(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise CancelledError("The search was stopped.")


class _LeafPaths:
    """Answers whether entries lie on the path to their session's leaf.

    Reads a whole tree only for a given `session`.
    """

    def __init__(self, reader: ArchiveReader, session: int | None, stopped: Callable[[], bool]) -> None:
        self._reader, self._session, self._stopped = reader, session, stopped
        self._sessions: dict[int, Session] = {}
        self._single: dict[int, bool] = {}
        self._paths: dict[int, frozenset[int]] = {}

    def hold(self, match: Match) -> bool:
        """Whether a match lies on the path to its session's leaf."""
        key = match.session if self._session is None else self._session
        session = self._sessions.get(key) or self._sessions.setdefault(key, self._reader.session(key))
        if session.leaf is None:
            return False
        if match.entry <= session.leaf and match.kind not in ANNOTATION_KINDS and self._is_single(session):
            return True  # with a single branch every entry is on the path
        return match.entry in (self._paths.get(key) or self._paths.setdefault(key, self._path(session)))

    def _is_single(self, session: Session) -> bool:
        """Whether a session has one branch, with branches in the trash counted too, since the search finds them."""
        if session.key not in self._single:
            self._single[session.key] = session.branches <= 1 and not self._reader.has_trash(session.key)
        return self._single[session.key]

    def _path(self, session: Session) -> frozenset[int]:
        _go_on(self._stopped)
        assert session.leaf is not None
        return frozenset(self._reader.tail(session.leaf, session.entries))
