"""Whether a connection works, and if not what is wrong, in words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.requests.payloads import payload_of
from stemmata.domain.requests.request import RequestOptions
from stemmata.domain.text.phrases import Phrase, joined
from stemmata.services.ports.providers import Provider

PATIENCE = 60.0  # seconds: a server on this machine may have to load the model first
CLOSE_BY = 5  # models that are named when one is not there


async def trial(open: Callable[[], Provider], connection: Connection) -> str:
    """What is wrong, "" for nothing. Asks for the list of models, and the connection's model for one token."""
    provider: Provider | None = None
    try:
        async with asyncio.timeout(PATIENCE):
            provider = open()
            return await _tried(provider, connection)
    except TimeoutError:
        return Phrase("“{0}” took the request but did not answer within {1} seconds.", connection.name, int(PATIENCE))
    except ProviderError as error:
        return joined(" ", [*filter(None, (str(error), _hint(connection, error)))])
    finally:
        if provider is not None:
            await provider.close()


async def _tried(provider: Provider, connection: Connection) -> str:
    offered: Sequence[OfferedModel] = ()
    try:
        offered = await provider.models()
    except ProviderError as error:
        if not connection.model or error.fault not in (Fault.MODEL, Fault.REQUEST, Fault.GARBAGE):
            raise  # some servers answer requests and have no list
    if not connection.model:
        return ""
    try:
        async with aclosing(provider.stream(_smallest(connection))) as events:
            async for _event in events:
                return ""
    except ProviderError as error:
        if error.fault is Fault.MODEL and offered:
            return _no_such_model(connection.model, offered)
        raise
    return Phrase("“{0}” answered with nothing.", connection.name)


def _smallest(connection: Connection) -> dict[str, Any]:
    entry = Entry(id="1", role=Role.USER, blocks=(Text("Hi"),))
    options = RequestOptions(model=connection.model, provider=connection.name, max_tokens=16)
    return payload_of(connection.api, [(entry, Form.WHOLE)], options, lambda _digest: None)


def _no_such_model(model: str, offered: Sequence[OfferedModel]) -> str:
    from difflib import get_close_matches

    ids = [known.id for known in offered]
    near = get_close_matches(model, ids, CLOSE_BY, 0.4) or ids[:CLOSE_BY]
    offers = f"{', '.join(near)}{' …' if len(ids) > len(near) else ''}"
    return Phrase("The server has no model “{0}”. It offers {1}.", model, offers)


def _hint(connection: Connection, error: ProviderError) -> str:
    """What is often wrong with an address: these servers have their API below “/v1”."""
    path = urlsplit(connection.base_url).path.rstrip("/")
    lost = error.status in (404, 405) or error.fault is Fault.GARBAGE
    if lost and connection.api != "anthropic" and not path.endswith("/v1"):
        return Phrase("The address of an OpenAI-compatible server mostly ends with “/v1”.")
    return ""
