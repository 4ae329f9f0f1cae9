"""Compactions whose summary a model writes, on the io loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

from stemmata.domain.chat.catalogue import Catalogue, cost_of
from stemmata.domain.entries.entry import Usage
from stemmata.services.compaction.compaction import Compaction, CompactionRequest, Compactions
from stemmata.services.compaction.summarising import ModelSummariser
from stemmata.services.ports.providers import Loop, ProviderSource


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The connection and model that write, by the names that entries use."""

    connection: str
    model: str


class ModelCompactions:
    """Compacts with a model's summary. Cancelling a future stops the writing, and nothing is stored.

    `catalogue` is called each time, because servers report their models while the program runs.
    """

    def __init__(
        self, compactions: Compactions, connected: ProviderSource, catalogue: Callable[[], Catalogue], loop: Loop
    ) -> None:
        self._compactions, self._connected = compactions, connected
        self._catalogue, self._loop = catalogue, loop

    def draft(self, request: CompactionRequest, writer: ModelRef) -> Future[Compaction]:
        """Return the compaction as `run` would store it.

        Fails as `Compactions.draft`, or with SummaryError, ProviderError.
        """
        return self._loop.run(self._drafted(request, writer))

    def written(self, request: CompactionRequest, writer: ModelRef) -> Future[CompactionRequest]:
        """Return the request with the model's summary. `Compactions.run` stores it after the user has read it."""
        return self._loop.run(self.write(request, writer))

    def run(self, request: CompactionRequest, writer: ModelRef, initiator: object = None) -> Future[Compaction]:
        """Compact. Fails with ConflictError when the session's leaf moved while the model wrote."""
        return self._loop.run(self.compact(request, writer, initiator))

    async def compact(self, request: CompactionRequest, writer: ModelRef, initiator: object = None) -> Compaction:
        """Compact as `run` does, for callers on the io loop."""
        written = await self.write(request, writer)
        return await asyncio.wrap_future(self._compactions.run(written, initiator))

    async def write(
        self, request: CompactionRequest, writer: ModelRef, spent: Callable[[Usage], object] = lambda _usage: None
    ) -> CompactionRequest:
        """Return the request with the model's summary and its cost. Runs on the io loop.

        `spent` gets the usage of each answer with its cost, so that the cost of a failure is known, too.
        """
        given = await asyncio.wrap_future(self._compactions.material(request))
        name = f"{writer.connection}/{writer.model}"
        catalogue = self._catalogue()
        sizes = catalogue.window(name), catalogue.most_output(name)

        def priced(usage: Usage) -> Usage:
            return replace(usage, cost=cost_of(usage, catalogue.find(name)))

        summariser = ModelSummariser(
            self._connected, writer.connection, writer.model, *sizes, lambda usage: spent(priced(usage))
        )
        written = await summariser.summarise(given)
        usage = priced(written.usage)
        return replace(request, text=written.summary.text, maker=written.summary.summariser, usage=usage)

    async def _drafted(self, request: CompactionRequest, writer: ModelRef) -> Compaction:
        written = await self.write(request, writer)
        return await asyncio.wrap_future(self._compactions.draft(written))
