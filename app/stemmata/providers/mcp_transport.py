"""The way to an MCP server: a child process without a shell, or streamable HTTP."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from stemmata.domain.tool_servers import ToolServer, ToolServerError

if TYPE_CHECKING:
    from types import TracebackType

TAIL = 600  # bytes of what a program last said of its trouble


class Errors:
    """What a program writes to its standard error: the end of it is kept, for the words when it fails.

    On a loop that watches no pipes (Windows) it is thrown away.
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


def environment_of(server: ToolServer, environment: Mapping[str, str]) -> dict[str, str]:
    """What the settings give the program beyond the few variables that every one gets. Raises ToolServerError."""
    given = {}
    for name, value in server.env.items():
        if value.startswith("$"):
            if value[1:] not in environment:
                raise ToolServerError(f"The environment variable {value[1:]} is not set.")
            value = environment[value[1:]]
        given[name] = value
    return given


def transport(server: ToolServer, given: Mapping[str, str], errors: TextIO) -> Any:
    """What the SDK's client connects by."""
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    if server.url:
        return server.url
    return stdio_client(
        StdioServerParameters(command=server.command, args=list(server.args), env=dict(given)), errlog=errors
    )
