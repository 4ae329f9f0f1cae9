"""What MCP servers say, as ours: tools with the schemas providers take, results as blocks of bounded size."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerTool
from stemmata.domain.entries.blocks import Block, Image, Text
from stemmata.domain.text.json_text import MAX_NESTING, compact, is_deeper

LARGEST = 50_000  # characters of text of a result
LARGEST_IMAGE = 5 * 1024 * 1024  # bytes; as requests take them
MOST_IMAGES = 20
MOST_TOOLS = 128
LONGEST_NAME = 200  # characters
LONGEST_DESCRIPTION = 4_000  # characters
LARGEST_SCHEMA = 50_000  # characters
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_NOT_AT_TOP = ("oneOf", "anyOf", "allOf")  # Anthropic's Messages API refuses them there


def tools_of(listed: Iterable[Any]) -> tuple[ServerTool, ...]:
    """Those that can be offered: a name or a schema that is none, or is too large, costs its tool."""
    tools = []
    for tool in list(listed)[:MOST_TOOLS]:
        schema = _schema(tool.input_schema)
        if schema is not None and 0 < len(tool.name) <= LONGEST_NAME:
            tools.append(ServerTool(tool.name, (tool.description or "")[:LONGEST_DESCRIPTION], schema))
    return tuple(tools)


def _schema(schema: object) -> Mapping[str, Any] | None:
    if not isinstance(schema, Mapping) or is_deeper(schema, MAX_NESTING):
        return None
    plain = {key: value for key, value in schema.items() if key not in _NOT_AT_TOP}
    plain["type"] = "object"
    try:
        return plain if len(json.dumps(plain)) <= LARGEST_SCHEMA else None
    except (TypeError, ValueError):
        return None


def outcome_of(answer: Any, server: str, tool: str) -> ToolOutcome:
    """`answer` is the SDK's CallToolResult."""
    reading = _Reading()
    for content in answer.content:
        reading.add(content)
    if not reading.has_text and answer.structured_content is not None:
        reading.say(_printed(answer.structured_content))
    if reading.cut:
        reading.blocks.append(Text(f"[cut: {reading.cut} more characters]"))
    details = compact({"origin": server, "tool": tool})
    return ToolOutcome(tuple(reading.blocks), bool(answer.is_error), details, reading.files)


class _Reading:
    """The blocks of one result, as they are read."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.files: dict[str, bytes] = {}
        self.has_text = False
        self.cut = 0  # characters that were left out
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
        return compact(value)
    except (RecursionError, TypeError, ValueError):
        return "[structured content that cannot be printed]"
