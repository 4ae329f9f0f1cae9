"""A small MCP server: run as a program it speaks on its standard streams, else `serve` speaks HTTP on loopback."""

from __future__ import annotations

import base64
import os
import sys

from mcp.server.mcpserver import Context, Image, MCPServer

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

    @server.tool(name="odd name/with: signs")
    def odd() -> str:
        """A name no provider takes."""
        return "odd indeed"

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

    return server


def learnt() -> str:
    """A tool that came later."""
    return "new"


if __name__ == "__main__":
    if "--die" in sys.argv:
        sys.exit("no licence found")
    made().run("stdio")
