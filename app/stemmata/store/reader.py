"""The reading half of the archive: what jobs get. Thin; the work is in the repositories.

Each repository is loaded when first asked for: the list of sessions is shown before the others are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stemmata.store.core.database import ArchiveConnection
from stemmata.store.sessions.sessions import SessionRepository

if TYPE_CHECKING:
    from stemmata.domain.chat.run import OpenRun, Partial, QueuedMessage
    from stemmata.domain.entries.blocks import Block
    from stemmata.domain.entries.session_facts import (
        Body,
        Checkpoint,
        EntryRow,
        Hit,
        LeafMove,
        Matches,
        SearchPage,
        Session,
    )
    from stemmata.domain.entries.tree import Tree
    from stemmata.store.chat.drafts import DraftRepository
    from stemmata.store.chat.queue import QueueRepository
    from stemmata.store.chat.runs import RunRepository
    from stemmata.store.entries.content import ContentRepository
    from stemmata.store.entries.records import RecordRepository
    from stemmata.store.entries.tree_loader import LoadedTree, TreeLoader
    from stemmata.store.imports.imports import ImportRepository
    from stemmata.store.search.search import SearchRepository
    from stemmata.store.sessions.leaf_moves import LeafMoveRepository


KEPT_TREES, KEPT_ENTRIES = 3, 100_000  # in a cache; of larger trees, none


class TreeCache:
    """The trees that were read last, for `TreeLoader.loaded` to go on from. Belongs to the db thread.

    What is appended is read on; anything else that changes entries is to be told by `clear`.
    """

    def __init__(self) -> None:
        self._loaded: dict[int, LoadedTree] = {}

    def get(self, session: int) -> LoadedTree | None:
        return self._loaded.get(session)

    def put(self, session: int, loaded: LoadedTree) -> None:
        self._loaded.pop(session, None)
        if len(loaded.tree) <= KEPT_ENTRIES:
            self._loaded[session] = loaded
        while len(self._loaded) > KEPT_TREES:
            del self._loaded[next(iter(self._loaded))]

    def clear(self) -> None:
        self._loaded.clear()


class Reader:
    """Implements `services.ports.ArchiveReader` on one connection. `writer` is the number of this opening of it."""

    def __init__(self, connection: ArchiveConnection, writer: int, trees: TreeCache) -> None:
        self._both, self._connection = connection, connection.bare
        self._writer_number, self._trees = writer, trees
        self._sessions = SessionRepository(self._connection)

    @cached_property
    def _tree_loader(self) -> TreeLoader:
        from stemmata.store.entries.tree_loader import TreeLoader

        return TreeLoader(self._connection)

    @cached_property
    def _content(self) -> ContentRepository:
        from stemmata.store.entries.content import ContentRepository

        return ContentRepository(self._connection)

    @cached_property
    def _records(self) -> RecordRepository:
        from stemmata.store.entries.records import RecordRepository

        return RecordRepository(self._both.database)

    @cached_property
    def _search(self) -> SearchRepository:
        from stemmata.store.search.search import SearchRepository

        return SearchRepository(self._connection, self._tree_loader)

    @cached_property
    def _leaf_moves(self) -> LeafMoveRepository:
        from stemmata.store.sessions.leaf_moves import LeafMoveRepository

        return LeafMoveRepository(self._both.database, self._writer_number)

    @cached_property
    def _drafts(self) -> DraftRepository:
        from stemmata.store.chat.drafts import DraftRepository

        return DraftRepository(self._both.database)

    @cached_property
    def _imports(self) -> ImportRepository:
        from stemmata.store.imports.imports import ImportRepository

        return ImportRepository(self._both.database)

    @cached_property
    def _queue(self) -> QueueRepository:
        from stemmata.store.chat.queue import QueueRepository

        return QueueRepository(self._both.database)

    @cached_property
    def _runs(self) -> RunRepository:
        from stemmata.store.chat.runs import RunRepository

        return RunRepository(self._both.database)

    def sessions(self, *, trashed: bool = False) -> list[Session]:
        return self._sessions.all(trashed=trashed)

    def session(self, key: int) -> Session:
        return self._sessions.get(key)

    def find_session(self, name: str) -> Session:
        return self._sessions.find(name)

    def session_holding(self, session: int, id: str) -> int | None:
        return self._sessions.holding(session, id)

    def tree(self, session: int) -> Tree:
        loaded = self._tree_loader.loaded(session, self._trees.get(session))
        self._trees.put(session, loaded)
        return loaded.tree

    def tail(self, entry: int, count: int) -> list[int]:
        return self._tree_loader.tail(entry, count)

    def has_trash(self, session: int) -> bool:
        return self._tree_loader.has_trash(session)

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        return self._content.rows(keys)

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]:
        return self._content.bodies(keys)

    def ids(self, session: int) -> list[str]:
        return self._tree_loader.ids(session)

    def entry_key(self, session: int, id: str) -> int:
        return self._tree_loader.entry_key(session, id)

    def previews(self, session: int) -> list[str]:
        return self._tree_loader.previews(session)

    def leaf_moves(self, session: int) -> Iterator[LeafMove]:
        return self._leaf_moves.of(session)

    def draft(self, session: int) -> str:
        return self._drafts.of(session)

    def draft_attached(self, session: int) -> tuple[Block, ...]:
        return self._drafts.attached(session)

    def queued(self, session: int) -> list[QueuedMessage]:
        return self._queue.of(session)

    def open_runs(self) -> list[OpenRun]:
        return self._runs.all()

    def partials(self, run: int) -> list[Partial]:
        return self._runs.partials(run)

    def matches(
        self,
        query: str,
        *,
        session: int | None = None,
        role: str = "",
        tool: str = "",
        limit: int = 50,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Matches:
        return self._search.matches(query, session=session, role=role, tool=tool, limit=limit, stopped=stopped)

    def hits(self, query: str, keys: Sequence[int]) -> tuple[Hit, ...]:
        return self._search.hits(query, keys)

    def search(
        self, query: str, *, session: int | None = None, role: str = "", limit: int = 50, offset: int = 0
    ) -> SearchPage:
        return self._search.page(
            query, self.matches(query, session=session, role=role, limit=limit + offset), limit, offset
        )

    def blob(self, digest: str) -> bytes | None:
        return self._content.blob(digest)

    def raw(self, session: int) -> Iterator[bytes]:
        return self._records.raw(session)

    def record(self, entry: int) -> bytes | None:
        return self._records.record(entry)

    def checkpoints(self) -> dict[str, Checkpoint]:
        return self._imports.all()

    def checkpoint(self, path: str) -> Checkpoint | None:
        return self._imports.one(path)

    def files_of_lost_records(self) -> list[str]:
        return self._imports.of_lost_records()

    def is_left_out(self, path: str) -> bool:
        return self._imports.is_left_out(path)

    def totals(self) -> Mapping[str, int]:
        sessions, entries, size = self._connection.execute(
            "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM entries), page_count * page_size"
            " FROM pragma_page_count, pragma_page_size"
        ).fetchone()
        return {"sessions": sessions, "entries": entries, "bytes": size}

    def check(self) -> list[str]:
        from stemmata.store.upkeep.integrity import problems

        return problems(self._connection)
