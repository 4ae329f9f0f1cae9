"""Servers of tools as they come and go, and some that will not go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerPhase, ServerTool, ToolServer, ToolServerError
from stemmata.domain.entries.blocks import Text
from stemmata.domain.sessions.changes import Change
from stemmata.services.ports.providers import ServerLink
from stemmata.services.tools import servers as module
from stemmata.services.tools.servers import ToolServerPorts, ToolServers
from stemmata.system.loop import IoLoop
from tests.fakes.waiting import PATIENCE, until
from tests.unit.services.conftest import Bench

ONE, TWO = ToolServer(name="one", command="a"), ToolServer(name="two", command="b")


class Link:
    """A link with one tool, which ends when it is closed unless it is `stubborn`."""

    def __init__(self, *, stubborn: bool = False, starts: bool = True, waits: bool = False) -> None:
        self.starts, self.waits, self.is_gone, self.is_slow = starts, waits, False, False
        self.stubborn, self.cancelled, self.closed = stubborn, False, 0
        self._end = asyncio.Event()

    async def serve(self, on_tools: Callable[[tuple[ServerTool, ...]], None]) -> None:
        if not self.starts:
            raise ToolServerError("There is no such program.")
        if not self.waits:
            on_tools((ServerTool("look", "", {}),))
        try:
            await self._end.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if self.is_gone:
            raise ToolServerError("It ended.")

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        if self.is_gone:
            raise ToolServerError("It ended before it answered.")
        if self.is_slow:
            raise ToolServerError("No answer came.", is_gone=False)
        return ToolOutcome((Text(f"{tool} {dict(arguments)}"),))

    def close(self) -> None:
        self.closed += 1
        if not self.stubborn:
            self._end.set()

    async def leave(self) -> None:
        self._end.set()


class Shop:
    """Tool servers whose settings and links the test controls."""

    def __init__(self, bench: Bench, *listed: ToolServer) -> None:
        self.listed, self.loop, self.stubborn = listed, IoLoop(), False
        self.links: list[Link] = []
        self.starts, self.waits = True, False
        file: Any = SimpleNamespace(servers=lambda: self.listed)
        keys: Any = SimpleNamespace()
        self.servers = ToolServers(
            ToolServerPorts(bench.archive, self.loop, file, bench.services.notices, self._opened, keys), wait=PATIENCE
        )

    def _opened(self, _server: ToolServer) -> ServerLink:
        self.links.append(Link(stubborn=self.stubborn, starts=self.starts, waits=self.waits))
        return cast("ServerLink", self.links[-1])

    def ready(self) -> list[str]:
        return list(self.loop.run(self.servers.ready()).result(PATIENCE))

    def call(self, name: str) -> ToolOutcome:
        return self.loop.run(self.servers.call(name, "look", {"at": 1})).result(PATIENCE)

    @property
    def phases(self) -> list[tuple[str, ServerPhase]]:
        return [(state.server, state.phase) for state in self.servers.states().result(PATIENCE)]


@pytest.fixture
def shop(bench: Bench) -> Iterator[Shop]:
    made = Shop(bench, ONE, TWO)
    yield made
    made.servers.close()
    made.loop.close()


def test_all_start_with_the_first_that_wants_them(shop: Shop, bench: Bench) -> None:
    assert shop.phases == [("one", ServerPhase.STOPPED), ("two", ServerPhase.STOPPED)]
    with pytest.raises(ToolServerError, match="“one” is not running"):
        shop.call("one")
    shop.ready()
    assert shop.phases == [("one", ServerPhase.READY), ("two", ServerPhase.READY)]
    assert shop.call("one").blocks == (Text("look {'at': 1}"),)
    assert [(server.name, tool.name) for server, tool in shop.servers.offered] == [("one", "look"), ("two", "look")]
    assert bench.published[-1].what is Change.TOOLS
    shop.ready()
    assert len(shop.links) == 2
    with pytest.raises(ToolServerError, match="“three” is not running"):
        shop.call("three")


def test_one_that_left_the_settings_ends_and_one_that_changed_starts_anew(shop: Shop) -> None:
    shop.ready()
    shop.listed = (replace(TWO, command="c"),)
    shop.ready()
    assert shop.phases == [("two", ServerPhase.READY)]
    assert [server.command for server, _tool in shop.servers.offered] == ["c"]
    assert len(shop.links) == 3
    with pytest.raises(ToolServerError, match="is not running"):
        shop.call("one")


def test_one_that_two_see_to_have_left_the_settings_is_forgotten_once(shop: Shop) -> None:
    shop.ready()
    shop.listed, leaving = (TWO,), shop.links[0]
    leaving.stubborn = True
    both = [shop.loop.run(shop.servers.ready()) for _ in range(2)]
    until(lambda: leaving.closed == 2)
    leaving.stubborn = False
    shop.loop.run(leaving.leave()).result(PATIENCE)
    for each in both:
        each.result(PATIENCE)
    assert shop.phases == [("two", ServerPhase.READY)]
    assert len(shop.links) == 2


def test_one_that_is_not_there_is_stopped_already(shop: Shop) -> None:
    shop.servers.stop("two").result(PATIENCE)
    shop.servers.stop("three").result(PATIENCE)
    assert shop.links == []


def test_one_that_does_not_go_is_made_to(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FAREWELL", 0.05)
    shop.stubborn = True
    shop.ready()
    shop.servers.stop("one").result(PATIENCE)
    assert [link.cancelled for link in shop.links] == [True, False]
    assert shop.phases == [("one", ServerPhase.STOPPED), ("two", ServerPhase.READY)]
    assert [server.name for server, _tool in shop.servers.offered] == ["two"]


def test_nothing_starts_once_all_have_ended(shop: Shop) -> None:
    shop.ready()
    shop.servers.close()
    shop.servers.start("one").result(PATIENCE)
    shop.ready()
    assert len(shop.links) == 2
    assert shop.phases == [("one", ServerPhase.STOPPED), ("two", ServerPhase.STOPPED)]


def test_an_end_that_cannot_be_waited_for_is_logged(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    shop.ready()
    shop.loop.close()
    until(lambda: all(link.cancelled for link in shop.links))
    with caplog.at_level(logging.WARNING):
        shop.servers.close()
    assert "Not all servers of tools ended in time." in caplog.text
    shop.servers._held.clear()


# -- those that end by themselves, or do not start -----------------------------------------------------------


def test_one_that_ended_by_itself_is_started_again(shop: Shop) -> None:
    shop.listed = (ONE,)
    assert shop.ready() == []
    shop.links[-1].is_gone = True
    with pytest.raises(ToolServerError, match="ended before it answered"):
        shop.call("one")
    assert shop.phases == [("one", ServerPhase.FAILED)]
    assert shop.servers.offered == ()
    assert shop.ready() == []
    assert (shop.phases, len(shop.links)) == ([("one", ServerPhase.READY)], 2)
    assert shop.call("one").blocks == (Text("look {'at': 1}"),)


def test_one_that_ends_again_and_again_is_left_alone_until_it_is_started_by_hand(shop: Shop) -> None:
    shop.listed = (ONE,)
    for _ in range(module.MOST_STARTS):
        assert shop.ready() == []
        shop.links[-1].is_gone = True
        shop.loop.run(shop.links[-1].leave()).result(PATIENCE)
        until(lambda: shop.phases == [("one", ServerPhase.FAILED)])
    assert shop.ready() == ["The tool server “one” is not running: It ended."]
    assert len(shop.links) == module.MOST_STARTS
    shop.servers.start("one").result(PATIENCE)
    until(lambda: shop.phases == [("one", ServerPhase.READY)])


def test_one_that_does_not_start_is_tried_again_after_a_while(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.listed, shop.starts = (ONE,), False
    told = ["The tool server “one” is not running: There is no such program."]
    assert (shop.ready(), shop.ready(), len(shop.links)) == (told, told, 1)
    monkeypatch.setattr(module, "PAUSE", 0.0)
    shop.starts, shop.waits = True, True  # nothing waits for it this time
    assert shop.ready() == ["The tool server “one” is still starting. Its tools are not available yet."]
    assert len(shop.links) == 2


def test_one_that_does_not_answer_in_time_goes_on(shop: Shop) -> None:
    shop.ready()
    shop.links[0].is_slow = True
    with pytest.raises(ToolServerError, match="one: No answer came"):
        shop.call("one")
    assert shop.phases == [("one", ServerPhase.READY), ("two", ServerPhase.READY)]
