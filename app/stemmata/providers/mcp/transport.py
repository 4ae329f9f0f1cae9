"""The transport to an MCP server: a child process without a shell, or streamable HTTP."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, TextIO

from stemmata.domain.chat.connections import LOOPBACK, host_of
from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerTool, ToolServer
from stemmata.domain.entries.blocks import Block, Image, Text
from stemmata.domain.text.json_text import MAX_NESTING, compact_json, nests_deeper_than
from stemmata.domain.text.phrases import Phrase, template
from stemmata.providers.mcp.invalid_lines import with_invalid_lines_answered
from stemmata.providers.shared.wire import LARGEST_EVENT, read_beginning

if TYPE_CHECKING:
    from types import TracebackType

    import httpx2
if TYPE_CHECKING:
    import httpx2


LARGEST = 50_000  # characters of text per result
LARGEST_IMAGE = 5 * 1024 * 1024  # bytes; the limit of requests
MOST_IMAGES = 20
MOST_TOOLS = 128
LONGEST_NAME = 200  # characters
LONGEST_DESCRIPTION = 4_000  # characters
LARGEST_SCHEMA = 50_000  # characters
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_NOT_AT_TOP = ("oneOf", "anyOf", "allOf")  # Anthropic's Messages API refuses these at the top level


def tools_of(listed: Iterable[Any]) -> tuple[ServerTool, ...]:
    """Return the tools that can be offered. Left out are tools with an invalid or too large name or schema, and tools
    with the name of an earlier one.
    """
    tools: dict[str, ServerTool] = {}
    for tool in listed:
        schema = _schema(tool.input_schema)
        if schema is not None and 0 < len(tool.name) <= LONGEST_NAME and len(tools) < MOST_TOOLS:
            description = (tool.description or "")[:LONGEST_DESCRIPTION]
            tools.setdefault(tool.name, ServerTool(tool.name, description, schema))
    return tuple(tools.values())


def _schema(schema: object) -> Mapping[str, Any] | None:
    if not isinstance(schema, Mapping) or nests_deeper_than(schema, MAX_NESTING):
        return None
    plain = {key: value for key, value in schema.items() if key not in _NOT_AT_TOP}
    plain["type"] = "object"
    try:
        return plain if len(json.dumps(plain)) <= LARGEST_SCHEMA else None
    except (TypeError, ValueError):
        return None


def outcome_of(answer: Any, server: str, tool: str) -> ToolOutcome:
    """Convert the SDK's CallToolResult."""
    reading = _Reading()
    for content in answer.content:
        reading.add(content)
    if not reading.has_text and answer.structured_content is not None:
        reading.say(_printed(answer.structured_content))
    if reading.cut:
        reading.blocks.append(Text(f"[cut: {reading.cut} more characters]"))
    details = compact_json({"origin": server, "tool": tool})
    return ToolOutcome(tuple(reading.blocks), bool(answer.is_error), details, reading.files)


