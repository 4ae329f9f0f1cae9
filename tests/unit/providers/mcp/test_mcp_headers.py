"""Headers for MCP servers: what they stand for is sent, told by nobody, and asked for where it is not there."""

from __future__ import annotations

import asyncio

import pytest

from stemmata.domain.chat.tool_servers import (
    ServerTool,
    ToolServer,
    ToolServerError,
    referenced_variables,
    resolve_references,
)
from stemmata.domain.text.phrases import Phrase
from stemmata.providers.mcp.server import LONGEST, McpServer, problem_of
from tests.fakes import mcp_server
from tests.fakes.mcp_server import Door
from tests.fakes.waiting import PATIENCE

KEY = "tok-very-secret-1234"
BEARER = {"Authorization": "Bearer ${key}"}
OAUTH = 'Bearer resource_metadata="https://hub.example/.well-known/oauth-protected-resource"'


async def started(server: ToolServer, key: str = "", **environment: str) -> list[ServerTool]:
    """Start it, list its tools, end it."""

    async def ask() -> str:
        return key

    link, ready = McpServer(server, environment, ask), asyncio.Event()
    listed: list[ServerTool] = []

    def on_tools(tools: tuple[ServerTool, ...]) -> None:
        listed[:] = tools
        ready.set()

    serving, waiting = asyncio.create_task(link.serve(on_tools)), asyncio.create_task(ready.wait())
    await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
    waiting.cancel()
    link.close()
    await serving
    return listed


def problem(server: ToolServer, key: str = "", **environment: str) -> str:
    with pytest.raises(ToolServerError) as told:
        asyncio.run(started(server, key, **environment))
    assert KEY not in str(told.value)
    return str(told.value)


def test_a_key_and_a_variable_are_sent_in_headers() -> None:
    doors: list[Door] = []
    headers = BEARER | {"X-Team": "${env:TEAM}", "X-Plain": "as $it is"}
    with mcp_server.at_address(KEY, doors=doors) as url:
        assert asyncio.run(started(ToolServer(name="hub", url=url, headers=headers), KEY, TEAM="blue"))
    assert all(came["x-team"] == "blue" and came["x-plain"] == "as $it is" for came in doors[0].came)


def test_what_is_not_there_is_said_before_anything_is_sent() -> None:
    doors: list[Door] = []
    with mcp_server.at_address(KEY, doors=doors) as url:
        assert "has no key yet" in problem(ToolServer(name="hub", url=url, headers=BEARER))
        unset = ToolServer(name="hub", url=url, headers={"A": "${env:NOT_SET}"})
        assert problem(unset) == "The environment variable NOT_SET is not set."
        odd = ToolServer(name="hub", url=url, headers=BEARER | {"A": "${env:ODD}"})
        assert "header A holds characters" in problem(odd, KEY, ODD="a\nb")
    assert doors[0].came == []


@pytest.mark.parametrize(
    ("headers", "asks", "status", "told"),
    [
        ({}, OAUTH, 401, "login with a browser (OAuth), which Stemmata does not support"),
        ({}, "Bearer", 401, "requires a key or token (HTTP 401)"),
        ({}, "", 403, "requires a key or token (HTTP 403)"),
        (BEARER, OAUTH, 401, "refused the key (HTTP 401)"),
        (BEARER, "", 403, "does not allow access with this key"),
    ],
)
def test_whoever_is_not_let_in_is_told_why(headers: dict[str, str], asks: str, status: int, told: str) -> None:
    with mcp_server.at_address("another", asks, status) as url:
        words = problem(ToolServer(name="hub", url=url, headers=headers), KEY)
    assert told in words
    assert "{{" not in words


def test_a_server_that_is_not_there_is_told_as_such() -> None:
    far = ToolServer(name="hub", url="http://127.0.0.1:9/mcp", headers=BEARER)
    assert problem(far, KEY) == "Nothing answers at http://127.0.0.1:9/mcp."


def test_a_server_that_speaks_no_tls_is_told_as_such() -> None:
    with mcp_server.at_address() as url:
        secure = url.replace("http:", "https:")
        words = problem(ToolServer(name="hub", url=secure))
    assert words == f"{secure} does not speak TLS. Write an address into its settings that begins with http."


def test_a_proxy_that_is_not_there_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:hunter22@127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    words = problem(ToolServer(name="hub", url="http://models.invalid/mcp"))
    assert words == "Nothing answers at 127.0.0.1:9, the proxy for http://models.invalid/mcp."


def test_stand_ins_are_filled_wherever_they_stand() -> None:
    environment = {"A": "1", "B": "2"}
    assert resolve_references("${env:A}-${key}-${env:B}", environment, lambda: "k") == "1-k-2"
    assert resolve_references("$A", environment, lambda: "k") == "1"
    assert resolve_references("$A and $B", environment, lambda: "k") == "$A and $B"
    assert referenced_variables(["$A", "x ${env:B}", "${key}"]) == ["A", "B"]


def test_a_key_belongs_to_one_address() -> None:
    one = ToolServer(name="hub", url="https://one.example/mcp", headers=BEARER)
    other = ToolServer(name="hub", url="https://other.example/mcp", headers=BEARER)
    assert one.wants_key
    assert one.key_name != other.key_name
    assert not ToolServer(name="hub", url="https://one.example/mcp").wants_key


def test_a_problem_keeps_its_template_for_other_languages_and_shows_no_secret() -> None:
    server = ToolServer(name="notes", command="notes-server")
    told = problem_of(server, None, "token s3cret" + "x" * 2 * LONGEST, ["s3cret"])
    assert told.template == "{0} Its last output: {1}"
    assert told.values[0] == Phrase("The server ended.")
    assert isinstance(told.values[0], Phrase)
    assert told.startswith("The server ended. Its last output: token …xxx")
    assert len(told) < 2 * LONGEST
    assert problem_of(server, FileNotFoundError(), "", []).template == "The program “{0}” was not found."
