"""A stream read to its end, whatever that is."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stemmata.domain.streaming import ProviderError, StreamEvent

LIMIT = 20.0  # seconds


async def gathered(stream: AsyncIterator[StreamEvent]) -> tuple[list[StreamEvent], ProviderError | None]:
    """All events, and the error they end with."""
    events: list[StreamEvent] = []
    try:
        async for event in stream:
            events.append(event)  # noqa: PERF401 - what came before the error counts
    except ProviderError as error:
        return events, error
    return events, None
