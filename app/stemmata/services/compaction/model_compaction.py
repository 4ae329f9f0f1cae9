"""Compaction whose summary a model writes: the writing takes a while and happens on the io loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

from stemmata.domain.chat.catalogue import Catalogue, cost_of
from stemmata.services.compaction.compaction import Compaction, CompactionRequest, Compactions
from stemmata.services.compaction.summarising import ModelSummariser
from stemmata.services.ports.providers import Loop, ProviderSource


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The model that writes, as entries name it."""

    connection: str
    model: str


class ModelCompactions:
    """As `Compactions`, with the summary of a model. Cancelling a future ends the writing; nothing is stored then.

    `catalogue` is asked anew each time: servers tell of their models while the program runs.
    """

    def __init__(
        self, compactions: Compactions, connected: ProviderSource, catalogue: Callable[[], Catalogue], loop: Loop
    ) -> None:
        self._compactions, self._connected = compactions, connected
        self._catalogue, self._loop = catalogue, loop

    def draft(self, request: CompactionRequest, writer: ModelRef) -> Future[Compaction]:
        """What `run` would store. Fails with SummaryError or ProviderError beside what `Compactions` tells."""
        return self._loop.run(self._drafted(request, writer))

    def written(self, request: CompactionRequest, writer: ModelRef) -> Future[CompactionRequest]:
        """The request with the text the model wrote: `Compactions.run` stores it once somebody has read it."""
        return self._loop.run(self.write(request, writer))

    def run(self, request: CompactionRequest, writer: ModelRef, initiator: object = None) -> Future[Compaction]:
        """Compact. A session that has moved on while the model wrote is not compacted: ConflictError."""
        return self._loop.run(self.compact(request, writer, initiator))

    async def compact(self, request: CompactionRequest, writer: ModelRef, initiator: object = None) -> Compaction:
        """The same for who is on the loop already."""
        written = await self.write(request, writer)
        return await asyncio.wrap_future(self._compactions.run(written, initiator))

    async def write(self, request: CompactionRequest, writer: ModelRef) -> CompactionRequest:
        """The request with the text the model wrote, and what it cost."""
        given = await asyncio.wrap_future(self._compactions.material(request))
        name = f"{writer.connection}/{writer.model}"
        catalogue = self._catalogue()
        sizes = catalogue.window(name), catalogue.most_output(name)
        written = await ModelSummariser(self._connected, writer.connection, writer.model, *sizes).summarise(given)
        usage = replace(written.usage, cost=cost_of(written.usage, catalogue.find(name)))
        return replace(request, text=written.summary.text, maker=written.summary.summariser, usage=usage)

    async def _drafted(self, request: CompactionRequest, writer: ModelRef) -> Compaction:
        written = await self.write(request, writer)
        return await asyncio.wrap_future(self._compactions.draft(written))
