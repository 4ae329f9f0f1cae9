"""Anthropic's Messages API, and every server that speaks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stemmata.domain.connections import ANTHROPIC_URL, Connection, OfferedModel
from stemmata.domain.streaming import ProviderError, StreamEvent
from stemmata.providers.anthropic_models import offered_models
from stemmata.providers.anthropic_reply import AnthropicReply
from stemmata.providers.faults import Faults
from stemmata.providers.wire import UNCOUNTED, http_client, stream_reply, without_version

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

KNOWN_VERSION = "2023-06-01"  # of the API; the one that compatible servers know
NO_KEY = "none"  # what servers on this machine are sent: the SDK wants something
_COUNTED = frozenset({"model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"})


class AnthropicProvider:
    """Implements `services.provider_ports.Provider`. `stall`: seconds without a byte until a request is given up."""

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._connection, self._key = connection, key.strip()
        self._faults = Faults(connection, key, stall)
        self._opened: AsyncAnthropic | None = None

    def stream(self, payload: Mapping[str, Any]) -> AsyncIterator[StreamEvent]:
        async def ask() -> httpx2.Response:
            import httpx2

            body = {**payload, "stream": True}
            return await self._client().post("/v1/messages", cast_to=httpx2.Response, body=body, stream=True)

        return stream_reply(ask, AnthropicReply(self._faults), self._faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        try:
            answer = await self._client().post("/v1/messages/count_tokens", cast_to=object, body=body)
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self._faults.of(error)
        else:
            counted = answer.get("input_tokens") if isinstance(answer, dict) else None
            return counted if isinstance(counted, int) else None
        if problem.status in UNCOUNTED:
            return None
        raise problem

    async def models(self) -> Sequence[OfferedModel]:
        """Newest first, as the server lists them; at most a thousand."""
        problem: ProviderError
        try:
            answer = await self._client().get("/v1/models", cast_to=object, options={"params": {"limit": 1000}})
            listed = answer.get("data") if isinstance(answer, dict) else None
            return offered_models(listed)
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self._faults.of(error)
        raise problem

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    def _client(self) -> AsyncAnthropic:
        if self._opened is None:
            from anthropic import AsyncAnthropic

            self._opened = AsyncAnthropic(
                api_key=self._key or NO_KEY,
                base_url=without_version(self._connection.base_url),
                max_retries=0,
                default_headers=self._headers(),
                http_client=http_client(self._connection, self._faults),
                open_telemetry=False,
            )
        return self._opened

    def _headers(self) -> dict[str, str]:
        """Beside the SDK's `Authorization`: some gateways read the key where older SDKs put it."""
        headers: dict[str, str] = {}
        if without_version(self._connection.base_url) != ANTHROPIC_URL:
            headers |= {"anthropic-version": KNOWN_VERSION}
            headers |= {"x-api-key": self._key} if self._key else {}
        return headers | dict(self._connection.headers)
