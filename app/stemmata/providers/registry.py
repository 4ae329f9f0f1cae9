"""Connections are opened here: one provider for each form of API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stemmata.domain.chat.connections import Connection
from stemmata.domain.errors import NotFoundError

if TYPE_CHECKING:
    from stemmata.providers.anthropic.provider import AnthropicProvider
    from stemmata.providers.openai.chat import ChatProvider
    from stemmata.providers.openai.responses import ResponsesProvider

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
        from stemmata.providers.discovery import discover

        return await discover()
