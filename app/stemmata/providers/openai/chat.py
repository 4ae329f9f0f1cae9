"""OpenAI's Chat Completions API, also for compatible servers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.streaming import StreamEvent
from stemmata.providers.openai.chat_reply import ChatReply
from stemmata.providers.openai.server import OpenAIServer
from stemmata.providers.shared.wire import stream_reply

if TYPE_CHECKING:
    import httpx2


class ChatProvider(OpenAIServer):
    """Implements `services.ports.providers.Provider`."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """See `services.ports.providers.Provider`."""

        async def ask() -> httpx2.Response:
            body = {**payload, "stream": True, "stream_options": {"include_usage": True}}
            return await self.ask("/chat/completions", body)

        return stream_reply(ask, ChatReply(self.faults), self.faults)

    async def count(self, _payload: Mapping[str, Any]) -> None:
        """Return None: this API cannot count tokens."""
