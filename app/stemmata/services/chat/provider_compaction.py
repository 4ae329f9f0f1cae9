"""Compaction whose summary the model's own server writes and signs, where it can."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.catalogue import cost_of
from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.streaming import BlockDone, Ended, Fault, ProviderError, StopReason
from stemmata.domain.compaction.summary.prompts import focused
from stemmata.domain.compaction.summary.signed import BLOCK, SignedSummary, cannot_summarise
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Opaque
from stemmata.domain.entries.entry import Usage, sum_of
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.payloads import payload_of
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.next_request import entries_of
from stemmata.services.chat.options import Wish, level_of
from stemmata.services.compaction.compaction import CompactionRequest, Compactions
from stemmata.services.compaction.model_compaction import Writer
from stemmata.services.compaction.summarising import SummaryError
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.providers import Provider

if TYPE_CHECKING:
    from stemmata.services.services import Services

_NOTHING = Phrase("Nothing was changed. Try again, or use the digest.")


class ProviderCompactions:
    """Cancelling a future hangs up; nothing is stored then."""

    def __init__(self, archive: Archive, compactions: Compactions, services: Services) -> None:
        self._archive, self._compactions, self._services = archive, compactions, services

    def refusal(self, writer: Writer) -> Future[str]:
        """Why this model cannot, in words; "" when it can. A server that was never asked for its models is asked."""
        return self._services.world.loop.run(self._refusal(writer))

    def written(self, request: CompactionRequest, writer: Writer) -> Future[CompactionRequest]:
        """The request with the signed summary: `Compactions.run` stores it once somebody has read it.

        Fails with NothingToDoError, SummaryError or ProviderError.
        """
        return self._services.world.loop.run(self.write(request, writer))

    async def write(self, request: CompactionRequest, writer: Writer) -> CompactionRequest:
        """The same for who is on the loop already."""
        provider, connection = await self._services.connecting.provider_for(writer.connection)
        reason = await self._reason(connection, writer.model)
        if reason is not None:
            raise SummaryError(reason)
        payload = await asyncio.wrap_future(
            self._archive.read(lambda reader: self._payload(reader, request, connection, writer.model))
        )
        answer = await _asked(provider, payload, writer.model)
        signed = SignedSummary(connection.name, writer.model, answer.block)
        if not signed.text:
            raise SummaryError(Phrase("{0} could make no summary of this. {1}", writer.model, _NOTHING))
        name = f"{connection.name}/{writer.model}"
        usage = replace(answer.usage, cost=cost_of(answer.usage, self._services.catalogue.find(name)))
        return replace(request, text=signed.text, maker=name, usage=usage, signed=signed)

    async def _refusal(self, writer: Writer) -> str:
        connection = await self._services.connecting.connection_for(writer.connection)
        return await self._reason(connection, writer.model) or ""

    async def _reason(self, connection: Connection, model: str) -> Phrase | None:
        facts = await self._facts(connection, model)
        if facts is None and cannot_summarise(connection, model, facts) is not None:
            with suppress(KnownError):  # whoever cannot be asked says nothing
                await asyncio.wrap_future(self._services.connecting.models(connection.name))
            facts = await self._facts(connection, model)
        return cannot_summarise(connection, model, facts)

    async def _facts(self, connection: Connection, model: str) -> OfferedModel | None:
        return await asyncio.wrap_future(
            self._archive.read(lambda _reader: self._services.world.offered(connection.name, model))
        )

    def _payload(
        self, reader: ArchiveReader, request: CompactionRequest, connection: Connection, model: str
    ) -> dict[str, Any]:
        """What a run would send of it, and nothing that is kept word for word: so a prompt cache is of use."""
        tree, plan = self._compactions.planned(reader, request)
        projection = context_at(tree, plan.parent)
        replaced = {plan.previous, *plan.summarised, *plan.turn_prefix}
        messages = [message for message in projection.messages if message.entry in replaced]
        session, wish = reader.session(request.session), Wish(level=level_of(projection))
        options = self._services.run_options.of(reader, session, projection, connection.name, model, wish)
        wanted = focused(request.focus) if request.focus else ""
        options = replace(options, previous="", summarise=wanted)
        return payload_of(connection.api, entries_of(reader, tree, messages), options, reader.blob)


@dataclass(frozen=True, slots=True)
class _Answer:
    block: str
    usage: Usage


async def _asked(provider: Provider, payload: Mapping[str, Any], model: str) -> _Answer:
    """The block that the server answers with; it is all of its answer."""
    blocks, ended = [], None
    try:
        async with aclosing(provider.stream(payload)) as events:
            async for event in events:
                if isinstance(event, BlockDone) and not event.partial:
                    blocks.append(event.block)
                elif isinstance(event, Ended):
                    ended = event
    except ProviderError as error:
        if error.fault is not Fault.OVERFLOW:
            raise
        raise SummaryError(
            Phrase(
                "What is to be summarised is too long for {0} itself. Nothing was changed. "
                "Move the cut up, or use the digest.",
                model,
            )
        ) from None
    found = [block for block in blocks if isinstance(block, Opaque) and block.type == BLOCK]
    if ended is None or ended.reason is not StopReason.COMPACTION or len(found) != 1 or len(blocks) != 1:
        raise SummaryError(Phrase("{0} answered with no summary. {1}", model, _NOTHING))
    spent = [usage for usage in (ended.usage, ended.summarising) if usage is not None]
    return _Answer(found[0].json, sum_of(spent) if spent else Usage())
