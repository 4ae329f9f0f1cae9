"""A small MCP server: run as a program it speaks on its standard streams, `at_address` speaks HTTP on loopback."""

from __future__ import annotations

import base64
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver import Context, Image, MCPServer  # noqa: TID253 - a program of its own

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def made() -> MCPServer:
    server = MCPServer("fake")

    @server.tool()
    def add(a: int, b: int) -> str:
        """Adds two numbers."""
        return f"{a} + {b} = {a + b}"

    @server.tool()
    def fail() -> str:
        """Always fails."""
        raise ValueError("I never work.")

    @server.tool()
    def die() -> str:
        """Ends the program."""
        os._exit(3)

    add_answers(server)
    return server


def add_answers(server: MCPServer) -> None:
    """Tools that answer in other ways than by a line of text."""

    @server.tool()
    def picture() -> Image:
        """A picture of one pixel."""
        return Image(data=PIXEL, format="png")

    @server.tool()
    def flood() -> str:
        """Too much text."""
        return "x" * 200_000

    @server.tool()
    def measured() -> dict[str, int]:
        """Structured."""
        return {"height": 3}

    @server.tool()
    def surroundings(name: str) -> str:
        """A variable of its environment."""
        return os.environ.get(name, "(not set)")

    @server.tool()
    async def learn(context: Context) -> str:
        """Learns a new tool."""
        server.add_tool(learnt)
        await context.notify_tools_changed()
        return "learnt"


@contextmanager
def at_address() -> Iterator[str]:
    """Serves streamable HTTP on loopback; the address."""
    import uvicorn

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        config = uvicorn.Config(made().streamable_http_app(), log_level="critical", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="mcp-http")
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.should_exit = True
            thread.join(10)


def odd() -> str:
    """A name no provider takes."""
    return "odd indeed"


def learnt() -> str:
    """A tool that came later."""
    return "new"


if __name__ == "__main__":
    if "--die" in sys.argv:
        sys.exit("no licence found")
    child = made()
    child.add_tool(odd, name="odd name/with: signs")
    child.run("stdio")
