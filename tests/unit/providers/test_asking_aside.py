"""Counting and listing models: what is missing is told apart from what went wrong."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.providers.registry import ProviderRegistry
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.waiting import until
from tests.unit.providers.asking import NO_STALL, Run

APIS = API_NAMES
COUNTING = ("anthropic", "openai-responses")
TURNS = 12  # of the io loop, in which a request on loopback is usually sent
MOST_TURNS = 1_000  # in which it is sent on a busy machine, too


class Answering(LoopbackServer):
    """The same answer to everything."""

    def __init__(self, status: int, body: bytes) -> None:
        self._status, self._body = status, body
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        exchange.send(self._status, self._body)


def asked(run: Run, api: str, status: int, body: bytes, *, count: bool) -> Any:
    with Answering(status, body) as server:
        provider = ProviderRegistry(1).open(Connection(name="odd", api=api, base_url=f"{server.url}/v1"), "")
        try:
            return run(provider.count({"model": "m", "messages": [], "stream": True}) if count else provider.models())
        finally:
            run(provider.close())


@pytest.mark.parametrize("api", COUNTING)
@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_that_cannot_count_says_nothing(api: str, status: int, run: Run) -> None:
    assert asked(run, api, status, b"{}", count=True) is None


@pytest.mark.parametrize("api", COUNTING)
@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"input_tokens": "many"}', b'"no"'])
def test_a_count_that_is_none(api: str, body: bytes, run: Run) -> None:
    assert asked(run, api, 200, body, count=True) is None


@pytest.mark.parametrize("api", COUNTING)
def test_a_refusal_to_count_is_an_error(api: str, run: Run) -> None:
    with pytest.raises(ProviderError) as caught:
        asked(run, api, 401, b"{}", count=True)
    assert caught.value.fault is Fault.KEY


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("status", "fault"), [(401, Fault.KEY), (500, Fault.SERVER), (404, Fault.MODEL)])
def test_a_list_that_is_refused_is_an_error(api: str, status: int, fault: Fault, run: Run) -> None:
    with pytest.raises(ProviderError) as caught:
        asked(run, api, status, b"{}", count=False)
    assert caught.value.fault is fault


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"data": 3}'])
def test_a_list_that_is_none_is_empty(api: str, body: bytes, run: Run) -> None:
    assert asked(run, api, 200, body, count=False) == ()


@pytest.mark.parametrize("api", APIS)
def test_a_page_is_no_list(api: str, run: Run) -> None:
    with pytest.raises(ProviderError) as caught:
        asked(run, api, 200, b"<html>", count=False)
    assert caught.value.fault is Fault.GARBAGE


class Silent(LoopbackServer):
    """Accepts every request and answers none."""

    def answer(self, exchange: Exchange) -> None:
        exchange.stall()


@pytest.mark.parametrize(
    ("api", "asks"), [("anthropic", "models"), ("anthropic", "stream"), ("openai-chat", "stream")]
)
def test_a_provider_that_is_closed_leaves_no_connection(api: str, asks: str, run: Run) -> None:
    """Closing works before the request connects, during that, and while it waits for the answer."""

    async def closed_after(turns: int, connection: Connection) -> None:
        provider = ProviderRegistry(NO_STALL).open(connection, "")
        await provider.client()  # the SDK is loaded, which takes any number of turns
        request = provider.models() if asks == "models" else anext(provider.stream({"model": "m", "messages": []}))
        asking = asyncio.ensure_future(request)
        for _ in range(turns):
            await asyncio.sleep(0)
        await provider.close()
        with pytest.raises(ProviderError, match="The connection to “it” was closed") as found:
            await asking
        assert found.value.fault is Fault.CONNECTION

    with Silent() as server:
        connection = Connection(name="it", api=api, base_url=f"{server.url}/v1")
        for turns in range(MOST_TURNS):
            run(closed_after(turns, connection))
            if turns > TURNS and server.connections:
                break
        assert server.connections > 0
        until(lambda: server.open_connections == 0)
