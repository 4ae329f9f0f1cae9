"""Sends a request and reads its stream, for every API. Every failure becomes a ProviderError."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError, StreamEvent
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.text.untrusted import parse_json
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.reply import ReplyReader, mapping

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

CONNECT = 10.0  # seconds
DRAIN = 0.1  # seconds that a server may take to close a finished stream
LARGEST_EVENT = 32 * 1024 * 1024  # bytes; a tool's image may arrive in one event
LONGEST_ANSWER = 1_000_000  # bytes of an answer that is not a stream
LONGEST_REFUSAL = 100_000  # bytes, perhaps compressed, of an answer whose status is no success

_LOST = frozenset({Fault.CONNECTION, Fault.STALL})


def http_client(connection: Connection, faults: Faults) -> httpx2.AsyncClient:
    """Return the HTTP client of a connection. Local servers never use the environment's proxy."""
    import httpx2

    try:
        verify = certificates(connection.base_url, connection.ca_file)
    except (OSError, ValueError) as error:
        raise faults.error(
            Fault.SETUP,
            Phrase("The file {0} holds no certificates that can be read: {1}", connection.ca_file, error),
        ) from None

    async def bound(response: httpx2.Response) -> None:
        if not response.is_success:
            await read_beginning(response, LONGEST_REFUSAL, faults.patience)

    try:
        return httpx2.AsyncClient(
            event_hooks={"response": [bound]},
            timeout=httpx2.Timeout(faults.patience, connect=CONNECT),
            proxy=connection.proxy or None,
            verify=verify,
            trust_env=not connection.is_local,
            follow_redirects=False,  # keys in custom headers would be sent to the new address
        )
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        if connection.proxy:
            words = Phrase("The proxy {0} cannot be used: {1}", connection.proxy, error)
        else:
            words = Phrase("The proxy that the environment names cannot be used: {0}", error)
        raise faults.error(Fault.SETUP, words) from None


def certificates(address: str, ca_file: str = "") -> ssl.SSLContext | bool:
    """Return the certificates that the server is checked with; True means the certificates of the system. For an
    unencrypted connection no certificates are read, since the system's take 20 ms. The HTTP client follows no
    redirect, and an encrypted connection would be refused. Raises OSError and ValueError for a bad file.
    """
    if ca_file:
        return ssl.create_default_context(cafile=ca_file)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if address.lower().startswith("http://") else True


async def stream_reply(
    ask: Callable[[], Awaitable[httpx2.Response]], reply: ReplyReader, faults: Faults
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of a reply. Closing this generator, or cancelling its consumer, hangs up."""
    problem: ProviderError | None = None
    is_answer = False
    try:
        response = await ask()
        async with aclosing(_events(response, faults)) as events:
            async for data in events:
                is_answer = not _is_json(response)
                for event in reply.feed(data):
                    yield event
                if reply.ended:
                    await _drain(events)
                    return
        for event in reply.finish():
            yield event
        if not reply.ended:
            begun = reply.blocks.any_came
            problem = faults.truncated(begun=begun) if is_answer or begun else faults.garbage(begun=begun)
    except Exception as error:  # noqa: BLE001 - a server's answer can make an SDK raise any error
        problem = faults.of(error, begun=reply.blocks.any_came)
    if problem is not None and problem.fault in _LOST:
        for event in reply.finish():  # complete except for the last events
            yield event
    if problem is not None and not reply.ended:
        for partial in reply.blocks.partials():
            yield partial
        raise problem


async def _events(response: httpx2.Response, faults: Faults) -> AsyncGenerator[Mapping[str, Any], None]:
    """Yield the JSON of each event. The event's name is added as `type` when the JSON has none.

    A server that does not stream sends the whole reply as JSON, which is yielded as the only event.
    """
    import httpx2

    try:
        if _is_json(response):
            yield await _whole(response, faults)
            return
        _accept(response, faults)
        source = aiter(httpx2.EventSource(response, LARGEST_EVENT))
        async for event in source:
            if event.data.strip() == "[DONE]":
                await _drain(source)
                return
            if not event.data:
                continue
            data = parse_json(event.data)
            if isinstance(data, dict):
                yield data if "type" in data or event.event == "message" else {"type": event.event, **data}
    finally:
        await response.aclose()


async def _drain(events: AsyncIterator[object]) -> None:
    """Read to the end, so that the connection can be reused. The reply is already complete."""
    try:
        async with asyncio.timeout(DRAIN):
            async for _ in events:
                pass
    except Exception as error:  # noqa: BLE001 - late, cut or garbled: the connection is given up, nothing else
        log.debug("After the end of a reply: %s", type(error).__name__)


def _kind(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _is_json(response: httpx2.Response) -> bool:
    kind = _kind(response)
    return kind == "application/json" or kind.endswith("+json")


def _accept(response: httpx2.Response, faults: Faults) -> None:
    """Raise for a web page. Some servers stream without the right content type, or begin with a byte-order mark."""
    if _kind(response) == "text/html":
        raise faults.page()
    response.headers["content-type"] = (
        "text/event-stream; charset=utf-8-sig"  # a byte-order mark is no part of a name
    )


async def _whole(response: httpx2.Response, faults: Faults) -> Mapping[str, Any]:
    """Return a reply that is not a stream. Raises ProviderError for an error, and for JSON that is not an object."""
    body = parse_json(await _beginning(response, LONGEST_ANSWER))
    if mapping(body).get("error"):
        raise faults.from_body(body, begun=False)
    if not isinstance(body, dict):
        raise faults.garbage(begun=False)
    return body


async def _beginning(response: httpx2.Response, most: int) -> bytes:
    """Return the beginning of an answer: its first `most` bytes and the rest of the piece in which they end.

    A cut answer is not valid JSON.
    """
    found = bytearray()
    async for piece in response.aiter_bytes():
        found += piece
        if len(found) > most:
            break
    return bytes(found)


async def read_beginning(response: httpx2.Response, most: int, seconds: float | None) -> None:
    """Read what comes of a body within `seconds` (None: any time), about `most` bytes, and give up the rest.

    The SDKs read the body of an answer that is no stream to its end, and would never return from an endless one.
    """
    import httpx2

    body, found = response.stream, bytearray()
    assert isinstance(body, httpx2.AsyncByteStream)
    try:
        async with asyncio.timeout(seconds):
            async for piece in body:
                found += piece
                if len(found) > most:
                    break
    except (TimeoutError, httpx2.TimeoutException):
        log.debug("The body of an answer did not come to its end.")
    await body.aclose()
    response.stream = httpx2.ByteStream(bytes(found))


async def question_answered(response: httpx2.Response, faults: Faults) -> object:
    """Return the JSON of an answer that is not a reply, such as a list of models. Raises ProviderError, ValueError.

    An answer of more than `LARGEST_EVENT` bytes is cut and so invalid.
    """
    try:
        async with asyncio.timeout(faults.patience):
            return parse_json(await _beginning(response, LARGEST_EVENT))
    except TimeoutError:
        raise faults.unfinished() from None
    finally:
        await response.aclose()


def without_version(url: str) -> str:
    """Return an address without `/v1`, for an SDK that adds it."""
    return url.rstrip("/").removesuffix("/v1")