class _Reading:
    """Collects the blocks of a result, up to the size limits."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.files: dict[str, bytes] = {}
        self.has_text = False
        self.cut = 0  # number of characters left out
        self._room = LARGEST

    def add(self, content: Any) -> None:
        match content.type:
            case "text":
                self.has_text = True
                self.say(content.text)
            case "image":
                self._show(content.data, content.mime_type)
            case "resource":
                self._embed(content.resource)
            case "resource_link":
                self.say(f"[{content.name}: {content.uri}]")
            case _:
                self.say(f"[{content.type}: not shown]")

    def say(self, text: str) -> None:
        shown = text[: self._room]
        self._room -= len(shown)
        self.cut += len(text) - len(shown)
        if shown:
            self.blocks.append(Text(shown))

    def _show(self, data: str, media_type: str) -> None:
        if media_type not in IMAGES or len(self.files) >= MOST_IMAGES or len(data) > LARGEST_IMAGE * 4 // 3 + 4:
            self.say(f"[an image of type {media_type[:100]}, {len(data) * 3 // 4} bytes: not shown]")
            return
        try:
            image = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            self.say("[an image that is damaged: not shown]")
            return
        digest = hashlib.sha256(image).hexdigest()
        self.files[digest] = image
        self.blocks.append(Image(media_type, digest, len(image)))

    def _embed(self, resource: Any) -> None:
        text = getattr(resource, "text", None)
        if isinstance(text, str):
            self.has_text = True
            self.say(f"[{resource.uri}]\n{text}")
        elif resource.mime_type in IMAGES:
            self._show(resource.blob, resource.mime_type)
        else:
            self.say(f"[{resource.uri}: {len(resource.blob) * 3 // 4} bytes, not shown]")


def _printed(value: object) -> str:
    try:
        return compact_json(value)
    except (RecursionError, TypeError, ValueError):
        return "[structured content that cannot be printed]"


REFUSED = template("The server refused the key (HTTP {0}). Enter another key.")
FORBIDDEN = template(
    "The server does not allow access with this key (HTTP 403). Ask its operator what the key permits."
)
LOGIN = template(
    "The server requires a login with a browser (OAuth), which Stemmata does not support. If its provider also "
    "issues tokens or keys, create one, and write into the settings of this server: {1}. Then enter the key here."
)
KEYLESS = template(
    "The server requires a key or token (HTTP {0}). Write into its settings in which header it is sent, for example "
    "{1}. Then enter the key here."
)
HEADERS = 'headers = { Authorization = "Bearer ${key}" }'


class Refusal:
    """Watches a server's HTTP answers for a refusal. `words` describes it; None while there is none."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._has_key = any("${" in value for value in headers.values())
        self.words: Phrase | None = None

    async def notice(self, response: httpx2.Response) -> None:
        """Note a response's refusal."""
        status, asks = response.status_code, response.headers.get("www-authenticate", "").lower()
        if status == 403 and self._has_key:
            self.words = Phrase(FORBIDDEN)
        elif status in (401, 403) and not self._has_key:
            self.words = Phrase(LOGIN if "resource_metadata" in asks else KEYLESS, str(status), HEADERS)
        elif status == 401:
            self.words = Phrase(REFUSED, str(status))


TAIL = 600  # bytes kept from the end of a program's stderr
CONNECT, READ = 30.0, 300.0  # seconds; a server may keep an answer open


class Errors:
    """Keeps the end of a program's stderr, for the message when the program fails.

    On a loop that cannot watch pipes stderr is discarded.
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
            # The ProactorEventLoop of Windows has no add_reader. The alternative, pipes of asyncio's own
            # subprocesses,
            # is not available: the SDK starts the program and accepts only a file for stderr.
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
        """Return the kept text. Call it before closing."""
        if self._source >= 0:
            self._read()
        return self._kept.decode("utf-8", "replace").strip()

    def _read(self) -> None:
        with suppress(BlockingIOError):
            self._kept = (self._kept + os.read(self._source, 65536))[-TAIL:]


async def transport(
    server: ToolServer, given: Mapping[str, str], errors: TextIO, refusal: Refusal, stack: AsyncExitStack
) -> Any:
    """Return the transport for the SDK's client. `given` are the final values of `env` or `headers`."""
    if server.url:
        from mcp.client.streamable_http import streamable_http_client

        client = await stack.enter_async_context(_http_client(server, given, refusal))
        return streamable_http_client(server.url, http_client=client)
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    folder = folder_of(server) or None
    program = StdioServerParameters(
        command=server.command, args=list(server.args), env=dict(given), cwd=folder, encoding_error_handler="replace"
    )  # an invalid byte would end the reading, and all calls would wait
    return with_invalid_lines_answered(stdio_client(program, errlog=errors))


def folder_of(server: ToolServer) -> str:
    """Return the working folder of the server's program; "" for our own."""
    return os.path.expanduser(server.folder)


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() != "text/event-stream":
        await read_beginning(response, LARGEST_EVENT, None)


def _http_client(server: ToolServer, headers: Mapping[str, str], refusal: Refusal) -> httpx2.AsyncClient:
    """Return the HTTP client. The SDK follows redirects, but only to the same origin, so headers go nowhere else."""
    import httpx2

    return httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(CONNECT, read=READ),
        trust_env=host_of(server.url) not in LOOPBACK,
        event_hooks={"response": [refusal.notice, _bound]},
    )
