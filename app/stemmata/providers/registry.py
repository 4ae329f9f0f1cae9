"""Connections are opened here: one provider for each form of API."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import Connection
from stemmata.domain.requests.apis import api_of
from stemmata.providers.anthropic.provider import AnthropicProvider
from stemmata.providers.openai.chat import ChatProvider
from stemmata.providers.openai.responses import CodexProvider, ResponsesProvider
from stemmata.providers.shared.model_list import answered
from stemmata.providers.shared.reply import mapping, word
from stemmata.providers.shared.sdk_server import SdkServer
from stemmata.providers.shared.wire import certificates

if TYPE_CHECKING:
    import httpx2


HOST = "127.0.0.1"
PATIENCE = 1.0  # seconds; a server on this machine answers in milliseconds


@dataclass(frozen=True)
class LocalServer:
    """A kind of server that may run on this machine: its port, and the answer by which it is recognised.

    `path` is requested. The answer contains the list of models under the key `models`, each with its id under `id`.
    `owners` are the accepted values for the owner of the first model, () for any.
    """

    name: str
    port: int
    path: str
    api: str = "openai-chat"
    models: str = "data"
    id: str = "id"
    owners: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{HOST}:{self.port}"


LOCAL_SERVERS = (
    LocalServer("ollama", 11434, "/api/tags", "anthropic", models="models", id="name"),
    LocalServer("lm-studio", 1234, "/api/v0/models"),
    LocalServer("llama.cpp", 8080, "/v1/models", owners=("", "llamacpp")),
    LocalServer("vllm", 8000, "/v1/models", owners=("", "vllm", "llamacpp")),
)


async def discover(servers: Sequence[LocalServer] = LOCAL_SERVERS) -> tuple[Connection, ...]:
    """Return connections to the local servers that answer; all are asked at the same time."""
    import httpx2

    verify = certificates(f"http://{HOST}")
    async with httpx2.AsyncClient(timeout=PATIENCE, trust_env=False, verify=verify) as client:
        found = await asyncio.gather(*(_look(client, server) for server in servers))
    return tuple(connection for connection in found if connection is not None)


async def _look(client: httpx2.AsyncClient, server: LocalServer) -> Connection | None:
    try:
        async with asyncio.timeout(PATIENCE):
            told = await answered(client, server.url + server.path)
    except TimeoutError:
        return None
    model = _model_of(server, mapping(told))
    if model is None:
        return None
    address = f"{server.url}{api_of(server.api).version}"
    return Connection(name=server.name, api=server.api, base_url=address, model=model)


def _model_of(server: LocalServer, told: Mapping[str, Any]) -> str | None:
    """Return the first model in a server's answer, "" without models; None for another kind of server."""
    listed = told.get(server.models)
    if not isinstance(listed, list):
        return None
    first = mapping(listed[0]) if listed else {}
    if server.owners and listed and word(first.get("owned_by")) not in server.owners:
        return None
    return word(first.get(server.id))


STALL = 90.0  # seconds without a byte until a request is given up


PROVIDERS: Mapping[str, type[SdkServer]] = {
    "anthropic": AnthropicProvider,
    "openai-chat": ChatProvider,
    "openai-responses": ResponsesProvider,
    "openai-codex-responses": CodexProvider,
}


class ProviderRegistry:
    """Implements `services.ports.providers.Providers`. An SDK is loaded with the first request that needs it."""

    def __init__(self, stall: float = STALL) -> None:
        self._stall = stall

    def open(self, connection: Connection, key: str) -> SdkServer:
        """Return the provider of a connection. Raises NotFoundError for an API that is not one of `API_NAMES`."""
        return PROVIDERS[api_of(connection.api).name](connection, key, self._stall)

    async def discover(self) -> Sequence[Connection]:
        """As described in `services.ports.providers.Providers`."""
        return await discover()
