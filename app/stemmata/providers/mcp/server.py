"""A connection to an MCP server: a child process or an HTTP address. The first connection loads the SDK."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import LOOPBACK, host_of
from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import (
    ServerTool,
    ToolServer,
    ToolServerError,
    referenced_variables,
    resolve_references,
)
from stemmata.domain.text.phrases import Phrase, template
from stemmata.domain.text.untrusted import printable
from stemmata.providers.mcp.invalid_lines import UNREADABLE, words_of
from stemmata.providers.mcp.transport import Errors, Refusal, folder_of, outcome_of, tools_of, transport
from stemmata.providers.shared.faults import causes_of, proxy_to, speaks_no_tls

if TYPE_CHECKING:
    from mcp import Client


MISSING = template(
    "Tools of MCP servers need the package mcp, which comes with the extra “mcp”. Install it into Stemmata's Python "
    "with {0} and start Stemmata again."
)
INSTALL = "pip install 'mcp>=2.3,<3'"
LONGEST = 800  # characters
SHORTEST_SECRET = 4  # characters


def problem_of(server: ToolServer, error: BaseException | None, tail: str, secrets: Sequence[str]) -> Phrase:
    """Return the problem for the user, shortened and without secrets. `tail` is the end of the program's stderr."""
    leaf = _first(error)
    words = str(leaf) if isinstance(leaf, ToolServerError) else _words(server, leaf)
    told = words if isinstance(words, Phrase) else Phrase("{0}", words)
    if tail:
        told = Phrase("{0} Its last output: {1}", told, tail)
    return told.with_values(lambda value: _shown(value, secrets))


def _shown(value: str, secrets: Sequence[str]) -> str:
    value = printable(value)
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            value = value.replace(secret, "…")
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"


