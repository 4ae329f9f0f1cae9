"""Answers of MCP servers that are not in the form of the protocol: read where that is possible, else told at once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerTool, ToolServer, ToolServerError
from stemmata.domain.entries.blocks import plain_text
from stemmata.providers.mcp.server import McpServer
from stemmata.providers.shared.wire import LARGEST_EVENT
from tests.fakes import answering_mcp_server
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.waiting import PATIENCE

TOOL = {"name": "look", "description": "Look it up.", "inputSchema": {"type": "object"}}
HEAD = b'{"jsonrpc":"2.0","id":%d,'
FINE = HEAD + b'"result":{"content":[{"type":"text","text":"fine"}]}}'


def program(answer: bytes = FINE, tools: Sequence[Mapping[str, Any]] = (TOOL,)) -> ToolServer:
    arguments = (str(Path(answering_mcp_server.__file__)), json.dumps(list(tools)), repr(answer))
    return ToolServer(name="odd", command=sys.executable, args=arguments)


async def called(answer: bytes) -> ToolOutcome:
    """Call the only tool of a server, twice, so that the first answer has not ended the server."""
    server, ready = McpServer(program(answer), os.environ), asyncio.Event()
    serving = asyncio.create_task(server.serve(lambda _tools: ready.set()))
    await asyncio.wait_for(ready.wait(), PATIENCE)
    try:
        problems = [await _problem_of(server) for _ in range(2)]
        assert problems[0] == problems[1]
        if problems[0]:
            raise ToolServerError(problems[0])
        return await server.call("look", {})
    finally:
        server.close()
        await asyncio.wait_for(serving, PATIENCE)


async def _problem_of(server: McpServer) -> str:
    try:
        await asyncio.wait_for(server.call("look", {}), PATIENCE / 4)
    except ToolServerError as error:
        return str(error)
    return ""


async def listed(tools: Sequence[Mapping[str, Any]]) -> tuple[ServerTool, ...]:
    server = McpServer(program(tools=tools), os.environ)
    told: asyncio.Future[tuple[ServerTool, ...]] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(server.serve(told.set_result))
    waited: list[asyncio.Future[Any]] = [told, serving]
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    server.close()
    await serving
    return told.result()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (b"a\xffb", "a\ufffdb"),
        (rb"cut \ud83d", "cut \ufffd"),
        (rb"\ud83d\ude00 cut \ude00", "\U0001f600 cut \ufffd"),
    ],
    ids=["not UTF-8", "half a character", "a character and a half"],
)
def test_a_text_with_invalid_characters_is_read(text: bytes, read: str) -> None:
    answer = HEAD + b'"result":{"content":[{"type":"text","text":"' + text + b'"}]}}'
    assert plain_text(asyncio.run(called(answer)).blocks) == read


def test_a_mark_at_the_beginning_of_a_line_is_no_part_of_the_answer() -> None:
    assert plain_text(asyncio.run(called(b"\xef\xbb\xbf" + FINE)).blocks) == "fine"


@pytest.mark.parametrize("rest", [b'"result":null}', b'"result":[]}', b'"error":"bad"}', b'"neither":1}'])
def test_an_answer_without_a_result_fails_its_call_at_once(rest: bytes) -> None:
    with pytest.raises(ToolServerError, match="an invalid answer: it has neither a valid result nor a valid error"):
        asyncio.run(called(HEAD + rest))


def test_a_line_that_is_no_answer_changes_nothing() -> None:
    stray = b'Ready.\n{"half": \n["\\ud83d"]\n{"id": null, "a": "\\ud83d"}\n'
    assert plain_text(asyncio.run(called(stray + FINE)).blocks) == "fine"


def test_a_result_in_another_form_is_told_in_words() -> None:
    with pytest.raises(ToolServerError) as told:
        asyncio.run(called(HEAD + b'"result":{"content":"text"}}'))
    assert str(told.value) == "The server sent an invalid answer: content: Input should be a valid list."


def test_a_list_in_another_form_is_told_in_words() -> None:
    with pytest.raises(ToolServerError, match=r"an invalid answer: tools.1.inputSchema: Field required\."):
        asyncio.run(listed([TOOL, {"name": "bare"}]))


def test_of_tools_with_the_same_name_the_first_is_offered() -> None:
    tools = asyncio.run(listed([TOOL, TOOL | {"description": "Another."}, TOOL | {"name": "other"}]))
    assert [(tool.name, tool.description) for tool in tools] == [
        ("look", "Look it up."),
        ("other", "Look it up."),
    ]


class Endless(LoopbackServer):
    """Answers with twice as many bytes as are read, and then with nothing more."""

    def answer(self, exchange: Exchange) -> None:
        handler = exchange._handler
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        for _ in range(64):
            handler.wfile.write(b"x" * (LARGEST_EVENT // 32))
        exchange.stall()


def test_an_answer_without_an_end_is_given_up() -> None:
    with Endless() as server, pytest.raises(ToolServerError, match="Failed to parse"):
        asyncio.run(McpServer(ToolServer(name="odd", url=server.url), {}).serve(lambda _tools: None))
