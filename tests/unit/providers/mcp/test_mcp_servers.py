"""MCP servers that are slow, silent, noisy or gone: each ends in words, and none is waited for without end."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from stemmata.domain.chat.tool_servers import ServerTool, ToolServer, ToolServerError
from stemmata.providers.mcp.server import McpServer
from tests.fakes import mcp_server
from tests.fakes.waiting import PATIENCE

SILENT = ToolServer(name="silent", command="sleep", args=("600",))
NOISY = ToolServer(name="noisy", command=sys.executable, args=("-uc", "while True: print('no message')"))
TELLTALE = ToolServer(
    name="told", command=sys.executable, args=("-c", "import os; exit(os.environ['KEY'])"), env={"KEY": "$KEY"}
)
FAKE = ToolServer(name="fake", command=sys.executable, args=(str(Path(mcp_server.__file__)),))


def ignore(_tools: tuple[ServerTool, ...]) -> None:
    pass


async def served(server: ToolServer) -> None:
    await McpServer(server, {"KEY": "sk-very-secret"}, start=0.3).serve(ignore)


@pytest.mark.parametrize("server", [SILENT, NOISY], ids=["silent", "noisy"])
def test_a_server_that_speaks_no_protocol_is_given_up(server: ToolServer) -> None:
    with pytest.raises(ToolServerError, match="did not answer in time"):
        asyncio.run(served(server))


def test_what_a_program_tells_of_its_trouble_holds_no_key() -> None:
    with pytest.raises(ToolServerError) as told:
        asyncio.run(McpServer(TELLTALE, {"KEY": "sk-very-secret"}).serve(ignore))
    assert "Its last output: …" in str(told.value)
    assert "secret" not in str(told.value)


def test_closing_does_not_wait_for_a_start() -> None:
    async def close() -> None:
        server = McpServer(SILENT, os.environ)
        serving = asyncio.create_task(server.serve(ignore))
        while server._starting is None:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
        server.close()
        await asyncio.wait_for(serving, PATIENCE)

    asyncio.run(close())


def test_a_program_that_is_killed_is_noticed() -> None:
    async def kill() -> None:
        server, ready = McpServer(FAKE, os.environ), asyncio.Event()
        serving = asyncio.create_task(server.serve(lambda _tools: ready.set()))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        calling = asyncio.create_task(server.call("die", {}))
        with pytest.raises(ToolServerError, match="ended before it answered"):
            await calling
        with pytest.raises(ToolServerError, match="The server ended"):
            await asyncio.wait_for(serving, PATIENCE)
        with pytest.raises(ToolServerError, match="is not running"):
            await server.call("add", {"a": 1, "b": 2})

    asyncio.run(kill())


def test_a_call_has_an_end() -> None:
    async def call() -> None:
        server, ready = McpServer(FAKE, os.environ, call=0.0001), asyncio.Event()
        serving = asyncio.create_task(server.serve(lambda _tools: ready.set()))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        with pytest.raises(ToolServerError, match="did not answer within") as late:
            await server.call("add", {"a": 1, "b": 2})
        assert not late.value.is_gone
        server.close()
        await asyncio.wait_for(serving, PATIENCE)

    asyncio.run(call())
