"""Contents of Claude Code messages as blocks."""

from __future__ import annotations

from typing import Any

from stemmata.domain.entries.blocks import Block, Opaque, Text, Thinking, ToolCall
from stemmata.domain.entries.session_facts import Blob
from stemmata.domain.text.json_text import compact
from stemmata.formats.shared.values import image, mapping, text


def blocks_of(content: Any, blobs: list[Blob]) -> tuple[Block, ...]:
    """Blocks of a content that is a string or a list. Images and attached files go to `blobs`."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple([block_of(item, blobs) for item in content])
    return () if content is None else (Opaque("", compact(content)),)


def block_of(item: Any, blobs: list[Blob]) -> Block:
    if isinstance(item, str):
        return Text(item)
    if not isinstance(item, dict):
        return Opaque("", compact(item))
    match item.get("type"):
        case "text" if isinstance(item.get("text"), str):
            return Text(item["text"])
        case "thinking":
            return Thinking(text(item.get("thinking")), text(item.get("signature")))
        case "redacted_thinking":
            return Thinking("", text(item.get("data")), redacted=True)
        case "tool_use":
            return ToolCall(text(item.get("id")), text(item.get("name")), compact(item.get("input", {})))
        case "image" | "document":
            return _attached(item, blobs)
    return Opaque(text(item.get("type")), compact(item))


def _attached(item: dict[str, Any], blobs: list[Blob]) -> Block:
    source = mapping(item.get("source"))
    found = image(source.get("data"), source.get("media_type"), blobs) if source.get("type") == "base64" else None
    return found or Opaque(text(item.get("type")), compact(item))


def text_in(value: Any, depth: int = 4) -> str:
    """The text of a loosely shaped content: strings, lists of them, `content`, `file` and `text` fields."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "\n".join(filter(None, (text_in(item, depth - 1) for item in value)))
    if depth and isinstance(value, dict):
        found = (text_in(value.get(key), depth - 1) for key in ("text", "content", "file", "snippet", "prompt"))
        return next(filter(None, found), "")
    return ""
