"""Compactions whose summary a model writes, on the io loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from stemmata.domain.chat.catalogue import Catalogue, cost_of
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import ProviderError
from stemmata.domain.entries.entry import Usage
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.compaction.summarising import ModelSummariser, SummaryError
from stemmata.services.ports.providers import Loop, ProviderSource


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The connection and model that write, by the names that entries use; model "" for the connection's own."""

    connection: str
    model: str


def writer_of(chosen: str, own: ModelRef) -> ModelRef:
    """Return the writer for a `connection/model` whose parts may be empty. `own` is the session's model."""
    connection, _, model = chosen.partition("/")
    return ModelRef(connection, model) if connection else ModelRef(own.connection, model or own.model)


DEFAULT = "default"  # returns to the model that the settings choose for summaries


def checked_summariser(name: str, connections: Sequence[Connection]) -> str:
    """Return the `connection/model` to store for a typed name, "" for "default".

    A name that begins with no connection is a model of the session's connection, unless it is a connection alone.
    """
    if name == DEFAULT:
        return ""
    if not connections:
        raise KnownError("No model is connected. Nothing was changed. Choose “Connect a model…” in the window.")
    first, _, model = name.partition("/")
    return f"{first}/{model}" if any(known.name == first for known in connections) else f"/{name}"


def summaries_by(chosen: str) -> Phrase:
    """Return which model writes summaries. `chosen` is a `connection/model` whose parts may be empty."""
    connection, _, model = chosen.partition("/")
    if connection:
        return Phrase("Summaries by a model: {0}", f"{connection}/{model}" if model else connection)
    return Phrase("Summaries by a model: {0}", model or Phrase("the model of the session"))


class ModelCompactions:
    """Compacts with a model's summary. Cancelling a future stops the writing, and nothing is stored.

    `catalogue` is called each time, because servers report their models while the program runs. `retry_wait` is
    that of `ModelSummariser`.
    """

    def __init__(
        self,
        compactions: Compactions,
        connected: ProviderSource,
        catalogue: Callable[[], Catalogue],
        loop: Loop,
        retry_wait: Callable[[int, ProviderError], float | None] = lambda _attempt, _error: None,
    ) -> None:
        self._compactions, self._connected = compactions, connected
        self._catalogue, self._loop, self._retry_wait = catalogue, loop, retry_wait

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
        if not writer.model:
            writer = await self._with_model(writer)
        name = f"{writer.connection}/{writer.model}"
        catalogue = self._catalogue()
        sizes = catalogue.window(name), catalogue.most_output(name)

        def priced(usage: Usage) -> Usage:
            return replace(usage, cost=cost_of(usage, catalogue.find(name)))

        summariser = ModelSummariser(
            self._connected,
            writer.connection,
            writer.model,
            *sizes,
            spent=lambda usage: spent(priced(usage)),
            retry_wait=self._retry_wait,
        )
        written = await summariser.summarise(given)
        usage = priced(written.usage)
        return replace(request, text=written.summary.text, maker=written.summary.summariser, usage=usage)

    async def _with_model(self, writer: ModelRef) -> ModelRef:
        """Return the writer with the connection's own model. Raises SummaryError when it has none."""
        _, connection = await self._connected.provider_for(writer.connection)
        if not connection.model:
            raise SummaryError(
                Phrase(
                    "“{0}” has no model for summaries. Choose one in the settings, under Compaction "
                    "(compaction.model).",
                    connection.name,
                )
            )
        return ModelRef(connection.name, connection.model)

    async def _drafted(self, request: CompactionRequest, writer: ModelRef) -> Compaction:
        written = await self.write(request, writer)
        return await asyncio.wrap_future(self._compactions.draft(written))
