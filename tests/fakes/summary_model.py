"""A model that answers requests for summaries with what a test has it say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StopReason, StreamEvent
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Usage
from stemmata.services.ports.providers import Provider

SPENT = Usage(input=100, output=10)
GOOD = "\n\n".join(f"## {section.value}\n\nAbout {section.name.lower()}." for section in Section)


class SummaryModel:
    """Implements `Provider` and `ProviderSource`. Answers in order, then is overloaded; `before` runs in a thread.

    `stop` is the reason why each answer ends, or one for all of them. `most` are the characters of a request above
    which it is refused as too long.
    """

    def __init__(
        self,
        *answers: str,
        stop: StopReason | Sequence[StopReason] = StopReason.END_TURN,
        before: Callable[[], None] | None = None,
        usage: Usage | None = SPENT,
        most: int | None = None,
    ) -> None:
        self._most = most
        self._answers = list(answers)
        self._stops = [stop] * len(answers) if isinstance(stop, StopReason) else list(stop)
        self._before, self._usage = before, usage
        self.asked: list[Mapping[str, Any]] = []

    async def provider_for(self, name: str) -> tuple[Provider, Connection]:
        return self, Connection(name=name)

    async def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        self.asked.append(payload)
        if self._before is not None:
            await asyncio.to_thread(self._before)
        if self._most is not None and len(str(payload["messages"])) > self._most:
            raise ProviderError("Too long.", Fault.OVERFLOW)
        if not self._answers:
            raise ProviderError("Overloaded.", Fault.OVERLOADED)
        yield BlockDone(0, Text(self._answers.pop(0)))
        yield ReplyEnded(self._stops.pop(0), self._usage)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        return None

    async def models(self) -> Sequence[OfferedModel]:
        return ()

    async def embed(self, _model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[1.0] for _text in texts]

    async def close(self) -> None:
        pass
