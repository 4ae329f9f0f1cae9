"""The writers of a compaction's summary: the digest, the session's model, or that model's own server.

`services/compaction` writes the digest itself, without the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.chat.catalogue import Catalogue, cost_of
from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StopReason
from stemmata.domain.compaction.summary.prompts import focus_instructions
from stemmata.domain.compaction.summary.signed import BLOCK, SignedSummary, cannot_summarise
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import UnknownBlock
from stemmata.domain.entries.entry import Usage, sum_of
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.requests import ModelLookup, RunOptions, RunOverrides, entries_of, level_of
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.model_compaction import ModelCompactions, ModelRef, writer_of
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.compaction.summarising import SummaryError
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.providers import Loop, Provider
from stemmata.services.settings.connecting import Connecting

_NOTHING = Phrase("Nothing was changed. Try again, or use the digest.")


class ProviderCompactions:
    """Compacts with a summary that the model's own server writes and signs.

    Cancelling a future hangs up, and nothing is stored.

    `catalogue` is called each time, because servers report their models while the program runs.
    """

    def __init__(
        self,
        archive: Archive,
        loop: Loop,
        connecting: Connecting,
        compactions: Compactions,
        options: RunOptions,
        catalogue: Callable[[], Catalogue],
    ) -> None:
        self._archive, self._loop, self._connecting = archive, loop, connecting
        self._compactions, self._options, self._catalogue = compactions, options, catalogue

    def refusal(self, asked: ModelRef) -> Future[str]:
        """Return the reason why a model's server cannot summarise; "" when it can.

        May ask the server for its models.
        """
        return self._loop.run(self._refusal(asked))

    def written(self, request: CompactionRequest, asked: ModelRef) -> Future[CompactionRequest]:
        """Return the request with the signed summary. `Compactions.run` stores it after the user has read it.

        Fails with NothingToDoError, SummaryError or ProviderError.
        """
        return self._loop.run(self.write(request, asked))

    async def write(self, request: CompactionRequest, asked: ModelRef) -> CompactionRequest:
        """Return the request with the signed summary, for callers on the io loop."""
        provider, connection = await self._connecting.provider_for(asked.connection)
        reason = await self._reason(connection, asked.model)
        if reason is not None:
            raise SummaryError(reason)
        payload = await asyncio.wrap_future(
            self._archive.read(lambda reader: self._payload(reader, request, connection, asked.model))
        )
        answer = await _request_summary(provider, payload, asked.model)
        signed = SignedSummary(connection.name, asked.model, answer.block)
        if not signed.text:
            raise SummaryError(Phrase("{0} could not write a summary. {1}", asked.model, _NOTHING))
        name = f"{connection.name}/{asked.model}"
        usage = replace(answer.usage, cost=cost_of(answer.usage, self._catalogue().find(name)))
        return replace(request, text=signed.text, maker=name, usage=usage, signed=signed)

    async def _refusal(self, asked: ModelRef) -> str:
        connection = await self._connecting.connection_for(asked.connection)
        return await self._reason(connection, asked.model) or ""

    async def _reason(self, connection: Connection, model: str) -> Phrase | None:
        facts = await self._facts(connection, model)
        if facts is None and cannot_summarise(connection, model, facts) is not None:
            with suppress(KnownError):  # a server that cannot be asked gives no information
                await asyncio.wrap_future(self._connecting.models(connection.name))
            facts = await self._facts(connection, model)
        return cannot_summarise(connection, model, facts)

    async def _facts(self, connection: Connection, model: str) -> OfferedModel | None:
        return await asyncio.wrap_future(
            self._archive.read(lambda _reader: self._options.offered(connection.name, model))
        )

    def _payload(
        self, reader: ArchiveReader, request: CompactionRequest, connection: Connection, model: str
    ) -> dict[str, Any]:
        """Return the body that a run would send for the summarised entries only, so that a prompt cache applies."""
        tree, plan = self._compactions.planned(reader, request)
        projection = context_at(tree, plan.parent)
        replaced = {plan.previous, *plan.summarised, *plan.turn_prefix}
        messages = [message for message in projection.messages if message.entry in replaced]
        session, overrides = reader.session(request.session), RunOverrides(level=level_of(projection))
        options = self._options.of(reader, session, projection, connection.name, model, overrides)
        wanted = focus_instructions(request.focus) if request.focus else ""
        options = replace(options, previous="", summarise=wanted)
        thoughtless = self._options.thoughtless_up_to(request.session, connection.name, model, projection)
        return payload_of(connection.api, entries_of(reader, tree, messages, thoughtless), options, reader.blob)


@dataclass(frozen=True, slots=True)
class _Answer:
    block: str
    usage: Usage


async def _request_summary(provider: Provider, payload: Mapping[str, Any], model: str) -> _Answer:
    """Request a summary from the server, and return its answer, a single summary block."""
    blocks, ended = [], None
    try:
        async with aclosing(provider.stream(payload)) as events:
            async for event in events:
                if isinstance(event, BlockDone) and not event.partial:
                    blocks.append(event.block)
                elif isinstance(event, ReplyEnded):
                    ended = event
    except ProviderError as error:
        if error.fault is not Fault.OVERFLOW:
            raise
        raise SummaryError(
            Phrase(
                "The part to summarise is too long for {0}. Nothing was changed. Move the cut up, or use the digest.",
                model,
            )
        ) from None
    found = [block for block in blocks if isinstance(block, UnknownBlock) and block.type == BLOCK]
    if ended is None or ended.reason is not StopReason.COMPACTION or len(found) != 1 or len(blocks) != 1:
        raise SummaryError(Phrase("{0} answered with no summary. {1}", model, _NOTHING))
    spent = [usage for usage in (ended.usage, ended.summarising) if usage is not None]
    return _Answer(found[0].json, sum_of(spent) if spent else Usage())


@dataclass(frozen=True, slots=True)
class SummaryWriters:
    """The writers that use the network."""

    loop: Loop
    models: ModelLookup
    by_model: ModelCompactions
    by_provider: ProviderCompactions


class SummaryWriting:
    """Chooses the writer of a summary. Its methods wait for a model: call them on a thread of their own.

    `writers` is called only when a summary needs the network.
    """

    def __init__(self, archive: Archive, contexts: Contexts, writers: Callable[[], SummaryWriters]) -> None:
        self._archive, self._contexts, self._writers = archive, contexts, writers

    def written(
        self, request: CompactionRequest, summariser: str = "", model: ModelRef | None = None
    ) -> CompactionRequest:
        """Return the request with its summary, unless the digest writes it later.

        `summariser` is "model", "provider" or "digest"; "" for the setting. A `model` writes in any case but for the
        digest.
        """
        way = summariser or ("model" if model else self._contexts.settings.summariser)
        if way == "model":
            return self.by_model(request, model)
        return self.by_provider(request) if way == "provider" else request

    def by_model(self, request: CompactionRequest, model: ModelRef | None = None) -> CompactionRequest:
        """Return the request with the text of this model, by default of the model chosen for summaries.

        Raises ProviderError, SummaryError, and NothingToDoError before the model is asked.
        """
        writers = self._writers()
        return writers.loop.run(writers.by_model.write(request, model or self.model(request))).result()

    def by_provider(self, request: CompactionRequest) -> CompactionRequest:
        """Return the request with the summary that the model's own server writes and signs. Raises as `by_model`.

        That is the session's model: another connection could not use the signed summary.
        """
        return self._writers().by_provider.written(request, self._session_model(request)).result()

    def model(self, request: CompactionRequest) -> ModelRef:
        """Return the model that session or settings choose for summaries, else the session's model at the compaction.

        Raises ProviderError when the session's model is needed and none is connected.
        """
        chosen = self._archive.read(
            lambda reader: self._contexts.summary_model(reader.session(request.session))
        ).result()
        own = ModelRef("", "") if chosen.partition("/")[0] else self._session_model(request)
        return writer_of(chosen, own)

    def _session_model(self, request: CompactionRequest) -> ModelRef:
        found = self._writers().models.at(request.session, request.leaf)
        return ModelRef(found.connection, found.model)
