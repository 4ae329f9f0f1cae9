"""Anthropic's Messages API, and every server that speaks it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.connections import ANTHROPIC_URL
from stemmata.domain.streaming import StreamEvent
from stemmata.providers.anthropic_reply import AnthropicReply
from stemmata.providers.sdk_server import NO_KEY, SdkServer
from stemmata.providers.wire import http_client, stream_reply, without_version

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

KNOWN_VERSION = "2023-06-01"  # of the API; the one that compatible servers know
_COUNTED = frozenset({"model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"})


class AnthropicProvider(SdkServer):
    """Implements `services.provider_ports.Provider`. Models are listed newest first, a thousand at most."""

    models_path = "/v1/models?limit=1000"

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        async def ask() -> httpx2.Response:
            import httpx2

            body = {**payload, "stream": True}
            answer: httpx2.Response = await self.client.post(
                "/v1/messages", cast_to=httpx2.Response, body=body, stream=True
            )
            return answer

        return stream_reply(ask, AnthropicReply(self.faults), self.faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        return await self.counted("/v1/messages/count_tokens", body)

    def made(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(
            api_key=self._key or NO_KEY,
            base_url=without_version(self._connection.base_url),
            max_retries=0,
            default_headers=self._headers(),
            http_client=http_client(self._connection, self.faults),
            open_telemetry=False,
        )

    def _headers(self) -> dict[str, str]:
        """Beside the SDK's `Authorization`: some gateways read the key where older SDKs put it."""
        headers: dict[str, str] = {}
        if without_version(self._connection.base_url) != ANTHROPIC_URL:
            headers |= {"anthropic-version": KNOWN_VERSION}
            headers |= {"x-api-key": self._key} if self._key else {}
        return headers | dict(self._connection.headers)
