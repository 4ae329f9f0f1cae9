"""Handles the lines of a program that the SDK refuses: a readable answer is used, another one fails its call.

The SDK drops such a line, so that the call would wait for its answer until its time is over.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from stemmata.domain.requests.request import clean_json
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import parse_json

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

log = logging.getLogger(__name__)

UNREADABLE = -39_000  # our code of the error in place of an invalid answer; JSON-RPC uses other numbers


@asynccontextmanager
async def with_invalid_lines_answered(streams: AbstractAsyncContextManager[Any]) -> AsyncIterator[Any]:
    """Open a transport of the SDK and yield its two streams; the received one has answers for invalid lines."""
    async with streams as (received, sent):
        yield _Received(received), sent


class _Received:
    """The SDK's stream of received messages, in which a message replaces the exception for an invalid line."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aenter__(self) -> _Received:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> _Received:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return _answered(await self._stream.__anext__())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


def _answered(received: SessionMessage | Exception) -> SessionMessage | Exception:
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError, jsonrpc_message_adapter

    problems = getattr(received, "errors", None)  # of a ValidationError
    if problems is None:
        return received
    inputs = [each["input"] for each in problems()]
    value = next((each for each in inputs if isinstance(each, Mapping) and "jsonrpc" in each), inputs[0])
    if isinstance(value, str):  # the SDK refuses escaped halves of characters, which programs send for a cut text
        try:
            value = parse_json(clean_json(compact_json(parse_json(value.removeprefix("\ufeff")))))
            return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
        except (ValueError, RecursionError):
            log.debug("A line of an MCP server is not valid.")
    id = value.get("id") if isinstance(value, Mapping) and "method" not in value else None
    if not isinstance(id, int | str):
        return received
    error = ErrorData(code=UNREADABLE, message="it has neither a valid result nor a valid error")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=id, error=error))


def words_of(problem: Any) -> str:
    """Return the place and the text of the first error of a ValidationError."""
    first = problem.errors()[0]
    place = ".".join(str(each) for each in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
