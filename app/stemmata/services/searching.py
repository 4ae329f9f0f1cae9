"""Full-text search over the archive, with the tree's own scopes."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from stemmata.domain.sessions import Hit, SearchPage
from stemmata.services.ports import Archive, ArchiveReader

SCOPES = ("active", "abandoned", "all")
SCAN = 1000  # hits looked through when a scope has to be applied to them


class Searching:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def search(
        self, query: str, *, session: int | None = None, role: str = "", scope: str = "all", limit: int = 50
    ) -> Future[SearchPage]:
        """Newest first. Scope `active` = on the path to the session's leaf, `abandoned` = beside it.

        With a scope other than `all`, at most SCAN hits are looked through and `total` counts those that remain.
        """
        if not query.strip():
            out: Future[SearchPage] = Future()
            out.set_result(SearchPage(0, ()))
            return out

        def job(reader: ArchiveReader) -> SearchPage:
            if scope == "all":
                return reader.search(query, session=session, role=role, limit=limit)
            page = reader.search(query, session=session, role=role, limit=SCAN)
            hits = _in_scope(reader, page.hits, active=scope == "active")
            return replace(page, total=len(hits), hits=tuple(hits[:limit]))

        return self._archive.read(job)


def _in_scope(reader: ArchiveReader, hits: tuple[Hit, ...], *, active: bool) -> list[Hit]:
    paths: dict[int, set[int]] = {}
    found = []
    for hit in hits:
        if hit.session not in paths:
            tree = reader.tree(hit.session)
            leaf = tree.get(reader.session(hit.session).leaf)
            paths[hit.session] = {tree.key(entry) for entry in tree.path(leaf)}
        if (hit.entry in paths[hit.session]) is active:
            found.append(hit)
    return found
