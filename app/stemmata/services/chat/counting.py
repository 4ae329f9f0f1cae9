"""Counts the tokens of a request by asking the provider that would receive it.

A run has a request counted when its estimate is near the window or the trigger of automatic compaction. The user can
have any context counted. Counts are remembered, so that a request is counted once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from math import inf
from typing import Any

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.context.breakdown import Count
from stemmata.domain.entries.entry import FixedParts
from stemmata.domain.entries.figures import FigureKind
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.text.phrases import Phrase, joined
from stemmata.services.chat.requests import PROBE, PreparedRequest, RunOverrides, RunRequests
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import Clock
from stemmata.services.ports.providers import Loop

NEAR = 10  # a context that is within 1/10 of a limit is near it
PATIENCE = 10.0  # seconds that a message waits for a count
REST = 300 * 10**9  # nanoseconds without automatic counts after a failure
MOST_KEPT = 64


NOBODY = Phrase(
    "The context was not counted: the connection of this session does not exist or cannot be used. Choose a model, "
    "or connect one."
)


class CannotCountError(KnownError):
    """The provider does not count tokens."""


class Counting:
    """Counts requests and remembers the counts. Used on the io loop, except for `is_wanted`."""

    def __init__(self, contexts: Contexts, clock: Clock) -> None:
        self._contexts, self._clock = contexts, clock
        self._known: OrderedDict[bytes, int] = OrderedDict()
        # time until which a connection is not asked again; inf if it cannot count
        self._rests: dict[Connection, float] = {}

    def is_wanted(self, request: PreparedRequest) -> bool:
        """Whether the request is to be counted: its size is an estimate that is near a limit."""
        if request.is_counted or request.view.breakdown.total.kind is not FigureKind.ESTIMATED:
            return False
        trigger = request.view.budget.trigger if self._contexts.is_automatic(request.session) else None
        limits = [limit for limit in (request.window, trigger) if limit is not None]
        return any(abs((request.tokens or 0) - limit) * NEAR <= limit for limit in limits)

    async def counted(self, request: PreparedRequest) -> tuple[PreparedRequest, str]:
        """Return the request with its counted size and ""; when it is not counted, unchanged with the reason.

        The reason is "" for a server that does not count tokens, and as long as the connection is not asked again.
        """
        connection = request.connection
        if self._clock.now() < self._rests.get(connection, 0):
            return request, ""
        try:
            async with asyncio.timeout(PATIENCE):
                total = await self._total(request, request.payload)
        except (ProviderError, TimeoutError) as error:
            self._rests[connection] = self._clock.now() + REST
            return request, uncounted(error)
        if total is None:
            self._rests[connection] = inf
            return request, ""
        return self._remembered(request, Count(total, request.fixed)), ""

    async def exact(self, request: PreparedRequest) -> Count:
        """Return the count of a request, with its system prompt and tool definitions counted apart.

        Raises CannotCountError, and KnownError when the server fails.
        """
        total = await self._total(request, request.payload)
        if total is None:
            raise CannotCountError(
                Phrase(
                    "“{0}” does not count tokens, or its answer was no number. The figures stay estimates.",
                    request.connection.name,
                )
            )
        self._rests.pop(request.connection, None)
        fixed = await self._fixed(request)
        count = Count(total, request.fixed)
        if fixed is not None and fixed.total <= total:
            count = Count(total, fixed, has_parts=True)
        self._remembered(request, count)
        return count

    async def _fixed(self, request: PreparedRequest) -> FixedParts | None:
        """Return the counted fixed parts: the differences that they make to a request of one letter.

        None when the server's answers do not fit together.
        """
        plain = replace(request.options, system="", tools=(), thinking="", prefill="", previous="", cache="")
        with_system = replace(plain, system=request.options.system)
        sizes: list[int] = []
        for options in (plain, with_system, replace(with_system, tools=request.options.tools)):
            payload = payload_of(request.connection.api, [PROBE], options, lambda _digest: None)
            size = await self._total(request, payload)
            if size is None or (sizes and size < sizes[-1]):
                return None
            sizes.append(size)
        return FixedParts(sizes[1] - sizes[0], sizes[2] - sizes[1])

    async def _total(self, request: PreparedRequest, payload: Mapping[str, Any]) -> int | None:
        shape = await asyncio.to_thread(_digest, request.connection, payload)
        if shape not in self._known:
            total = await request.provider.count(payload)
            if total is None:
                return None
            self._known[shape] = total
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
        return self._known[shape]

    def _remembered(self, request: PreparedRequest, count: Count) -> PreparedRequest:
        self._contexts.remember(request.session, request.view, count)
        return request.counted(count)


def _digest(connection: Connection, payload: Mapping[str, Any]) -> bytes:
    text = json.dumps([connection.name, connection.base_url, connection.api, payload], ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()


def uncounted(error: Exception) -> Phrase:
    """Return the notice that a request could not be counted. The message of the request is sent nevertheless."""
    reason = str(error) if isinstance(error, ProviderError) else Phrase("The server did not answer in time.")
    return joined(" ", [Phrase("The request could not be counted, so its size is an estimate."), reason])


class ContextCounts:
    """Counts a context when the user asks for it."""

    def __init__(self, loop: Loop, requests: RunRequests, counting: Counting) -> None:
        self._loop, self._requests, self._counting = loop, requests, counting

    def count(self, session: int, entry: int | None) -> Future[Count]:
        """Count the request that would be sent at an entry (store key); `Contexts.seen` shows the count from then on.

        Fails with KnownError when no model is connected, when nothing would be sent, and as `Counting.exact`.
        Cancelling the future closes the connection.
        """
        return self._loop.run(self._counted(session, entry))

    async def _counted(self, session: int, entry: int | None) -> Count:
        try:
            request = await self._requests.prepare(session, entry, RunOverrides(), to_count=True)
        except ProviderError as error:
            if error.fault is not Fault.UNUSABLE:
                raise
            raise CannotCountError(NOBODY) from error  # the error itself speaks of a message
        return await self._counting.exact(request)
