"""The repositories of everything but the list of sessions, which the window reads before it loads these."""

from __future__ import annotations

from stemmata.store.chat.drafts import DraftRepository
from stemmata.store.chat.queue import QueueRepository
from stemmata.store.chat.runs import RunRepository
from stemmata.store.core.database import ArchiveConnection
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.records import RecordRepository
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.imports.imports import ImportRepository
from stemmata.store.search.embeddings import EmbeddingRepository
from stemmata.store.search.search import SearchRepository
from stemmata.store.search.signs import SignCache
from stemmata.store.sessions.leaf_moves import LeafMoveRepository
from stemmata.store.upkeep.integrity import problems


class Repositories:
    """The repositories over one connection. `writer` is the random number of this opening of the archive;
    `signs` caches the signs of embeddings.
    """

    def __init__(self, connection: ArchiveConnection, writer: int, signs: SignCache) -> None:
        self._bare, database = connection.bare, connection.database
        self.trees = TreeLoader(self._bare)
        self.content = ContentRepository(self._bare)
        self.search = SearchRepository(self._bare, self.trees)
        self.drafts = DraftRepository(database)
        self.embeddings = EmbeddingRepository(database, self.search, signs)
        self.imports = ImportRepository(database)
        self.leaf_moves = LeafMoveRepository(database, writer)
        self.queue = QueueRepository(database)
        self.records = RecordRepository(database)
        self.runs = RunRepository(database)

    def problems(self) -> list[str]:
        """Return what is wrong with the archive, as sentences; [] for a sound one."""
        return problems(self._bare)
