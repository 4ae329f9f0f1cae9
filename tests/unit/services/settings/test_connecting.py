"""Connecting against a server on loopback: real SDK, real wire; the key in no file."""

from __future__ import annotations

from asyncio import gather, sleep
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.chat.connections import Connection, KeyOrigin, OfferedModel, Secret, connection_for
from stemmata.domain.chat.streaming import ProviderError
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.services.ports.providers import Provider
from stemmata.services.settings.connecting import Connecting
from stemmata.system.secrets import KeyStore
from stemmata.system.settings.settings import load
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app, connect
from tests.fakes.no_keyring import no_keyring
from tests.fakes.scripted_provider import ScriptedProvider
from tests.fakes.waiting import PATIENCE, until

KEY = "sk-right-1234567890"


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with no_keyring(), AnthropicServer(key=KEY) as running:
        yield running


@pytest.fixture
def app(server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url) as running:
        yield running


def test_a_test_says_what_is_wrong(app: ChatApp, server: AnthropicServer) -> None:
    connecting: Connecting = app.services.connecting
    right = Connection(name="x", base_url=server.url, model=MODEL)

    def told(connection: Connection, key: str | None = KEY) -> str:
        return connecting.test(connection, key).result(PATIENCE)

    assert told(right) == ""
    assert told(replace(right, model="")) == ""
    wrong = told(right, "sk-wrong-9876543210")
    assert "refused the key" in wrong
    assert "sk-wrong" not in wrong
    assert "no model “claude-haiku-99”" in told(replace(right, model="claude-haiku-99"))
    assert "cannot be reached: nothing answers at http://127.0.0.1:9." in told(
        replace(right, base_url="http://127.0.0.1:9")
    )
    nowhere = told(replace(right, base_url="http://no-such-host.invalid", name=""))
    assert "“no-such-host.invalid” cannot be reached: there is no host called “no-such-host.invalid”." in nowhere
    assert "HTTP 404" in told(replace(right, base_url=f"{server.url}/elsewhere"))
    assert "holds no certificates" in told(replace(right, ca_file="/no/such/file"))
    assert "There is no key" in told(Connection(name="real"), "")


def test_a_connection_is_kept_and_its_key_in_no_file(app: ChatApp, server: AnthropicServer, tmp_path: Path) -> None:
    connecting, told = app.services.connecting, list[ChangeSet]()
    app.services.notices.subscribe(told.append)
    mine = Connection(name="mine", base_url=server.url, model=MODEL)
    assert connecting.save(mine, KEY).result(PATIENCE) is KeyOrigin.MEMORY
    assert "no keyring" in connecting.problem().result(PATIENCE)
    assert connecting.origin("mine").result(PATIENCE) is KeyOrigin.MEMORY
    assert connecting.origin("fake").result(PATIENCE) is KeyOrigin.NOT_NEEDED
    assert [found.name for found in connecting.connections().result(PATIENCE)] == ["fake", "mine"]
    assert Change.SETTINGS in {change.what for change in told}
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
    assert connecting.test(mine).result(PATIENCE) == ""
    moved = replace(mine, base_url="http://127.0.0.1:9")
    assert connecting.save(moved).result(PATIENCE) is KeyOrigin.NOT_NEEDED  # the key does not go to another server
    connecting.remove("mine").result(PATIENCE)
    with pytest.raises(NotFoundError):
        connecting.origin("mine").result(PATIENCE)
    with pytest.raises(KnownError, match="Nothing was changed"):
        connecting.save(replace(mine, name="a/b")).result(PATIENCE)


