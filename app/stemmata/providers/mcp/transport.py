"""The way to an MCP server: a child process without a shell, or streamable HTTP."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, TextIO

from stemmata.domain.chat.connections import LOOPBACK, host_of
from stemmata.domain.chat.tool_servers import ToolServer
from stemmata.providers.mcp.refusal import Refusal

if TYPE_CHECKING:
    from types import TracebackType

    import httpx2

TAIL = 600  # bytes of what a program last said of its trouble
CONNECT, READ = 30.0, 300.0  # seconds; a server may hold an answer open


class Errors:
    """What a program writes to its standard error: the end of it is kept, for the words when it fails.

    On a loop that watches no pipes it is thrown away.
    """

    def __init__(self) -> None:
        self._kept = b""
        self._source = -1

    def __enter__(self) -> Errors:
        source, drain = os.pipe()
        os.set_blocking(source, False)
        try:
            asyncio.get_running_loop().add_reader(source, self._read)
            self._source = source
        except NotImplementedError:
            # asyncio's ProactorEventLoop, the loop of Windows, has no add_reader. Its only other way, subprocesses'
            # own pipes, is the SDK's to use: it starts the program, and takes no more than a file for its errors.
            os.close(source)
            os.close(drain)
            drain = os.open(os.devnull, os.O_WRONLY)
        self.file: TextIO = os.fdopen(drain, "w", encoding="utf-8")
        return self

    def __exit__(self, _type: type[BaseException] | None, _value: object, _trace: TracebackType | None) -> None:
        self.file.close()
        if self._source >= 0:
            asyncio.get_running_loop().remove_reader(self._source)
            os.close(self._source)

    def tail(self) -> str:
        """To be asked for before it is closed."""
        if self._source >= 0:
            self._read()
        return self._kept.decode("utf-8", "replace").strip()

    def _read(self) -> None:
        with suppress(BlockingIOError):
            self._kept = (self._kept + os.read(self._source, 65536))[-TAIL:]


async def transport(
    server: ToolServer, given: Mapping[str, str], errors: TextIO, refusal: Refusal, stack: AsyncExitStack
) -> Any:
    """What the SDK's client connects by. `given`: the values of `env`, or of `headers`, as they are handed on."""
    if server.url:
        from mcp.client.streamable_http import streamable_http_client

        client = await stack.enter_async_context(_http_client(server, given, refusal))
        return streamable_http_client(server.url, http_client=client)
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    folder = folder_of(server) or None
    return stdio_client(
        StdioServerParameters(command=server.command, args=list(server.args), env=dict(given), cwd=folder),
        errlog=errors,
    )


def folder_of(server: ToolServer) -> str:
    """Where its program runs, "" for where this one does."""
    return os.path.expanduser(server.folder)


def _http_client(server: ToolServer, headers: Mapping[str, str], refusal: Refusal) -> httpx2.AsyncClient:
    """Redirects are followed by the SDK, and only to the same origin: headers go nowhere else."""
    import httpx2

    return httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(CONNECT, read=READ),
        trust_env=host_of(server.url) not in LOOPBACK,
        event_hooks={"response": [refusal.notice]},
    )
