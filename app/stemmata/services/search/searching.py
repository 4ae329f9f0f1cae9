"""Full-text search in the archive, limited to the active or the abandoned branches when wanted."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import islice

from stemmata.domain.entries.entry import ANNOTATION_KINDS
from stemmata.domain.errors import CancelledError
from stemmata.domain.search.branches import Branch, branch_of
from stemmata.domain.search.hits import Hit, SearchPage, Share, UnreadHit, UnreadHits
from stemmata.domain.search.query import Query
from stemmata.domain.search.results import Results, SortedHits, first_shown, grouped, role_counts
from stemmata.domain.sessions.session import Session
from stemmata.services.ports.archive import Archive, ArchiveReader

SCAN = 400  # hits that are examined at least when a scope filters them
BUDGET = 0.03  # seconds of one step of a search with filters
COUNTING = 0.008  # seconds of a step that counting the hits by role takes at most
LEAST = 0.004  # seconds that telling branches apart gets, when the search has taken all
NUMBERED = 100_000  # entries of a session whose branches are numbered
KEPT_PATHS = 512  # sessions whose active path is remembered, as a few ranges of keys
FIRST = 24  # hits that are read with the first hits: more than a window shows


class Searching:
    """Searches the full text."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._paths: OrderedDict[int, _ActivePath] = OrderedDict()  # by session; for the db thread

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
            _raise_if_stopped(stopped)
            most = limit if scope == "all" else SCAN
            hits = reader.unread_hits(query, session=session, role=role, tool=tool, limit=most, stopped=stopped)
            if scope != "all":
                paths = self._leaf_paths(reader, session, stopped)
                hits = _first(hits, limit, lambda hit: paths.hold(hit) is (scope == "active"))
            keys = [hit.entry for hit in hits.found[:limit]]
            return SearchPage(len(hits.found), reader.hits(query, keys), hits.more)

        return self._archive.read(job)

    def entries(
        self, query: str, *, session: int | None, limit: int, stopped: Callable[[], bool] = lambda: False
    ) -> Future[frozenset[int]]:
        """Return the keys of the matching entries."""

        def job(reader: ArchiveReader) -> frozenset[int]:
            _raise_if_stopped(stopped)
            found = reader.unread_hits(query, session=session, limit=limit, stopped=stopped).found
            return frozenset(hit.entry for hit in found[:limit])

        return self._archive.read(job)

    # -- with filters -----------------------------------------------------------------------------------------------

    def find(
        self,
        query: Query,
        *,
        session: int | None = None,
        by_rank: bool = False,
        below: int | None = None,
        share: Share | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Future[Results]:
        """Search the archive, or one session, with the filters of a query; the newest or the best come first.

        `share` limits the hits of each session. The search ends after `BUDGET` seconds with the results until then;
        `Results.rest`, given as `below`, goes on.
        Fails with CancelledError soon after `stopped`, which is called on another thread, returns true.
        """

        def job(reader: ArchiveReader) -> Results:
            _raise_if_stopped(stopped)
            if query.is_empty:
                return Results()
            begun = time.monotonic()
            suits = self._in_scope(reader, query.filters.scope, stopped)
            found = reader.find(
                query, session=session, by_rank=by_rank, below=below, share=share, suits=suits, seconds=BUDGET,
                stopped=stopped,
            )  # fmt: skip
            hits = found.found
            keys = first_shown(grouped(hits), FIRST)
            read = {hit.entry: hit for hit in reader.hits(query.words, keys, long=True)}
            is_counted = query.filters.roles and below is None  # a continued search keeps the counts of its beginning
            others = _of_any_role(reader, query, share, suits, begun + BUDGET, stopped) if is_counted else None
            counted, source = (hits, found) if others is None else (others.found, others)
            return Results(
                hits, read, role_counts(counted), found.rest, found.more, found.by_rank,
                counts_more=source.more or bool(source.unfinished), unfinished=found.unfinished,
            )  # fmt: skip

        return self._archive.read(job)

    def hits(self, query: Query, entries: Sequence[int], stopped: Callable[[], bool]) -> Future[tuple[Hit, ...]]:
        """Return the hits of a query in entries, with three lines of context."""

        def job(reader: ArchiveReader) -> tuple[Hit, ...]:
            _raise_if_stopped(stopped)
            return reader.hits(query.words, entries, long=True)

        return self._archive.read(job)

    def sort(self, hits: Sequence[UnreadHit], stopped: Callable[[], bool]) -> Future[SortedHits]:
        """Tell the hits on active branches from those on abandoned ones, for `BUDGET` seconds."""

        def job(reader: ArchiveReader) -> SortedHits:
            _raise_if_stopped(stopped)
            return self._sorted(reader, hits, time.monotonic() + BUDGET, stopped)

        return self._archive.read(job)

    def branches(self, hits: Sequence[UnreadHit], stopped: Callable[[], bool]) -> Future[dict[int, Branch]]:
        """Return the branches of the hits in one session, by entry: the session of the first hit.

        Of a session with more than NUMBERED entries the branches stay unknown, since its tree takes long to read.
        """

        def job(reader: ArchiveReader) -> dict[int, Branch]:
            _raise_if_stopped(stopped)
            session = reader.session(hits[0].session)
            if session.entries > NUMBERED:
                return {}
            tree, own = reader.passing_tree(session.key), [m.entry for m in hits if m.session == session.key]
            places, leaf = [(entry, tree.get(entry)) for entry in own], tree.get(session.leaf)
            return {entry: branch_of(tree, at, leaf) for entry, at in places if at is not None}

        return self._archive.read(job)

    def _sorted(
        self, reader: ArchiveReader, hits: Sequence[UnreadHit], until: float, stopped: Callable[[], bool]
    ) -> SortedHits:
        """Tell hits on active branches from others until a time, at least for LEAST seconds."""
        until, paths = max(until, time.monotonic() + LEAST), self._leaf_paths(reader, None, stopped)
        active, abandoned = set[int](), set[int]()
        for at, hit in enumerate(hits):
            if at and time.monotonic() > until:
                return SortedHits(frozenset(active), frozenset(abandoned), tuple(hits[at:]))
            (active if paths.hold(hit) else abandoned).add(hit.entry)
        return SortedHits(frozenset(active), frozenset(abandoned))

    def _in_scope(
        self, reader: ArchiveReader, scope: str, stopped: Callable[[], bool]
    ) -> Callable[[UnreadHit], bool] | None:
        """Return what tells whether a hit lies on the active, or an abandoned, branches; None for all branches."""
        if scope == "all":
            return None
        paths = self._leaf_paths(reader, None, stopped)
        return lambda hit: paths.hold(hit) is (scope == "active")

    def _leaf_paths(self, reader: ArchiveReader, session: int | None, stopped: Callable[[], bool]) -> _LeafPaths:
        return _LeafPaths(reader, session, stopped, self._paths)


def _of_any_role(
    reader: ArchiveReader,
    query: Query,
    share: Share | None,
    suits: Callable[[UnreadHit], bool] | None,
    until: float,
    stopped: Callable[[], bool],
) -> UnreadHits | None:
    """Return the hits of a query in messages of all roles; None if the search for them takes too long.

    It may take until the monotonic time `until`, and COUNTING seconds in any case.
    """
    anyone, until = replace(query, filters=replace(query.filters, roles=())), max(until, time.monotonic() + COUNTING)
    try:
        return reader.find(
            anyone, share=share, suits=suits, seconds=COUNTING,
            stopped=lambda: stopped() or time.monotonic() > until,
        )  # fmt: skip
    except CancelledError:
        _raise_if_stopped(stopped)
        return None


def _first(hits: UnreadHits, limit: int, suits: Callable[[UnreadHit], bool]) -> UnreadHits:
    """Return the first `limit` hits that suit, without examining more."""
    rest = iter(hits.found)
    found = tuple(islice(filter(suits, rest), limit))
    return UnreadHits(found, hits.more or next(rest, None) is not None)


def _raise_if_stopped(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise CancelledError("The search was stopped.")


class _ActivePath:
    """The path to the leaf of a session, as ranges of keys."""

    def __init__(self, session: Session, reader: ArchiveReader) -> None:
        self.session = session
        self._ranges: list[range] | None = None  # read when an entry needs them
        # with branches in the trash counted too, since the search finds them
        self._is_single = session.branches <= 1 and not reader.has_trash(session.key)

    def holds(self, hit: UnreadHit, reader: ArchiveReader) -> bool:
        """Return whether a hit lies on the path."""
        leaf = self.session.leaf
        if self._is_single and leaf is not None and hit.entry <= leaf and hit.kind not in ANNOTATION_KINDS:
            return True  # with a single branch every entry is on the path, also one of a session that shares it
        if self._ranges is None:
            self._ranges = [] if leaf is None else sorted(reader.ascent(leaf), key=_start)
        at = bisect_right(self._ranges, hit.entry, key=_start) - 1
        return at >= 0 and hit.entry in self._ranges[at]


def _start(part: range) -> int:
    return part.start


class _LeafPaths:
    """Answers whether entries lie on the path to their session's leaf, or to that of a given session.

    `known` holds the paths of other searches by session. A path is read again when its session has changed.
    """

    def __init__(
        self,
        reader: ArchiveReader,
        session: int | None,
        stopped: Callable[[], bool],
        known: OrderedDict[int, _ActivePath],
    ) -> None:
        self._reader, self._session, self._stopped, self._known = reader, session, stopped, known
        self._paths: dict[int, _ActivePath] = {}

    def hold(self, hit: UnreadHit) -> bool:
        """Return whether a hit lies on the path to its session's leaf."""
        key = hit.session if self._session is None else self._session
        path = self._paths.get(key) or self._paths.setdefault(key, self._path(key))
        return path.holds(hit, self._reader)

    def _path(self, key: int) -> _ActivePath:
        _raise_if_stopped(self._stopped)
        session, known = self._reader.session(key), self._known
        path = known.pop(key, None)
        if path is None or path.session != session:
            path = _ActivePath(session, self._reader)
        known[key] = path
        while len(known) > KEPT_PATHS:
            known.popitem(last=False)
        return path
