"""Full-text search over the archive, with the tree's own scopes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import islice

from stemmata.domain.entries.entry import ANNOTATION_KINDS
from stemmata.domain.entries.session_facts import Match, Matches, SearchPage, Session
from stemmata.domain.errors import CancelledError
from stemmata.services.ports.archive import Archive, ArchiveReader

SCOPES = ("active", "abandoned", "all")
SCAN = 400  # hits looked through at least, if there are so many, when a scope has to be applied to them


class Searching:
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
        """Newest first. Scope `active` = on the path to the session's leaf, `abandoned` = beside it.

        With a scope other than `all`, no more hits are looked at than it takes to find `limit` of them. `stopped` is
        asked, in another thread, whether nobody waits for the answer any more; then the future fails with
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
                paths = _Paths(reader, session, stopped)
                matches = _first(matches, limit, lambda match: paths.hold(match) is (scope == "active"))
            keys = [match.entry for match in matches.found[:limit]]
            return SearchPage(len(matches.found), reader.hits(query, keys), matches.more)

        return self._archive.read(job)

    def entries(
        self, query: str, *, session: int | None, limit: int, stopped: Callable[[], bool] = lambda: False
    ) -> Future[frozenset[int]]:
        """The keys of the entries that match, without their words."""

        def job(reader: ArchiveReader) -> frozenset[int]:
            _go_on(stopped)
            found = reader.matches(query, session=session, limit=limit, stopped=stopped).found
            return frozenset(match.entry for match in found[:limit])

        return self._archive.read(job)


def _first(matches: Matches, limit: int, suits: Callable[[Match], bool]) -> Matches:
    """The first that suit, looking no further."""
    rest = iter(matches.found)
    found = tuple(islice(filter(suits, rest), limit))
    return Matches(found, matches.more or next(rest, None) is not None)


def _go_on(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise CancelledError("The search was stopped.")


class _Paths:
    """The paths to the leaves of sessions, read as far as need be. All of one tree when `session` is given."""

    def __init__(self, reader: ArchiveReader, session: int | None, stopped: Callable[[], bool]) -> None:
        self._reader, self._session, self._stopped = reader, session, stopped
        self._sessions: dict[int, Session] = {}
        self._single: dict[int, bool] = {}
        self._paths: dict[int, frozenset[int]] = {}

    def hold(self, match: Match) -> bool:
        key = match.session if self._session is None else self._session
        session = self._sessions.get(key) or self._sessions.setdefault(key, self._reader.session(key))
        if session.leaf is None:
            return False
        if match.entry <= session.leaf and match.kind not in ANNOTATION_KINDS and self._is_single(session):
            return True  # nothing else is beside the only branch
        return match.entry in (self._paths.get(key) or self._paths.setdefault(key, self._path(session)))

    def _is_single(self, session: Session) -> bool:
        """Branches in the trash are not counted in the session, but can be found."""
        if session.key not in self._single:
            self._single[session.key] = session.branches <= 1 and not self._reader.has_trash(session.key)
        return self._single[session.key]

    def _path(self, session: Session) -> frozenset[int]:
        _go_on(self._stopped)
        assert session.leaf is not None
        return frozenset(self._reader.tail(session.leaf, session.entries))
