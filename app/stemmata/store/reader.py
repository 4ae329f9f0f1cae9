"""The reader that jobs get. It passes calls on to the repositories.

The list of sessions needs one repository; the others are loaded and created together, on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stemmata.store.core.database import ArchiveConnection
from stemmata.store.sessions.sessions import SessionRepository

if TYPE_CHECKING:
    from stemmata.domain.chat.run import OpenRun, Partial, QueuedMessage
    from stemmata.domain.entries.blocks import Block
    from stemmata.domain.entries.entry_rows import Body, EntryRow
    from stemmata.domain.entries.tree import Tree
    from stemmata.domain.search.embedding import EmbeddingBatch, Neighbour
    from stemmata.domain.search.hits import Hit, SearchPage, Share, UnreadHit, UnreadHits
    from stemmata.domain.search.query import Filters, Query
    from stemmata.domain.sessions.lineage import ForkPoint
    from stemmata.domain.sessions.session import LeafMove, Session
    from stemmata.domain.sessions.steps import History, StepChange
    from stemmata.domain.sources.reading import Checkpoint
    from stemmata.store.entries.tree_loader import LoadedTree
    from stemmata.store.repositories import Repositories
    from stemmata.store.search.signs import SignCache


KEPT_TREES, KEPT_ENTRIES = 3, 100_000  # in a cache


def _nothing() -> None:
    """The tree of a session that was not read."""


class TreeCache:
    """Hold the trees that were read last, so that `TreeLoader.loaded` reads only appended entries. For the db thread.

    After any other change of entries, call `clear`.
    """

    def __init__(self) -> None:
        self._loaded: dict[int, Callable[[], LoadedTree | None]] = {}

    def get(self, session: int) -> LoadedTree | None:
        """Return the session's tree as it was last read, None if it is not held."""
        return self._loaded.get(session, _nothing)()

    def put(self, session: int, loaded: LoadedTree) -> None:
        """Hold a tree and drop the oldest beyond `KEPT_TREES`.

        A tree of more than `KEPT_ENTRIES` takes much memory. It is known only while a window or a job holds it.
        """
        self._put(session, loaded.while_held() if len(loaded.tree) > KEPT_ENTRIES else lambda: loaded)

    def _put(self, session: int, found: Callable[[], LoadedTree | None]) -> None:
        self._loaded.pop(session, None)
        self._loaded[session] = found
        while len(self._loaded) > KEPT_TREES:
            del self._loaded[next(iter(self._loaded))]

    def adopt(self, other: TreeCache) -> None:
        """Hold the trees of another cache, which are newer."""
        for session, found in other._loaded.items():
            self._put(session, found)

    def clear(self) -> None:
        """Drop all trees, after a change that did not only append."""
        self._loaded.clear()


