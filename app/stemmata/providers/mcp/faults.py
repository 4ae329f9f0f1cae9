"""What went wrong with an MCP server, in words."""

from __future__ import annotations

import os
import ssl
from collections.abc import Sequence

from stemmata.domain.chat.connections import LOOPBACK, host_of
from stemmata.domain.chat.tool_servers import ToolServer, ToolServerError
from stemmata.domain.text.untrusted import printable
from stemmata.providers.mcp.transport import folder_of
from stemmata.providers.shared.faults import causes_of, proxy_to, speaks_no_tls

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
    told = printable(told)
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
        return _unreachable(server, error)
    message = " ".join(str(getattr(getattr(error, "error", None), "message", "") or error).split())
    if server.command and message == "Connection closed":
        return "The program ended before it answered."
    return f"The server failed: {message or name}."


def _unreachable(server: ToolServer, error: BaseException | None) -> str:
    causes = list(causes_of(error))
    if any(speaks_no_tls(cause) for cause in causes):
        return f"{server.url} does not speak TLS. Write an address into its settings that begins with http."
    untrusted = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if untrusted is not None:
        return f"There is no secure connection to {server.url}: {untrusted}"
    proxy = proxy_to(server.url, is_local=host_of(server.url) in LOOPBACK)
    where = f"{proxy}, the proxy on the way to {server.url}" if proxy else server.url
    return f"Nothing answers at {where}."