def test_the_list_of_models_is_asked_once_and_outlives_the_server(app: ChatApp, server: AnthropicServer) -> None:
    connecting = app.services.connecting
    with pytest.raises(ProviderError):
        connecting.models("fake").result(PATIENCE)
    connecting.save(Connection(name="fake", base_url=server.url), KEY).result(PATIENCE)
    first = connecting.models("fake").result(PATIENCE)
    assert MODEL in {model.id for model in first}
    connecting.save(Connection(name="fake", base_url=server.url), "sk-wrong-9876543210").result(PATIENCE)
    assert connecting.models("fake").result(PATIENCE) == first
    assert connecting.models("fake", refresh=True).result(PATIENCE) == first
    assert isinstance(first[0], OfferedModel)


def test_who_asks_at_the_same_moment_shares_one_client(app: ChatApp, server: AnthropicServer) -> None:
    """This also holds when the connection was changed and its old client takes long to close."""
    connecting = app.services.connecting
    connecting.save(Connection(name="fake", base_url=server.url), KEY).result(PATIENCE)

    class Slow(ScriptedProvider):
        async def close(self) -> None:
            await sleep(0.05)

    async def both() -> list[Provider]:
        before = Connection(name="fake", base_url="http://127.0.0.1:9")
        connecting._open["fake"] = before, "", Slow(before)
        return [provider for provider, _ in await gather(*(connecting.provider_for("fake") for _ in range(2)))]

    one, other = app.services.chat_ports.loop.run(both()).result(PATIENCE)
    assert one is other


def test_without_a_connection_there_is_none_to_ask(tmp_path: Path) -> None:
    core = open_core(tmp_path / "archive.db", load(tmp_path / "settings.toml"), tmp_path)
    try:
        asked = core.services.chat_ports.loop.run(core.services.connecting.connection_for(""))
        with pytest.raises(ProviderError, match="No model is connected"):
            asked.result(PATIENCE)
    finally:
        core.close()


def test_a_session_finds_its_connection_by_name_then_by_api_then_by_default() -> None:
    ours, theirs = Connection(name="ours", api="openai-chat"), Connection(name="theirs")
    both = (ours, theirs)
    assert connection_for(both, "theirs") is theirs
    assert connection_for(both, "anthropic") is theirs
    assert connection_for(both, "openai") is ours
    assert connection_for(both, "gemini", "theirs") is None  # never another one than the session names
    assert connection_for(both, "", "theirs") is theirs
    assert connection_for(both, "", "gone") is connection_for(both, "") is ours
    assert connection_for((), "gemini") is None


def test_what_the_person_says_of_a_model_comes_first(server: AnthropicServer, tmp_path: Path) -> None:
    settings = connect(tmp_path, server.url)
    settings.write_text(settings.read_text() + '[models."claude-opus-4-5"]\nwindow = 12345\n')
    core = open_core(tmp_path / "archive.db", load(settings), tmp_path)
    try:
        assert core.services.contexts.window("fake/claude-opus-4-5") == 12345
        core.services.offer("fake", [OfferedModel(id="claude-opus-4-5", window=99), OfferedModel(id="new", window=7)])
        assert core.services.contexts.window("fake/claude-opus-4-5") == 12345
        assert core.services.contexts.window("fake/new") == 7
    finally:
        core.close()


def test_closing_while_a_list_of_models_is_asked_for_leaves_no_connection_open(
    app: ChatApp, server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is asked only after the open clients were closed."""
    app.services.connecting.save(Connection(name="fake", base_url=server.url), KEY).result(PATIENCE)
    chat_ports, begun, found = app.services.chat_ports, Event(), Event()
    find = KeyStore.find

    def slow(keys: KeyStore, connection: Connection) -> Secret | None:
        begun.set()
        assert found.wait(PATIENCE)
        return find(keys, connection)

    assert chat_ports.servers is not None
    monkeypatch.setattr(KeyStore, "find", slow)

    def answered() -> None:
        found.set()
        asked.exception(PATIENCE)

    monkeypatch.setattr(chat_ports.servers, "close", answered)
    asked = app.services.connecting.models("fake", refresh=True)
    assert begun.wait(PATIENCE)
    app.services.close()
    assert server.connections == 1
    until(lambda: server.open_connections == 0)
