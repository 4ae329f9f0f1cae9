"""Servers of tools that the person adds, tries, changes and takes out; their keys stand in no file."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.connections import KeyOrigin
from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerTool, ToolServer, ToolServerError
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change
from stemmata.services.ports.providers import Secrets
from stemmata.services.tools.server_settings import ServerSettings
from stemmata.services.tools.servers import ToolServerPorts
from tests.fakes import mcp_server
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.waiting import PATIENCE, until

CHILD = str(Path(mcp_server.__file__))
FAKE = ToolServer(name="fake", command=sys.executable, args=(CHILD,))
HUB = ToolServer(name="hub", url="https://hub.example/mcp", headers={"Authorization": "Bearer ${key}"})
KEY = "tok-very-secret-1234"


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, "http://127.0.0.1:9") as chat:
        yield chat


@pytest.fixture
def settings(chat: ChatApp) -> ServerSettings:
    settings = chat.services.chat_ports.server_settings
    assert settings is not None
    return settings


@pytest.fixture
def keys(chat: ChatApp) -> Secrets:
    return chat.services.chat_ports.connections.secrets


def names(settings: ServerSettings) -> list[str]:
    return [server.name for server in settings.all().result(PATIENCE)]


def test_a_server_is_added_changed_renamed_and_taken_out(settings: ServerSettings, chat: ChatApp) -> None:
    told: list[Change] = []
    chat.services.notices.subscribe(lambda change: told.append(change.what))
    assert settings.save(FAKE).result(PATIENCE) is None
    settings.save(replace(FAKE, folder="/tmp"), before="fake").result(PATIENCE)
    assert settings.all().result(PATIENCE) == (replace(FAKE, folder="/tmp"),)
    settings.save(HUB).result(PATIENCE)
    settings.save(replace(FAKE, name="other"), before="fake").result(PATIENCE)
    assert sorted(names(settings)) == ["hub", "other"]
    with pytest.raises(KnownError, match="named “hub” already exists"):
        settings.save(replace(FAKE, name="hub"), before="other").result(PATIENCE)
    settings.remove("other").result(PATIENCE)
    settings.remove("nobody").result(PATIENCE)
    assert names(settings) == ["hub"]
    assert Change.TOOLS in told


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (ToolServer(name="a b", command="x"), "letters, digits"),
        (ToolServer(name="a"), "either command or url"),
        (ToolServer(name="a", url="ftp://x"), "must be an address"),
        (ToolServer(name="a", url="http://x", folder="/tmp"), "folder requires command"),
        (ToolServer(name="a", command="x", env={"API_TOKEN": "tok-1"}), "API_TOKEN looks like a key"),
        (ToolServer(name="a", url="http://x", headers={"X-Secret": "s"}), "X-Secret looks like a key"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_written(
    settings: ServerSettings, tmp_path: Path, server: ToolServer, told: str
) -> None:
    before = (tmp_path / "settings.toml").read_text()
    with pytest.raises(KnownError, match=told):
        settings.save(server).result(PATIENCE)
    assert (tmp_path / "settings.toml").read_text() == before


def test_a_key_is_kept_goes_along_to_another_name_and_never_to_another_address(
    settings: ServerSettings, keys: Secrets, tmp_path: Path
) -> None:
    assert settings.save(HUB, KEY).result(PATIENCE) is KeyOrigin.MEMORY  # there is no keyring here
    named = replace(HUB, name="named")
    settings.save(named, before="hub").result(PATIENCE)
    found = keys.find_named(named.key_name)
    assert found is not None
    assert found.value == KEY
    assert keys.find_named(HUB.key_name) is None
    moved = replace(named, url="https://other.example/mcp")
    settings.save(moved, before="named").result(PATIENCE)
    assert keys.find_named(moved.key_name) is None
    assert keys.find_named(named.key_name) is None
    settings.save(moved, KEY, before="named").result(PATIENCE)
    both = replace(named, name="both")
    settings.save(both, before="named").result(PATIENCE)
    assert keys.find_named(both.key_name) is None
    settings.save(moved, KEY, before="both").result(PATIENCE)
    settings.remove("named").result(PATIENCE)
    assert keys.find_named(moved.key_name) is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_server_is_tried_without_being_saved(settings: ServerSettings) -> None:
    assert "add" in settings.trial(FAKE).result(PATIENCE)
    with pytest.raises(ToolServerError, match="program “no-such-program” was not found"):
        settings.trial(replace(FAKE, command="no-such-program")).result(PATIENCE)
    with pytest.raises(ToolServerError, match="folder “/no/such” does not exist"):
        settings.trial(replace(FAKE, folder="/no/such")).result(PATIENCE)
    with pytest.raises(KnownError, match="looks like a key"):
        settings.trial(replace(FAKE, env={"TOKEN": KEY})).result(PATIENCE)
    assert names(settings) == []


def test_a_key_is_tried_before_it_is_kept(settings: ServerSettings, keys: Secrets) -> None:
    with mcp_server.at_address(KEY) as url:
        hub = replace(HUB, url=url)
        with pytest.raises(ToolServerError, match="has no key yet"):
            settings.trial(hub).result(PATIENCE)
        assert "add" in settings.trial(hub, KEY).result(PATIENCE)
        assert keys.find_named(hub.key_name) is None
        settings.save(hub, KEY).result(PATIENCE)
        assert "add" in settings.trial(hub).result(PATIENCE)
        assert "add" in settings.trial(replace(hub, name="named"), before="hub").result(PATIENCE)


class Link:
    """A link that reports its tools a number of times, then stays open until it is closed."""

    def __init__(self, times: int) -> None:
        self._times, self._closed = times, asyncio.Event()

    async def serve(self, on_tools: Callable[[tuple[ServerTool, ...]], None]) -> None:
        for _ in range(self._times):
            on_tools((ServerTool("look", "", {}),))
        await self._closed.wait()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        raise NotImplementedError

    def close(self) -> None:
        self._closed.set()


@pytest.mark.parametrize("times", [0, 2])
def test_one_that_says_nothing_is_given_up(chat: ChatApp, times: int) -> None:
    loop, given = chat.services.chat_ports.loop, chat.services.chat_ports.connections
    notices = chat.services.notices
    ports = ToolServerPorts(chat.archive, loop, given.file, notices, lambda _server, _key: Link(times), given.secrets)
    trial = ServerSettings(ports, patience=0.05 if not times else 10).trial(FAKE)
    if times:
        assert trial.result(PATIENCE) == ("look",)
    else:
        with pytest.raises(ToolServerError, match="did not answer in time"):
            trial.result(PATIENCE)


def test_a_program_that_is_tried_ends_with_stemmata(chat: ChatApp, settings: ServerSettings, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    silent = replace(FAKE, args=("-c", code, str(told)))
    trial = settings.trial(silent)
    until(lambda: told.exists() and bool(told.read_text()))
    chat.core.close()
    assert trial.cancelled() or trial.exception(PATIENCE) is not None
    until(lambda: not is_running(int(told.read_text())))


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
