"""The repositories of everything but the list of sessions, which the window reads before it loads these."""

from __future__ import annotations

from functools import cached_property

from stemmata.store.chat.drafts import DraftRepository
from stemmata.store.chat.queue import QueueRepository
from stemmata.store.chat.runs import RunRepository
from stemmata.store.core.database import ArchiveConnection
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.records import RecordRepository
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.entries.tree_pieces import TreePieces
from stemmata.store.imports.imports import ImportRepository
from stemmata.store.search.embeddings import EmbeddingRepository
from stemmata.store.search.search import SearchRepository
from stemmata.store.search.signs import SignCache
from stemmata.store.sessions.conversations import ConversationRepository
from stemmata.store.sessions.leaf_moves import LeafMoveRepository
from stemmata.store.sessions.steps import StepRepository
from stemmata.store.upkeep.integrity import problems


class Repositories:
    """The repositories over one connection, each created when it is first used.

    `writer` is the random number of this opening of the archive; `signs` caches the signs of embeddings.
    """

    def __init__(self, connection: ArchiveConnection, writer: int, signs: SignCache) -> None:
        self._both, self._bare = connection, connection.bare
        self._writer_number, self._signs = writer, signs

    @cached_property
    def trees(self) -> TreeLoader:
        """The trees of sessions."""
        return TreeLoader(self._bare)

    @cached_property
    def tree_pieces(self) -> TreePieces:
        """The stored columns of large sessions."""
        return TreePieces(self._bare)

    @cached_property
    def content(self) -> ContentRepository:
        """The rows and bodies of entries."""
        return ContentRepository(self._bare)

    @cached_property
    def search(self) -> SearchRepository:
        """Full-text search."""
        return SearchRepository(self._bare, self.trees)

    @cached_property
    def embeddings(self) -> EmbeddingRepository:
        """The search by meaning."""
        return EmbeddingRepository(self._both.database, self.search, self._signs)

    @cached_property
    def records(self) -> RecordRepository:
        """The records of source files."""
        return RecordRepository(self._both.database)

    @cached_property
    def leaf_moves(self) -> LeafMoveRepository:
        """The moves of leaves."""
        return LeafMoveRepository(self._both.bare, self._writer_number)

    @cached_property
    def steps(self) -> StepRepository:
        """The histories of steps."""
        return StepRepository(self._both.bare, self._writer_number)

    @cached_property
    def drafts(self) -> DraftRepository:
        """The drafts of messages."""
        return DraftRepository(self._both.database)

    @cached_property
    def conversations(self) -> ConversationRepository:
        """The current sessions of conversations."""
        return ConversationRepository(self._both.database)

    @cached_property
    def imports(self) -> ImportRepository:
        """The state of imported files."""
        return ImportRepository(self._both.database)

    @cached_property
    def queue(self) -> QueueRepository:
        """The queues of messages."""
        return QueueRepository(self._both.database)

    @cached_property
    def runs(self) -> RunRepository:
        """The runs and their partial replies."""
        return RunRepository(self._both.database)

    def problems(self) -> list[str]:
        """Return the faults of the archive, as sentences; [] for a sound one."""
        return problems(self._bare)
