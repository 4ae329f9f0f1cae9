"""Connections of every kind: found on this machine, without a key, with a list that is known already; and trials."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection, KeyOrigin, OfferedModel
from stemmata.domain.chat.streaming import Fault, ProviderError, ReplyStarted, StreamEvent
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.services.ports.providers import Provider
from stemmata.services.settings import connecting as connection_trial
from stemmata.services.settings import connecting as module
from stemmata.services.settings.connecting import trial
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app
from tests.fakes.no_keyring import no_keyring
from tests.fakes.waiting import PATIENCE

KEY = "sk-right-1234567890"
FAR = Connection(name="far", base_url="https://models.invalid", variable="STEMMATA_TEST_KEY")


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with no_keyring(), AnthropicServer(key=KEY) as running:
        yield running


@pytest.fixture
def app(server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url) as running:
        yield running


class Found:
    """Implements Providers: discovers these servers on this machine."""

    def __init__(self, *found: Connection) -> None:
        self.found = found

    def open(self, connection: Connection, key: str) -> Provider:
        raise AssertionError("nothing is to be opened")

    async def discover(self) -> Sequence[Connection]:
        return self.found


def test_servers_that_are_connected_are_not_found_again(app: ChatApp, server: AnthropicServer) -> None:
    same = Connection(name="again", base_url=f"{server.url}/")
    chat = replace(same, name="chat", api="openai-chat")
    other = Connection(name="other", base_url="http://127.0.0.1:9")
    chat_ports = replace(app.services.chat_ports.connections, providers=lambda: Found(same, chat, other))
    assert module.Connecting(chat_ports).discover().result(PATIENCE) == (chat, other)


def test_a_key_is_found_before_its_connection_is_kept(app: ChatApp, monkeypatch: pytest.MonkeyPatch) -> None:
    locate = app.services.connecting.locate
    assert locate(Connection(name="near", base_url="http://127.0.0.1:9")).result(PATIENCE) is KeyOrigin.NOT_NEEDED
    assert locate(FAR).result(PATIENCE) is None
    monkeypatch.setenv("STEMMATA_TEST_KEY", KEY)
    assert locate(FAR).result(PATIENCE) is KeyOrigin.ENVIRONMENT


def test_without_the_key_it_needs_a_server_is_not_asked(app: ChatApp) -> None:
    connecting = app.services.connecting
    assert connecting.save(FAR).result(PATIENCE) is None
    with pytest.raises(ProviderError, match="“far” has no key") as told:
        connecting.models("far").result(PATIENCE)
    assert told.value.fault is Fault.KEY


def test_a_key_stays_where_a_connection_is_changed_and_stays_with_its_server(
    app: ChatApp, server: AnthropicServer
) -> None:
    connecting = app.services.connecting
    mine = Connection(name="mine", base_url=server.url)
    connecting.save(mine, KEY).result(PATIENCE)
    assert connecting.save(replace(mine, model=MODEL)).result(PATIENCE) is KeyOrigin.MEMORY
    assert connecting.test(replace(mine, model=MODEL)).result(PATIENCE) == ""
    assert connecting.save(mine, "").result(PATIENCE) is KeyOrigin.NOT_NEEDED


def test_a_list_is_asked_for_again_once_it_is_old_and_news_are_told(
    app: ChatApp, server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connecting, told = app.services.connecting, list[ChangeSet]()
    connecting.save(Connection(name="fake", base_url=server.url), KEY).result(PATIENCE)
    app.services.notices.subscribe(told.append)
    first = connecting.models("fake").result(PATIENCE)
    assert [change.what for change in told] == [Change.SETTINGS]
    asked = len(server.listings)
    connecting.models("fake").result(PATIENCE)
    assert len(server.listings) == asked
    monkeypatch.setattr(module, "FRESH", 0)
    assert connecting.models("fake").result(PATIENCE) == first
    assert len(server.listings) > asked
    assert len(told) == 1, "it was the same list"


# -- trials ----------------------------------------------------------------------------------------------------------


class Odd:
    """Implements Provider: lists `models` or raises an error, and yields `events` or stalls."""

    def __init__(
        self, *events: StreamEvent, models: Sequence[str] | ProviderError = ("m",), stalls: bool = False
    ) -> None:
        self.events, self.listed, self.stalls = events, models, stalls
        self.closed = 0

    async def models(self) -> Sequence[OfferedModel]:
        if isinstance(self.listed, ProviderError):
            raise self.listed
        return [OfferedModel(id=id) for id in self.listed]

    async def stream(self, _payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        if self.stalls:
            await asyncio.Event().wait()
        for event in self.events:
            yield event

    async def count(self, _payload: Mapping[str, Any]) -> int | None:
        return None

    async def embed(self, _model: str, _texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return ()

    async def close(self) -> None:
        self.closed += 1


def tried(provider: Odd, **facts: Any) -> str:
    connection = replace(Connection(name="odd", base_url="http://127.0.0.1:9/api", model="m"), **facts)
    told = asyncio.run(trial(lambda: provider, connection))
    assert provider.closed == 1
    return told


def test_a_server_that_answers_works_whatever_it_says() -> None:
    assert tried(Odd(ReplyStarted("id", "m"))) == ""
    assert tried(Odd(ReplyStarted("id", "m"), models=ProviderError("No list.", Fault.REQUEST))) == ""


def test_one_that_says_nothing_is_told_of() -> None:
    assert tried(Odd()) == "“odd” sent an empty answer."


def test_one_that_stalls_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_trial, "PATIENCE", 0.05)
    assert "did not answer within" in tried(Odd(stalls=True))


@pytest.mark.parametrize(
    ("facts", "error", "hinted"),
    [
        ({"api": "openai-chat"}, ProviderError("Gone.", Fault.REQUEST, status=404), True),
        ({"api": "openai-chat"}, ProviderError("Gone.", Fault.GARBAGE), True),
        ({"api": "openai-chat"}, ProviderError("Gone.", Fault.KEY, status=401), False),
        ({"api": "openai-chat", "base_url": "http://127.0.0.1:9/v1/"}, ProviderError("Gone.", Fault.GARBAGE), False),
        ({"api": "anthropic"}, ProviderError("Gone.", Fault.GARBAGE), False),
    ],
)
def test_an_address_that_may_lack_its_end_is_said_to(
    facts: dict[str, str], error: ProviderError, hinted: bool
) -> None:
    told = tried(Odd(models=error), model="", **facts)
    assert told == (
        "Gone. The address of an OpenAI-compatible server usually ends with “/v1”." if hinted else "Gone."
    )
