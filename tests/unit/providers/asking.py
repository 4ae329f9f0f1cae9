"""A stream read to its end, whatever that is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from typing import Any, TypeAlias

import pytest

from stemmata.domain.chat.streaming import BlockGrew, Fault, ProviderError, StreamEvent

BREAKS = {
    "fin": Fault.CONNECTION,
    "rst": Fault.CONNECTION,
    "stall": Fault.STALL,
    "eof": Fault.TRUNCATED,
    "garbage": Fault.GARBAGE,
}  # what becomes of a stream that breaks so
STALL = 0.5  # seconds; four times as long for a server on this machine
NO_STALL = 15.0  # longer than a busy machine takes to answer
Run: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]  # waits for it, on the io loop

Gathered: TypeAlias = tuple[list[StreamEvent], ProviderError | None]


def stall_of(request: pytest.FixtureRequest) -> float:
    """The patience of a test's provider: short only where the test has `how` = "stall"."""
    given = getattr(request.node, "callspec", None)
    return STALL if given is not None and given.params.get("how") == "stall" else NO_STALL


async def gathered(stream: AsyncIterator[StreamEvent]) -> Gathered:
    """All events, and the error they end with."""
    events: list[StreamEvent] = []
    try:
        async for event in stream:
            events.append(event)  # noqa: PERF401 - what came before the error counts
    except ProviderError as error:
        return events, error
    return events, None


async def looked_away(stream: AsyncGenerator[StreamEvent]) -> None:
    """Close it with the first piece of the reply."""
    async for event in stream:
        if isinstance(event, BlockGrew):
            break
    await stream.aclose()
