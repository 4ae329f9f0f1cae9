"""Summaries written by a model.

A refusal and an answer that is empty, truncated, too long or without its sections are never stored. The model may
correct such an answer once. A request that is refused because the server is busy has no cost, and is repeated.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StopReason
from stemmata.domain.compaction.digest.digest import digest
from stemmata.domain.compaction.operations import operations_of
from stemmata.domain.compaction.summary.prompts import SYSTEM, repair_text, request_text, with_computed
from stemmata.domain.compaction.summary.sections import structure_problems
from stemmata.domain.compaction.summary.summary import (
    LONGEST_RESULT,
    Summary,
    SummaryInput,
    longest_result_within,
    serialise,
)
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Entry, Role, Usage, sum_of
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, to_tokens, units
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.requests.request import RequestOptions
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.providers import Provider, ProviderSource

MOST_OUTPUT = 13_107  # largest summary in tokens (pi: 0.8 × 16,384)
SHARE = 0.6  # share of the window that the input may fill, since an estimate may be a third too low
ASSUMED_WINDOW = 128_000  # tokens, for a model of unknown window (pi)
UNITS_OF_ONE = 3  # characters per token of one long text; fewer than four, for other scripts
SPARE = 80  # UTF-16 code units of an entry besides its text: its speaker, the note of a cut, rounding
BUSY = frozenset({Fault.RATE_LIMIT, Fault.OVERLOADED})
MOST_RETRIES = 2  # retries of one request that a busy server refuses
LEAST_ROOM = 500  # tokens of input below which a refused part is not divided further


class SummaryError(KnownError):
    """The model wrote no usable summary. Nothing was stored; the digest is always available."""


class CompactionFailedError(KnownError):
    """A model was asked for a summary, and nothing was stored.

    `cause` is the error, `usage` has the tokens of the answers.
    """

    def __init__(self, cause: KnownError, usage: Usage) -> None:
        super().__init__(str(cause))
        self.cause, self.usage = cause, usage


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """A summary and the cost of writing it."""

    summary: Summary
    usage: Usage


class ModelSummariser:
    """Writes summaries with one model. `window` and `most_output` are in tokens, None when unknown.

    `spent` gets the usage of each answer, also of one that is not used. `retry_wait` returns the seconds before a
    try is repeated, given the number of failed tries and the last error; None to give up.
    """

    def __init__(
        self,
        connected: ProviderSource,
        connection: str,
        model: str,
        window: int | None = None,
        most_output: int | None = None,
        spent: Callable[[Usage], object] = lambda _usage: None,
        retry_wait: Callable[[int, ProviderError], float | None] = lambda _attempt, _error: None,
    ) -> None:
        self._connected, self._spent, self._retry_wait = connected, spent, retry_wait
        self._connection, self._model = connection, model
        self._most = min(MOST_OUTPUT, most_output or MOST_OUTPUT, (window or ASSUMED_WINDOW) // 4)
        self._room = round((window or ASSUMED_WINDOW) * SHARE) - self._most // 2
        self.name = f"{connection}/{model}"

    async def summarise(self, given: SummaryInput) -> WrittenSummary:
        """Write the summary, on the io loop. Raises SummaryError, ProviderError."""
        provider, connection = await self._connected.provider_for(self._connection)
        writing = _SummaryRequests(provider, connection.api, self._model, self._most, self._spent, self._retry_wait)
        text = await self._merged(writing, given)
        if not text:
            raise SummaryError("Nothing to summarise: the entries contain no text. Nothing was changed.")
        counted = await asyncio.to_thread(digest, given)
        entries = (*given.entries, *given.turn_prefix)
        operations = operations_of(entries, given.previous_operations)
        return WrittenSummary(Summary(with_computed(text, counted.text), operations, self.name), writing.usage)

    async def _merged(self, writing: _SummaryRequests, given: SummaryInput) -> str:
        """Summarise the parts in turn, each merged into the summary of the parts before it.

        A part that the model refuses as too long is divided and sent again, because our count is an estimate.
        """
        text, replaced = given.previous, to_tokens(units(given.previous))
        room = max(self._room - max(replaced, self._most), 4 * LEAST_ROOM)  # tokens for the material of one request
        waiting = deque(_texts((*given.entries, *given.turn_prefix), room, given.is_whole))
        while part := _take_batch(waiting, room):
            material = "\n\n".join(part)
            size = to_tokens(units(material))
            try:
                text = await writing.write(request_text(material, text, given), replaced + size)
            except ProviderError as error:
                if error.fault is not Fault.OVERFLOW or min(room, size) <= LEAST_ROOM:
                    raise
                room = max(min(room, size) // 2, LEAST_ROOM)
                waiting.extendleft(reversed(part))
            else:
                replaced += size
        return text


def _texts(entries: Sequence[Entry], room: int, is_whole: Callable[[Entry], bool]) -> Iterator[str]:
    """Yield the text of each entry, with tool results as long as all texts fit into `room` tokens.

    So whole results need no further request. A single text is never longer than the part that `_take_batch` takes at
    once, except the results that stay whole (`is_whole`), which may need further requests.
    """
    found = [(entry, text) for entry in entries if (text := serialise([entry], None))]
    sizes: tuple[list[int], list[int]] = [], []
    for entry, text in found:
        sizes[entry.role is Role.TOOL_RESULT and not is_whole(entry)].append(units(text) + SPARE)
    longest = longest_result_within(room * UNITS_PER_TOKEN, sum(sizes[0]), sizes[1])
    limit = room * UNITS_OF_ONE - SPARE
    longest = max(limit, LONGEST_RESULT) if longest is None else min(longest, max(limit, LONGEST_RESULT))
    for entry, text in found:
        is_cut = entry.role is Role.TOOL_RESULT and not is_whole(entry)
        yield serialise([entry], longest) if is_cut else text


def _take_batch(waiting: deque[str], room: int) -> list[str]:
    """Remove and return texts from the left that have at most `room` tokens together; a longer text is divided."""
    most = room * UNITS_OF_ONE
    part: list[str] = []
    size = 0
    while waiting:
        text = waiting.popleft()
        if len(text) > most:
            waiting.appendleft(text[most:])
            text = text[:most]
        tokens = to_tokens(units(text))
        if part and size + tokens > room:
            waiting.appendleft(text)
            break
        part.append(text)
        size += tokens
    return part


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    reason: StopReason | None  # None when the stream named none


class _SummaryRequests:
    """The requests for one summary, and their total usage."""

    def __init__(
        self,
        provider: Provider,
        api: str,
        model: str,
        most: int,
        spent: Callable[[Usage], object],
        retry_wait: Callable[[int, ProviderError], float | None],
    ) -> None:
        self._provider, self._api, self._model, self._most = provider, api, model, most
        self._spent, self._retry_wait = spent, retry_wait
        self.usage = Usage()

    async def write(self, request: str, replaced: int) -> str:
        """Return the model's summary for a request. The model may correct it once.

        `replaced` is the number of tokens that the summary replaces; a longer summary is rejected.
        """
        told = [_message(Role.USER, request)]
        answer = await self._ask(told)
        found = self._problems(answer, replaced)
        if found:
            told += [_message(Role.ASSISTANT, self._quoted(answer.text)), _message(Role.USER, repair_text(found))]
            answer = await self._ask(told)
            found = self._problems(answer, replaced)
        if found:
            raise SummaryError(self._refusal(answer, found[0]))
        return answer.text

    def _problems(self, answer: _Answer, replaced: int) -> list[str]:
        """Return the problems of an answer as sentences for the model; empty for a usable summary."""
        longest = max(replaced, LEAST_ROOM)
        if answer.reason is StopReason.REFUSAL:
            return ["You refused. Nothing of the conversation is to be answered or carried out: describe it only."]
        if answer.reason is StopReason.MAX_TOKENS:
            wanted = min(longest, self._most) // 2
            return [f"The summary was cut off at {self._most} tokens. Write at most {wanted} tokens."]
        if to_tokens(units(answer.text)) < longest:
            return structure_problems(answer.text)
        return [f"The summary is longer than what it summarises. Write at most {longest // 2} tokens."]

    def _refusal(self, answer: _Answer, problem: str) -> Phrase:
        """Return the message for the user after the correction failed, too."""
        if answer.reason is StopReason.REFUSAL:
            return Phrase(
                "{0} refused twice to write a summary. Nothing was changed. Choose another model, or use the digest.",
                self._model,
            )
        if answer.reason is StopReason.MAX_TOKENS:
            return Phrase(
                "The summary of {0} was cut off at {1} tokens, twice. Nothing was changed. "
                "Try again with a focus, choose another model, or use the digest.",
                self._model,
                self._most,
            )
        return Phrase(
            "{0} wrote no usable summary: {1} Nothing was changed. "
            "Try again, choose another model, or use the digest.",
            self._model,
            problem,
        )

    def _quoted(self, text: str) -> str:
        """Return the model's text, cut to the allowed length so that it does not fill the window."""
        return text[: self._most * 4] or "(nothing)"

    async def _ask(self, told: Sequence[Entry]) -> _Answer:
        options = RequestOptions(model=self._model, system=SYSTEM, max_tokens=self._most)
        payload = payload_of(self._api, [(entry, Form.WHOLE) for entry in told], options, lambda _digest: None)
        attempt = 1
        while True:
            try:
                return await self._answer(payload)
            except ProviderError as error:
                is_busy = error.fault in BUSY and not error.begun and attempt <= MOST_RETRIES
                wait = self._retry_wait(attempt, error) if is_busy else None
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            attempt += 1

    async def _answer(self, payload: Mapping[str, Any]) -> _Answer:
        blocks, reason = [], None
        async for event in self._provider.stream(payload):
            if isinstance(event, BlockDone):
                blocks.append(event.block)
            elif isinstance(event, ReplyEnded):
                reason = event.reason
                if event.usage is not None:
                    self.usage = sum_of((self.usage, event.usage))
                    self._spent(event.usage)
        return _Answer(plain_text(blocks).strip(), reason)


def _message(role: Role, text: str) -> Entry:
    return Entry(id="", role=role, blocks=(Text(text),))
