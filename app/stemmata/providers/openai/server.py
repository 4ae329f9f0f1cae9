"""The parts that both of OpenAI's APIs share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stemmata.providers.shared.sdk_server import NO_KEY, SdkServer
from stemmata.providers.shared.wire import http_client

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI


class OpenAIServer(SdkServer):
    """The base of OpenAI's providers. The base URL includes `/v1`."""

    async def ask(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        """Send a request and return the streaming response, whose headers have arrived."""
        import httpx2

        answer: httpx2.Response = await self.answer(
            lambda client: client.post(path, cast_to=httpx2.Response, body=dict(body), stream=True)
        )
        return answer

    def client_class(self) -> type[AsyncOpenAI]:
        """Import OpenAI's SDK and return the class of its clients."""
        from openai import AsyncOpenAI

        return AsyncOpenAI

    def client_options(self) -> dict[str, Any]:
        """Return the keyword arguments for a new client: the SDK does not retry requests."""
        return {
            "api_key": self._key or NO_KEY,
            "base_url": self._connection.base_url,
            "max_retries": 0,
            "default_headers": dict(self._connection.headers),
            "http_client": http_client(self._connection, self.faults),
        }
