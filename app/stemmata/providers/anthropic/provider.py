"""Anthropic's Messages API, and every server that speaks it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import ANTHROPIC_URL
from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.compaction.summary.signed import BLOCK
from stemmata.providers.anthropic.reply import AnthropicReply
from stemmata.providers.shared.sdk_server import NO_KEY, SdkServer
from stemmata.providers.shared.wire import http_client, stream_reply, without_version

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

COMPACT = "compact-2026-09-04"  # the beta in which Anthropic summarises on demand
KNOWN_VERSION = "2023-06-01"  # of the API; the one that compatible servers know
_BETA = "anthropic-beta"
_COUNTED = frozenset({"model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"})


class AnthropicProvider(SdkServer):
    """Implements `services.provider_ports.Provider`. Models are listed newest first, a thousand at most."""

    models_path = "/v1/models?limit=1000&beta=true"  # without it models do not tell whether they summarise

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        async def ask() -> httpx2.Response:
            import httpx2

            body = {**payload, "stream": True}
            path, options = self._way("/v1/messages", payload)
            answer: httpx2.Response = await self.client.post(
                path, cast_to=httpx2.Response, body=body, options=options, stream=True
            )
            return answer

        return stream_reply(ask, AnthropicReply(self.faults), self.faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        path, options = self._way("/v1/messages/count_tokens", payload)
        return await self.counted(path, body, options)

    def _way(self, path: str, payload: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Where the SDK sends what needs a beta, and with which headers. Nothing else is told of one."""
        if "compaction" not in payload and not _begins_signed(payload):
            return path, {}
        named = [value for name, value in self._connection.headers if name.lower() == _BETA]
        return f"{path}?beta=true", {"headers": {_BETA: ",".join([*named, COMPACT])}}

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


def _begins_signed(payload: Mapping[str, Any]) -> bool:
    """Whether the conversation begins with a summary that the server signed."""
    first: Mapping[str, Any] = next(iter(payload.get("messages") or ()), {})
    content = first.get("content") if first.get("role") == "assistant" else None
    return isinstance(content, list) and bool(content) and content[0].get("type") == BLOCK
