"""Summaries written by a model. What is stored is complete: never an empty one, never one that was cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from stemmata.domain.blocks import Text, plain_text
from stemmata.domain.connections import Connection
from stemmata.domain.context import Form
from stemmata.domain.digest import digest
from stemmata.domain.entries import Entry, Role, Usage
from stemmata.domain.errors import KnownError
from stemmata.domain.operations import operations_of
from stemmata.domain.payloads import payload_of
from stemmata.domain.phrases import Phrase
from stemmata.domain.requests import RequestOptions
from stemmata.domain.serialise import serialise
from stemmata.domain.streaming import BlockDone, Ended, StopReason
from stemmata.domain.summary import Summary, SummaryInput
from stemmata.domain.summary_prompts import SYSTEM, repair_text, request_text, with_computed
from stemmata.domain.summary_sections import problems
from stemmata.domain.tokens import to_tokens, units
from stemmata.services.provider_ports import Provider

MOST_OUTPUT = 13_107  # tokens a summary may have (pi: 0.8 × 16,384)
SHARE = 0.6  # of the window that material may fill: an estimate may be a third too low
ASSUMED_WINDOW = 128_000  # tokens, where the model's window is not known (pi)


class SummaryError(KnownError):
    """The model wrote no usable summary. Nothing was stored; the digest is always there."""


class Connected(Protocol):
    """How a connection is opened; on the io loop."""

    async def provider_for(self, name: str) -> tuple[Provider, Connection]: ...


@dataclass(frozen=True, slots=True)
class Written:
    """A summary with what it cost to write."""

    summary: Summary
    usage: Usage


class ModelSummariser:
    """Writes with one model of one connection. `window` in tokens, None when unknown."""

    def __init__(self, connected: Connected, connection: str, model: str, window: int | None = None) -> None:
        self._connected = connected
        self._connection, self._model = connection, model
        self._room = round((window or ASSUMED_WINDOW) * SHARE) - MOST_OUTPUT // 2
        self.name = f"{connection}/{model}"

    async def summarise(self, given: SummaryInput) -> Written:
        """On the io loop. Raises SummaryError, and ProviderError for what happens on the way there."""
        provider, connection = await self._connected.provider_for(self._connection)
        writing = _Writing(provider, connection.api, self._model)
        text = given.previous
        for part in self._parts(given, to_tokens(units(given.previous))):
            text = await writing.write(request_text(part, text, given))
        if not text:
            raise SummaryError("There are no words to summarise. Nothing was changed.")
        counted = await asyncio.to_thread(digest, given)
        entries = (*given.entries, *given.turn_prefix)
        operations = operations_of(entries, given.previous_operations)
        return Written(Summary(with_computed(text, counted.text), operations, self.name), writing.usage)

    def _parts(self, given: SummaryInput, previous: int) -> Iterator[str]:
        """The conversation in parts that fit the window, each cut between two entries where that can be."""
        room = max(self._room - max(previous, MOST_OUTPUT), 2_000)
        part: list[str] = []
        size = 0
        for entry in (*given.entries, *given.turn_prefix):
            for text in _pieces(serialise([entry]), room):
                tokens = to_tokens(units(text))
                if part and size + tokens > room:
                    yield "\n\n".join(part)
                    part, size = [], 0
                part.append(text)
                size += tokens
        if part:
            yield "\n\n".join(part)


class _Writing:
    """The calls for one summary, and what they cost together."""

    def __init__(self, provider: Provider, api: str, model: str) -> None:
        self._provider, self._api, self._model = provider, api, model
        self.usage = Usage()

    async def write(self, request: str) -> str:
        """The summary the model writes for this request; it may mend it once."""
        told = [_said(Role.USER, request)]
        text = await self._ask(told)
        found = problems(text)
        if found:
            told += [_said(Role.ASSISTANT, text or "(nothing)"), _said(Role.USER, repair_text(found))]
            text = await self._ask(told)
            found = problems(text)
        if found:
            raise SummaryError(
                Phrase(
                    "{0} wrote no usable summary: {1} Nothing was changed. "
                    "Try again, choose another model, or use the digest.",
                    self._model,
                    found[0],
                )
            )
        return text

    async def _ask(self, told: Sequence[Entry]) -> str:
        options = RequestOptions(model=self._model, system=SYSTEM, max_tokens=MOST_OUTPUT)
        payload = payload_of(self._api, [(entry, Form.WHOLE) for entry in told], options, lambda _digest: None)
        blocks = []
        async for event in self._provider.stream(payload):
            if isinstance(event, BlockDone):
                blocks.append(event.block)
            elif isinstance(event, Ended):
                self._count(event.usage)
                if event.reason is StopReason.MAX_TOKENS:
                    raise SummaryError(
                        Phrase(
                            "The summary of {0} was cut off at {1} tokens. Nothing was changed. "
                            "Try again with a focus, choose another model, or use the digest.",
                            self._model,
                            MOST_OUTPUT,
                        )
                    )
        return plain_text(blocks).strip()

    def _count(self, usage: Usage | None) -> None:
        if usage is not None:
            mine = self.usage
            self.usage = Usage(
                input=mine.input + usage.input,
                output=mine.output + usage.output,
                cache_read=mine.cache_read + usage.cache_read,
                cache_write=mine.cache_write + usage.cache_write,
            )


def _said(role: Role, text: str) -> Entry:
    return Entry(id="", role=role, blocks=(Text(text),))


def _pieces(text: str, room: int) -> Iterator[str]:
    """A text in pieces of at most this many tokens."""
    most = room * 3  # characters: fewer than four a token, for texts in other scripts
    for start in range(0, len(text), most):
        yield text[start : start + most]
