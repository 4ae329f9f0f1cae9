"""Search by meaning: prompts, summaries and titles are embedded, and found when they resemble the query."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial

from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.errors import CancelledError, KnownError
from stemmata.domain.search.embedding import LONGEST_TEXT, EmbeddingBatch, fused, packed
from stemmata.domain.search.hits import SearchPage
from stemmata.domain.search.query import Query
from stemmata.domain.search.results import Results, first_shown, grouped, role_counts
from stemmata.domain.settings.settings import SearchSettings
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import then
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter
from stemmata.services.ports.embedding import Embedder
from stemmata.services.ports.providers import Loop, ProviderSource

RANKED = 100  # hits of the full text, and neighbours, that are ranked together
# Texts with a smaller cosine similarity to the query are not hits. Unrelated texts reach about 0.2 with the local
# model (tried on prompts of real sessions). With models of servers they reach more, and only their rank can be used.
LEAST_SCORE = 0.22
SECONDS = 0.03  # time limit of the search for words, whose hits are joined with those by meaning
SHOWN = 24  # hits that are read with the first hits
AT_ONCE = 64  # texts of one request to a server; many servers refuse more

OFF = Phrase("Search by meaning is off. Choose a model for it in the settings.")
BAD_ANSWER = Phrase("The server sent no usable vectors. The model may not be one for embeddings.")


class Meaning:
    """Embeds the archive's new texts, and ranks the texts nearest to a query together with the full-text hits.

    `settings` and `local` are called for each question: `local` returns the embedding model on this machine, or
    raises KnownError when it is not installed.
    """

    def __init__(
        self,
        archive: Archive,
        loop: Loop,
        connections: ProviderSource,
        settings: Callable[[], SearchSettings],
        local: Callable[[], Embedder],
    ) -> None:
        self._archive, self._loop, self._connections = archive, loop, connections
        self._settings, self._local = settings, local
        self._updating = asyncio.Lock()

    def update(self, progress: Callable[[int], None] = lambda _count: None) -> Future[int]:
        """Embed everything that has no vector yet, in batches, and return the number of texts.

        `progress` is called on the io loop with the number so far. Cancelling the future keeps the batches that were
        stored. Two updates run one after the other. Fails with KnownError.
        """
        return self._loop.run(self._update(progress))

    def search(
        self,
        query: str,
        *,
        session: int | None = None,
        limit: int = 50,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Future[SearchPage]:
        """Return the hits of the words and the nearest texts, ranked together; the best come first.

        Fails with KnownError when no model is chosen or the model fails, and with CancelledError soon after `stopped`
        returns true.
        """
        return then(self.search_places(query, [(session, limit)], stopped=stopped), lambda pages: pages[0])

    def search_places(
        self,
        query: str,
        places: Sequence[tuple[int | None, int]],
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Future[tuple[SearchPage, ...]]:
        """Return a page for each place, as `search` does; the query is embedded once.

        A place is a session, None for all sessions, and the most hits of its page.
        """
        return self._loop.run(self._search(query, places, stopped))

    def find(self, query: Query, *, stopped: Callable[[], bool] = lambda: False) -> Future[Results]:
        """Return the nearest texts and the best hits of the words, ranked together, as far as the filters let them.

        A filter by file leaves out the texts that do not have the words. With a scope all hits are `unsorted`.
        Fails as `search` does.
        """
        return self._loop.run(self._find(query, stopped))

    def _embedder(self) -> Embedder:
        search = self._settings()
        if not search.finds_meaning:
            raise KnownError(OFF)
        if search.meaning == "local":
            return self._local()
        return ServerEmbedder(self._connections, search.embedding_connection, search.embedding_model)

    async def _update(self, progress: Callable[[int], None]) -> int:
        done = 0
        async with self._updating:
            embedder = self._embedder()
            while True:
                read = self._archive.read(lambda reader: reader.unembedded(embedder.model, embedder.batch))
                batch = await asyncio.wrap_future(read)
                if not batch.texts and not batch.more:
                    return done
                vectors = await embedder.embed([text.text for text in batch.texts]) if batch.texts else ()
                store = partial(_store, model=embedder.model, batch=batch, vectors=vectors)
                await asyncio.wrap_future(self._archive.write(store))
                done += len(batch.texts)
                progress(done)

    async def _search(
        self, query: str, places: Sequence[tuple[int | None, int]], stopped: Callable[[], bool]
    ) -> tuple[SearchPage, ...]:
        if not query.strip():
            return tuple(SearchPage(0, ()) for _place in places)
        embedder = self._embedder()
        (vector,) = await embedder.embed([query[:LONGEST_TEXT]])
        if stopped():
            raise CancelledError("The search was stopped.")

        def page(reader: ArchiveReader, session: int | None, limit: int) -> SearchPage:
            hits = reader.unread_hits(query, session=session, limit=RANKED, stopped=stopped)
            words = [hit.entry for hit in hits.found]
            neighbours = reader.nearest(embedder.model, vector, RANKED, session=session)
            near = [found.entry for found in neighbours if found.score >= LEAST_SCORE]
            keys = fused((near, words[:RANKED]))[:limit]
            return SearchPage(len({*near, *words}), reader.hits(query, keys), hits.more)

        pages = self._archive.read(lambda reader: tuple(page(reader, *place) for place in places))
        return await asyncio.wrap_future(pages)

    async def _find(self, query: Query, stopped: Callable[[], bool]) -> Results:
        embedder = self._embedder()
        (vector,) = await embedder.embed([query.words[:LONGEST_TEXT]])

        def job(reader: ArchiveReader) -> Results:
            if stopped():
                raise CancelledError("The search was stopped.")
            found = reader.find(query, by_rank=True, seconds=SECONDS, stopped=stopped).found[:RANKED]
            neighbours = () if query.filters.files else reader.nearest(embedder.model, vector, RANKED)
            near = reader.fitting(query.filters, [each.entry for each in neighbours if each.score >= LEAST_SCORE])
            known = {hit.entry: hit for hit in (*near, *found)}
            keys = fused(([hit.entry for hit in near], [hit.entry for hit in found]))
            hits = tuple(known[key] for key in keys)
            read = {hit.entry: hit for hit in reader.hits(query.words, first_shown(grouped(hits), SHOWN), long=True)}
            counts = role_counts(hits)
            if query.filters.scope != "all":
                return Results((), read, counts, by_rank=True, unsorted=hits)
            return Results(hits, read, counts, by_rank=True)

        return await asyncio.wrap_future(self._archive.read(job))


def _store(writer: ArchiveWriter, *, model: str, batch: EmbeddingBatch, vectors: Sequence[bytes]) -> None:
    writer.add_embeddings(model, batch, vectors)


class ServerEmbedder:
    """Implements `services.ports.embedding.Embedder` with the `/embeddings` endpoint of a connection's server."""

    def __init__(self, connections: ProviderSource, connection: str, model: str) -> None:
        self._connections, self._connection, self._name = connections, connection, model
        self.model, self.batch = f"{connection}/{model}", AT_ONCE
        self._length: int | None = None  # length of the first vector; all vectors must have the same

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return packed vectors. Raises ProviderError, also when the answer has other vectors than asked for."""
        provider, connection = await self._connections.provider_for(self._connection)
        vectors = await provider.embed(self._name or connection.model, texts)
        if self._length is None and vectors:
            self._length = len(vectors[0])
        if len(vectors) != len(texts) or {len(vector) for vector in vectors} != {self._length} or not self._length:
            raise ProviderError(BAD_ANSWER, Fault.GARBAGE)
        return [packed(vector) for vector in vectors]
