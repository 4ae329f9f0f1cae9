"""A small MCP server: run as a program it speaks on its standard streams, `at_address` speaks HTTP on loopback."""

from __future__ import annotations

import base64
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer  # noqa: TID253 - a program of its own

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def made() -> MCPServer:
    server = MCPServer("fake")

    @server.tool()
    def add(a: int, b: int) -> str:
        """Add two numbers."""
        return f"{a} + {b} = {a + b}"

    @server.tool()
    def fail() -> str:
        """Always fail."""
        raise ValueError("I never work.")

    @server.tool()
    def die() -> str:
        """End the program."""
        os._exit(3)

    add_answers(server)
    return server


def add_answers(server: MCPServer) -> None:
    """Add tools whose answers are not a line of text."""

    @server.tool()
    def picture() -> Image:
        """A picture of one pixel."""
        return Image(data=PIXEL, format="png")

    @server.tool()
    def flood() -> str:
        """Return too much text."""
        return "x" * 200_000

    @server.tool()
    def measured() -> dict[str, int]:
        """Return a structured result."""
        return {"height": 3}

    @server.tool()
    def surroundings(name: str) -> str:
        """A variable of its environment."""
        return os.environ.get(name, "(not set)")

    @server.tool()
    async def learn(context: Context) -> str:
        """Add a new tool to the server."""
        server.add_tool(learnt)
        await context.notify_tools_changed()
        return "learnt"


class Door:
    """Admits requests with the key and records their headers. `asks` is the answer to other requests."""

    def __init__(self, app: Any, key: str, asks: str, status: int) -> None:
        self._app, self._key, self._asks, self._status = app, key, asks, status
        self.came: list[dict[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.came.append(headers)
            if self._key and headers.get("authorization") != f"Bearer {self._key}":
                asks = [(b"www-authenticate", self._asks.encode())] if self._asks else []
                await send({"type": "http.response.start", "status": self._status, "headers": asks})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


@contextmanager
def at_address(key: str = "", asks: str = "", status: int = 401, doors: list[Door] | None = None) -> Iterator[str]:
    """Serve streamable HTTP on loopback and return the address. `doors` gets the door in front of it."""
    import uvicorn

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # who asks before the server runs is answered when it does
        port = listening.getsockname()[1]
        door = Door(made().streamable_http_app(), key, asks, status)
        if doors is not None:
            doors.append(door)
        config = uvicorn.Config(door, log_level="critical", lifespan="on", ws="none")
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