def _first(error: BaseException | None) -> BaseException | None:
    """Return the first exception inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(server: ToolServer, error: BaseException | None) -> Phrase:
    what = server.command or server.url
    match error:
        case None:
            return Phrase("The server ended.")
        case FileNotFoundError() | NotADirectoryError() if server.folder and not os.path.isdir(folder_of(server)):
            return Phrase("The folder “{0}” does not exist.", server.folder)
        case FileNotFoundError():
            return Phrase("The program “{0}” was not found.", what)
        case PermissionError():
            return Phrase("No permission to run “{0}”.", what)
        case TimeoutError():
            return Phrase("The server did not answer in time.")
    name = type(error).__name__
    if server.url and name in ("ConnectError", "ConnectTimeout"):
        return _unreachable(server, error)
    reported = getattr(error, "error", None)  # of an MCPError
    if name == "ValidationError" or getattr(reported, "code", 0) == UNREADABLE:
        found = words_of(error) if name == "ValidationError" else getattr(reported, "message", "")
        return Phrase("The server sent an invalid answer: {0}.", found)
    message = " ".join(str(getattr(reported, "message", "") or error).split())
    if server.command and message == "Connection closed":
        return Phrase("The program ended before it answered.")
    return Phrase("The server failed: {0}.", message or name)


def _unreachable(server: ToolServer, error: BaseException | None) -> Phrase:
    causes = list(causes_of(error))
    if any(speaks_no_tls(cause) for cause in causes):
        return Phrase("{0} does not speak TLS. Write an address into its settings that begins with http.", server.url)
    untrusted = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if untrusted is not None:
        return Phrase("The secure connection to {0} failed: {1}", server.url, untrusted)
    proxy = proxy_to(server.url, is_local=host_of(server.url) in LOOPBACK)
    if proxy:
        return Phrase("Nothing answers at {0}, the proxy for {1}.", proxy, server.url)
    return Phrase("Nothing answers at {0}.", server.url)


START = 30.0  # seconds until a server must have listed its tools
CALL = 300.0  # seconds for one call
MOST_PAGES = 20  # pages of the list of tools
CHANGED = "notifications/tools/list_changed"

NO_KEY = template("This server has no key yet. Enter its key here.")

OnTools = Callable[[tuple[ServerTool, ...]], None]
AskKey = Callable[[], Awaitable[str]]


async def no_key() -> str:
    """Return "": the server has no key."""
    return ""


class McpServer:
    """Implements `services.ports.providers.ServerLink`. Use each instance once.

    `key` returns the server's key, "" for none; it is called when the settings have a placeholder for it.
    """

    def __init__(
        self,
        server: ToolServer,
        environment: Mapping[str, str],
        key: AskKey = no_key,
        *,
        start: float = START,
        call: float = CALL,
    ) -> None:
        self._server, self._environment, self._ask_key = server, environment, key
        self._start, self._call = start, call
        self._secrets: list[str] = []  # texts that must never be displayed
        self._refusal = Refusal(server.headers)
        self._client: Client | None = None
        self._ended = asyncio.Event()
        self._changed = asyncio.Event()
        self._is_lost = False
        self._starting: asyncio.Task[Any] | None = None
        self._was_starting = False  # whether the server was still starting when it was closed

    async def serve(self, on_tools: OnTools) -> None:
        """As described in `services.ports.providers.ServerLink`."""
        if find_spec("mcp") is None:
            raise ToolServerError(Phrase(MISSING, INSTALL))
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs each invalid line in full
        with Errors() as errors:
            try:
                await self._serve(on_tools, errors)
            except asyncio.CancelledError:
                if not self._was_starting:
                    raise
            except Exception as error:  # SDK and transport raise groups of any exception
                raise ToolServerError(self._told(error, errors.tail())) from error
            finally:
                self._client = self._starting = None
            if self._is_lost:
                raise ToolServerError(self._told(None, errors.tail()))

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """As described in `services.ports.providers.ServerLink`."""
        client = self._client
        if client is None:
            raise ToolServerError("The tool server is not running.")
        from mcp import MCPError

        try:
            async with asyncio.timeout(self._call):
                answer = await client.call_tool(tool, dict(arguments))
        except TimeoutError:
            words = Phrase("The server did not answer within {0} s.", f"{self._call:.0f}")
            raise ToolServerError(words, is_gone=False) from None
        except MCPError as error:
            if self._is_over(error):
                self._lose()
                raise ToolServerError("The tool server ended before it answered.") from error
            raise ToolServerError(self._told(error), is_gone=False) from error
        except Exception as error:  # an unexpected answer of the server must not end the run
            raise ToolServerError(self._told(error), is_gone=False) from error
        return outcome_of(answer, self._server.name, tool)

    def close(self) -> None:
        """End `serve`; a start that is under way is cancelled."""
        self._ended.set()
        if self._starting is not None and not self._was_starting:
            self._was_starting = self._starting.cancel()

    # -- in its task ------------------------------------------------------------------------------------------

    async def _serve(self, on_tools: OnTools, errors: Errors) -> None:
        """Open and close all contexts in one task, as the SDK requires."""
        from mcp import Client

        self._starting = asyncio.current_task()
        given = await self._given()
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._start):
                way = await transport(self._server, given, errors.file, self._refusal, stack)
                client = await stack.enter_async_context(Client(way, message_handler=self._on_message))
                tools = await _tools(client)
            self._starting = None
            self._client = client
            on_tools(tools)
            listening = asyncio.create_task(self._listen(client))
            try:
                await self._follow(client, on_tools)
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    async def _given(self) -> dict[str, str]:
        """Return `env` or `headers` with their placeholders replaced. Raises ToolServerError."""
        key = await self._ask_key() if self._server.wants_key else ""

        def its_key() -> str:
            if not key:
                raise ToolServerError(Phrase(NO_KEY))
            return key

        written = self._server.headers if self._server.url else self._server.env
        given = {name: resolve_references(value, self._environment, its_key) for name, value in written.items()}
        stood_for = [self._environment.get(name, "") for name in referenced_variables(written.values())]
        self._secrets = [key, *stood_for, *(value for name, value in given.items() if value != written[name])]
        for name, value in given.items() if self._server.url else ():
            if not value.isascii() or not value.isprintable():
                raise ToolServerError(
                    Phrase("The value of the header {0} holds characters that cannot be sent.", name)
                )
        return given

    async def _follow(self, client: Client, on_tools: OnTools) -> None:
        """Run until `close`; list the tools again whenever they change."""
        ended = asyncio.create_task(self._ended.wait())
        try:
            while not self._ended.is_set():
                changed = asyncio.create_task(self._changed.wait())
                await asyncio.wait([ended, changed], return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
                if not self._ended.is_set():
                    self._changed.clear()
                    async with asyncio.timeout(self._start):
                        tools = await _tools(client)
                    on_tools(tools)
        finally:
            ended.cancel()

    async def _listen(self, client: Client) -> None:
        """Listen for changes of the tools. The end of the listening shows that the server ended."""
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _event in events:
                    self._changed.set()
        except SubscriptionLost:
            if self._server.command:  # a remote server may come back
                self._lose()
        except ListenNotSupportedError:
            return  # an older server, which sends notifications without being asked
        except MCPError as error:
            if self._server.command and self._is_over(error):
                self._lose()

    async def _on_message(self, message: object) -> None:
        if getattr(message, "method", "") == CHANGED:
            self._changed.set()

    def _lose(self) -> None:
        if not self._ended.is_set():
            self._is_lost = True
            self._ended.set()

    def _is_over(self, error: Any) -> bool:
        from mcp_types import CONNECTION_CLOSED

        return bool(error.error.code == CONNECTION_CLOSED)

    def _told(self, error: BaseException | None, tail: str = "") -> Phrase:
        values = [*self._server.env.values(), *self._server.headers.values()]
        if self._refusal.words is not None and not isinstance(error, TimeoutError):
            return self._refusal.words
        return problem_of(self._server, error, tail, [*self._secrets, *_longer(values)])


def _longer(values: Any) -> list[str]:
    """Return the texts in the settings that may be keys."""
    return [value for value in values if len(value) >= 16 and not value.startswith(("$", os.sep))]


async def _tools(client: Client) -> tuple[ServerTool, ...]:
    listed: list[Any] = []
    cursor: str | None = None
    for _page in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        listed += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return tools_of(listed)
