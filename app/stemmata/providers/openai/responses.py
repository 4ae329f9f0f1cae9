"""OpenAI's Responses, without anything kept on the server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.streaming import StreamEvent
from stemmata.providers.openai.responses_reply import ResponsesReply
from stemmata.providers.openai.server import OpenAIServer
from stemmata.providers.shared.wire import stream_reply

if TYPE_CHECKING:
    import httpx2

_COUNTED = frozenset({"model", "input", "instructions", "tools", "tool_choice", "reasoning"})


class ResponsesProvider(OpenAIServer):
    """Implements `services.provider_ports.Provider`."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        async def ask() -> httpx2.Response:
            return await self.ask("/responses", {**payload, "stream": True})

        return stream_reply(ask, ResponsesReply(self.faults), self.faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        return await self.counted("/responses/input_tokens", body)
