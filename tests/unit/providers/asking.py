"""A stream read to its end, whatever that is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from typing import Any, TypeAlias

from stemmata.domain.chat.streaming import Fault, Grew, ProviderError, StreamEvent

BREAKS = {
    "fin": Fault.CONNECTION,
    "rst": Fault.CONNECTION,
    "stall": Fault.STALL,
    "eof": Fault.TRUNCATED,
    "garbage": Fault.GARBAGE,
}  # what becomes of a stream that breaks so
Run: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]  # waits for it, on the io loop

Gathered: TypeAlias = tuple[list[StreamEvent], ProviderError | None]


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
        if isinstance(event, Grew):
            break
    await stream.aclose()