class Reader:
    """Implements `services.ports.ArchiveReader` on one connection. `writer` is the random number of this opening."""

    def __init__(self, connection: ArchiveConnection, writer: int, trees: TreeCache, signs: SignCache) -> None:
        self._both, self.connection = connection, connection.bare
        self._writer_number, self._trees, self._signs = writer, trees, signs
        self._sessions = SessionRepository(self.connection)
        self.slow: set[int] = set()  # sessions whose trees were read from rows although they are large

    @cached_property
    def _repositories(self) -> Repositories:
        # imported late, see decision 26: loads peewee and the codecs
        from stemmata.store.repositories import Repositories

        return Repositories(self._both, self._writer_number, self._signs)

    def sessions(self, *, trashed: bool = False) -> list[Session]:
        """Return the sessions outside the trash, or those in it, newest first."""
        return self._sessions.all(trashed=trashed)

    def newest_sessions(self, count: int) -> list[Session]:
        """Return the `count` newest sessions outside the trash and those they came from, newest first."""
        return self._sessions.newest(count)

    def session(self, key: int) -> Session:
        """Return a session by key. Raises NotFoundError."""
        return self._sessions.get(key)

    def summary(self, session: int) -> str:
        """Return the summary that the session got when it was finalised last; "" for none."""
        return self._sessions.summary(session)

    def find_session(self, name: str) -> Session:
        """Return a session by id, source id, unique prefix of either, or "latest". Raises NotFoundError."""
        return self._sessions.find(name)

    def session_holding(self, session: int, id: str) -> int | None:
        """Return the oldest other session of the same source and folder with an entry of this id, or None."""
        return self._sessions.holding(session, id)

    def session_of(self, source: str, source_id: str) -> Session | None:
        """Return the session with this source and source id, None if there is none."""
        return self._sessions.by_source(source, source_id)

    def sessions_of_file(self, path: str) -> list[Session]:
        """Return the sessions that were first imported from this file."""
        return self._sessions.of_file(path)

    def fork_points(self) -> dict[int, ForkPoint]:
        """Return the last shared entry of each session that shares entries of another one."""
        return self._sessions.fork_points()

    def tree(self, session: int) -> Tree:
        """Return the tree of a session. Raises NotFoundError."""
        loaded = self._repositories.trees.loaded(session, self._trees.get(session))
        self._trees.put(session, loaded)
        if loaded.lacks_pieces:
            self.slow.add(session)
        return loaded.tree

    def passing_tree(self, session: int) -> Tree:
        """Return the tree of a session, which displaces none that is held. Raises NotFoundError."""
        return self._repositories.trees.loaded(session, self._trees.get(session)).tree

    def tail(self, entry: int, count: int) -> list[int]:
        """Return the keys of the last `count` entries on the path to an entry, oldest first."""
        return self._repositories.trees.tail(entry, count)

    def ascent(self, entry: int) -> list[range]:
        """Return the keys of the path to an entry as ranges, the last ones first."""
        return self._repositories.trees.ascent(entry)

    def has_trash(self, session: int) -> bool:
        """Return whether any branch of the session was moved to the trash."""
        return self._repositories.trees.has_trash(session)

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        """Return rows by key, without unknown keys."""
        return self._repositories.content.rows(keys)

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]:
        """Return whole bodies by key, without unknown keys."""
        return self._repositories.content.bodies(keys)

    def cut_bodies(self, keys: Sequence[int], limit: int) -> dict[int, Body]:
        """Return bodies by key, with every block cut at `limit` characters, without unknown keys."""
        return self._repositories.content.cut_bodies(keys, limit)

    def ids(self, session: int) -> list[str]:
        """Return the source's ids of all entries, in the order of the tree."""
        return self._repositories.trees.ids(session)

    def entry_key(self, session: int, id: str) -> int:
        """Return the key of an entry by its id or a unique prefix. Raises NotFoundError."""
        return self._repositories.trees.entry_key(session, id)

    def previews(self, session: int) -> list[str]:
        """Return the previews of all entries, in the order of the tree."""
        return self._repositories.trees.previews(session)

    def leaf_moves(self, session: int) -> Iterator[LeafMove]:
        """Iterate the moves of the session's leaf, newest first."""
        return self._repositories.leaf_moves.of(session)

    def history(self, scope: int) -> History:
        """Return the next steps to undo and to redo of a session, or of the list of sessions."""
        return self._repositories.steps.history(scope)

    def step_changes(self, step: int) -> list[StepChange]:
        """Return the changes of a step in their order."""
        return self._repositories.steps.changes(step)

    def draft(self, session: int) -> str:
        """Return the text of the session's draft, "" without one."""
        return self._repositories.drafts.of(session)

    def draft_attached(self, session: int) -> tuple[Block, ...]:
        """Return the blocks attached to the session's draft."""
        return self._repositories.drafts.attached(session)

    def current_session(self, key: str) -> tuple[int, int] | None:
        """Return the current session of a conversation and the time (ns) it became so; None for an unknown key."""
        return self._repositories.conversations.current(key)

    def queued(self, session: int) -> list[QueuedMessage]:
        """Return the session's waiting messages in the order of their delivery."""
        return self._repositories.queue.of(session)

    def open_runs(self) -> list[OpenRun]:
        """Return the runs of all sessions that have not ended, oldest first."""
        if self.connection.execute("SELECT 1 FROM runs LIMIT 1").fetchone() is None:  # this query runs at each start
            return []  # without loading peewee before the first session opens
        return self._repositories.runs.all()

    def partials(self, run: int) -> list[Partial]:
        """Return the stored blocks of a run's reply, in order."""
        return self._repositories.runs.partials(run)

    def unread_hits(
        self,
        query: str,
        *,
        session: int | None = None,
        role: str = "",
        tool: str = "",
        limit: int = 50,
        stopped: Callable[[], bool] = lambda: False,
    ) -> UnreadHits:
        """Return the entries that match a query, newest first. Raises CancelledError soon after `stopped` is true."""
        return self._repositories.search.unread_hits(
            query, session=session, role=role, tool=tool, limit=limit, stopped=stopped
        )

    def fitting(self, filters: Filters, keys: Sequence[int]) -> tuple[UnreadHit, ...]:
        """Return the entries with these keys that fit; see `SearchRepository.fitting`."""
        return self._repositories.search.fitting(filters, keys)

    def find(
        self,
        query: Query,
        *,
        session: int | None = None,
        by_rank: bool = False,
        below: int | None = None,
        share: Share | None = None,
        suits: Callable[[UnreadHit], bool] | None = None,
        seconds: float = 0.1,
        stopped: Callable[[], bool] = lambda: False,
    ) -> UnreadHits:
        """Return the newest or the best entries that match a query with filters; see `SearchRepository.find`."""
        return self._repositories.search.find(
            query, session=session, by_rank=by_rank, below=below, share=share, suits=suits, seconds=seconds,
            stopped=stopped,
        )  # fmt: skip

    def hits(self, query: str, keys: Sequence[int], *, long: bool = False) -> tuple[Hit, ...]:
        """Return snippets of these entries for a query, in the order of the keys."""
        return self._repositories.search.hits(query, keys, long=long)

    def search(
        self, query: str, *, session: int | None = None, role: str = "", limit: int = 50, offset: int = 0
    ) -> SearchPage:
        """Return one page of hits with snippets."""
        return self._repositories.search.page(
            query, self.unread_hits(query, session=session, role=role, limit=limit + offset), limit, offset
        )

    def unembedded(self, model: str, limit: int) -> EmbeddingBatch:
        """Return at most `limit` texts that the embedding model was not given yet."""
        return self._repositories.embeddings.waiting(model, limit)

    def nearest(self, model: str, vector: bytes, limit: int, *, session: int | None = None) -> tuple[Neighbour, ...]:
        """Return the texts whose vectors are nearest to a packed vector of the same model, the nearest first.

        With a session, only its texts are compared.
        """
        return self._repositories.embeddings.nearest(model, vector, limit, session)

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of a blob, None if it is not stored."""
        return self._repositories.content.blob(digest)

    def raw(self, session: int) -> Iterator[bytes]:
        """Iterate the session's source file in chunks. Use it up inside the job."""
        return self._repositories.records.raw(session)

    def record(self, entry: int) -> bytes | None:
        """Return the source bytes of one entry, None when it has none."""
        return self.records([entry]).get(entry)

    def records(self, entries: Sequence[int]) -> dict[int, bytes]:
        """As described in `ArchiveReader`."""
        return self._repositories.records.records(entries)

    def checkpoints(self) -> dict[str, Checkpoint]:
        """Return how far each file was read, by path."""
        return self._repositories.imports.all()

    def checkpoint(self, path: str) -> Checkpoint | None:
        """Return how far a file was read, None if it never was."""
        return self._repositories.imports.one(path)

    def files_of_lost_records(self) -> list[str]:
        """Return the files that may still hold records that the archive has lost."""
        return self._repositories.imports.of_lost_records()

    def is_only_file(self, path: str, session: int) -> bool:
        """Return whether no other file than this one was read for the session."""
        return self._repositories.imports.is_only_file(path, session)

    def is_left_out(self, path: str) -> bool:
        """Return whether a file is not followed because its session was deleted."""
        return self._repositories.imports.is_left_out(path)

    def totals(self) -> Mapping[str, int]:
        """Return the number of sessions and of entries, and the bytes of the file."""
        sessions, entries, size = self.connection.execute(
            "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM entries), page_count * page_size"
            " FROM pragma_page_count, pragma_page_size"
        ).fetchone()
        return {"sessions": sessions, "entries": entries, "bytes": size}

    def check(self) -> list[str]:
        """Return the faults of the archive, as sentences; [] for a sound one."""
        return self._repositories.problems()
