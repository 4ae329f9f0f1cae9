"""Connections are opened here: one provider for each form of API."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import Connection
from stemmata.domain.errors import NotFoundError
from stemmata.providers.anthropic.provider import AnthropicProvider
from stemmata.providers.openai.chat import ChatProvider
from stemmata.providers.openai.responses import ResponsesProvider
from stemmata.providers.shared.model_list import answered
from stemmata.providers.shared.reply import mapping, word

if TYPE_CHECKING:
    import httpx2


HOST = "127.0.0.1"
PATIENCE = 1.0  # seconds; what runs here answers in milliseconds


@dataclass(frozen=True)
class Place:
    """Where one kind of server is looked for. `path` is answered by no other kind in this way."""

    name: str
    port: int
    path: str
    api: str

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"


PLACES = (
    Place("ollama", 11434, "/api/tags", "anthropic"),
    Place("lm-studio", 1234, "/api/v0/models", "openai-chat"),
    Place("llama.cpp", 8080, "/v1/models", "openai-chat"),
    Place("vllm", 8000, "/v1/models", "openai-chat"),
)


async def discover(places: Sequence[Place] = PLACES) -> tuple[Connection, ...]:
    """Connections to those that answer; all are asked at once."""
    import httpx2

    async with httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        found = await asyncio.gather(*(_look(client, place) for place in places))
    return tuple(connection for connection in found if connection is not None)


async def _look(client: httpx2.AsyncClient, place: Place) -> Connection | None:
    try:
        async with asyncio.timeout(PATIENCE):
            told = await answered(client, place.url + place.path)
    except TimeoutError:
        return None
    model = _model_of(place, mapping(told))
    if model is None:
        return None
    base_url = place.url if place.api == "anthropic" else f"{place.url}/v1"
    return Connection(name=place.name, api=place.api, base_url=base_url, model=model)


def _model_of(place: Place, told: Mapping[str, Any]) -> str | None:
    """The first model that the server names, "" when it has none; None when it is another kind of server."""
    listed = told.get("models" if place.name == "ollama" else "data")
    if not isinstance(listed, list):
        return None
    first = mapping(listed[0]) if listed else {}
    owner = word(first.get("owned_by"))
    if place.name in ("llama.cpp", "vllm") and listed and owner not in ("", place.name.replace(".", ""), "llamacpp"):
        return None
    return word(first.get("name") if place.name == "ollama" else first.get("id"))


STALL = 90.0  # seconds without a byte until a request is given up


class ProviderRegistry:
    """Implements `services.provider_ports.Providers`. An SDK is loaded with the first request that needs it."""

    def __init__(self, stall: float = STALL) -> None:
        self._stall = stall

    def open(self, connection: Connection, key: str) -> AnthropicProvider | ChatProvider | ResponsesProvider:
        """Raises NotFoundError for an API that is not one of `payloads.APIS`."""
        match connection.api:
            case "anthropic":
                from stemmata.providers.anthropic.provider import AnthropicProvider

                return AnthropicProvider(connection, key, self._stall)
            case "openai-chat":
                from stemmata.providers.openai.chat import ChatProvider

                return ChatProvider(connection, key, self._stall)
            case "openai-responses":
                from stemmata.providers.openai.responses import ResponsesProvider

                return ResponsesProvider(connection, key, self._stall)
        raise NotFoundError(f"There is no API called “{connection.api}”.")

    async def discover(self) -> Sequence[Connection]:

        return await discover()
