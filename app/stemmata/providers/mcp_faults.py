"""What went wrong with an MCP server, in words."""

from __future__ import annotations

import os
from collections.abc import Sequence

from stemmata.domain.tool_servers import ToolServer, ToolServerError
from stemmata.providers.mcp_transport import folder_of

MISSING = (
    "Tools of MCP servers need the package mcp, which comes with the extra “mcp”. Install it beside Stemmata with "
    "pip install 'mcp>=2.3,<3' and start Stemmata again."
)
LONGEST = 800  # characters
SHORTEST_SECRET = 4  # characters


def problem_of(server: ToolServer, error: BaseException | None, tail: str, secrets: Sequence[str]) -> str:
    """For people: without secrets, no longer than is read. `tail` is what the program last wrote of its trouble."""
    leaf = _first(error)
    told = str(leaf) if isinstance(leaf, ToolServerError) else _words(server, leaf)
    if tail:
        told = f"{told} It last wrote: {tail}"
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            told = told.replace(secret, "…")
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}…"


def _first(error: BaseException | None) -> BaseException | None:
    """Task groups wrap what happened, often more than once."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(server: ToolServer, error: BaseException | None) -> str:
    what = server.command or server.url
    match error:
        case None:
            return "The server ended."
        case FileNotFoundError() | NotADirectoryError() if server.folder and not os.path.isdir(folder_of(server)):
            return f"There is no folder “{server.folder}”."
        case FileNotFoundError():
            return f"There is no program “{what}”."
        case PermissionError():
            return f"“{what}” may not be run."
        case TimeoutError():
            return "The server did not answer in time."
    name = type(error).__name__
    if server.url and name in ("ConnectError", "ConnectTimeout"):
        return f"Nothing answers at {what}."
    message = " ".join(str(getattr(getattr(error, "error", None), "message", "") or error).split())
    if server.command and message == "Connection closed":
        return "The program ended before it answered."
    return f"The server failed: {message or name}."
