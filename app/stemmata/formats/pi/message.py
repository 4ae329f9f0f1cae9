"""Convert a pi message to entry fields: blocks, usage, and the fields of each role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Flag, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import count, dump, exact_json, image, mapping, millionths, text

EntryFields = dict[str, Any]  # keyword arguments of an Entry

_TURN_ENDS = frozenset({"stop", "length", "end_turn"})
_STOP_FLAGS = {"error": Flag.FAILED, "aborted": Flag.ABORTED, **dict.fromkeys(_TURN_ENDS, Flag.ENDS_TURN)}
_CALL_TYPES = frozenset({"toolCall", "tool_use", "toolUse", "functionCall"})  # gateways write the last three
_BASH_DETAILS = ("exitCode", "cancelled", "truncated", "fullOutputPath")


def message_fields(message: dict[str, Any], blobs: list[Blob]) -> EntryFields | None:
    """Return the entry fields of a message; None for a role that pi never stores.

    The caller then keeps the record as an entry of unknown kind.
    """
    role = message.get("role")
    build = _ROLES.get(role) if isinstance(role, str) else None
    return None if build is None else build(message, blobs)


def blocks_of(content: Any, blobs: list[Blob]) -> tuple[Block, ...]:
    """Return the blocks of a content that is a string or a list; append images to `blobs`."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple([_block(item, blobs) for item in content])
    return () if content is None else (UnknownBlock("", compact_json(content)),)


def _block(item: Any, blobs: list[Blob]) -> Block:
    if isinstance(item, str):
        return Text(item)
    if not isinstance(item, dict):
        return UnknownBlock("", compact_json(item))
    kind = item.get("type")
    if kind == "text":
        return Text(text(item.get("text")), text(item.get("textSignature")))
    if kind == "thinking":
        signature = text(item.get("thinkingSignature"))
        return Thinking(text(item.get("thinking")), signature, bool(item.get("redacted")))
    if isinstance(kind, str) and kind in _CALL_TYPES:
        arguments = item["arguments"] if "arguments" in item else item.get("input", {})
        signature = text(item.get("thoughtSignature"))
        return ToolCall(text(item.get("id")), text(item.get("name")), exact_json(arguments), signature)
    if kind == "image":
        source = mapping(item.get("source"))
        media_type = item.get("mimeType") or source.get("media_type")
        picture = image(item.get("data") or source.get("data"), media_type, blobs)
        if picture is not None:
            return picture
    return UnknownBlock(text(kind), compact_json(item))


def usage_of(value: Any) -> Usage | None:
    """Convert pi's usage object, whose costs are in dollars; None when there is none."""
    if not isinstance(value, dict):
        return None
    cost = value.get("cost")
    if isinstance(cost, dict):
        parts = [cost.get(part) for part in ("input", "output", "cacheRead", "cacheWrite")]
        known = [part for part in map(millionths, parts) if part is not None]
        total = millionths(cost.get("total"))
        paid = total if total is not None else sum(known) if known else None
    else:
        paid = millionths(cost)
    return Usage(
        input=count(value.get("input")),
        output=count(value.get("output")),
        cache_read=count(value.get("cacheRead")),
        cache_write=count(value.get("cacheWrite")),
        total=count(value.get("totalTokens")),
        cost=paid,
    )


def custom_fields(source: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    """Return the entry fields of a `custom` message or a `custom_message` record; both have the same shape."""
    return {
        "role": Role.CUSTOM,
        "name": text(source.get("customType")),
        "blocks": blocks_of(source.get("content"), blobs),
        "flags": Flag.HIDDEN if source.get("display") is False else Flag.NONE,
        "details": dump(source.get("details")),
    }


def _user(message: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    return {"role": Role.USER, "blocks": blocks_of(message.get("content"), blobs)}


def _system(message: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    return {
        "role": Role.SYSTEM,
        "name": text(message.get("role")),
        "blocks": blocks_of(message.get("content"), blobs),
    }


def _assistant(message: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    stop = message.get("stopReason")
    details = {key: message[key] for key in ("errorMessage",) if message.get(key) is not None}
    if isinstance(stop, str) and stop not in _STOP_FLAGS and stop != "toolUse":
        details["stopReason"] = stop
    return {
        "role": Role.ASSISTANT,
        "blocks": blocks_of(message.get("content"), blobs),
        "provider": text(message.get("provider")),
        "model": text(message.get("model")),
        "usage": usage_of(message.get("usage")),
        "flags": _STOP_FLAGS.get(stop, Flag.NONE) if isinstance(stop, str) else Flag.NONE,
        "details": dump(details) if details else "",
    }


def _tool_result(message: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    return {
        "role": Role.TOOL_RESULT,
        "blocks": blocks_of(message.get("content"), blobs),
        "tool": text(message.get("toolName")),
        "call": text(message.get("toolCallId")),
        "flags": Flag.FAILED if message.get("isError") is True else Flag.NONE,
        "details": dump(message.get("details")),
    }


def _bash(message: dict[str, Any], _blobs: list[Blob]) -> EntryFields:
    output = text(message.get("output"))
    code = message.get("exitCode")
    flags = Flag.FAILED if isinstance(code, int | float) and code != 0 else Flag.NONE
    if message.get("cancelled") is True:
        flags |= Flag.ABORTED
    if message.get("excludeFromContext") is True:
        flags |= Flag.EXCLUDED
    details = {key: message[key] for key in _BASH_DETAILS if message.get(key) is not None}
    return {
        "role": Role.BASH_EXECUTION,
        "name": text(message.get("command")),
        "blocks": (Text(output),) if output else (),
        "flags": flags,
        "details": dump(details) if details else "",
    }


_ROLES: dict[str, Callable[[dict[str, Any], list[Blob]], EntryFields]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash,
    "custom": custom_fields,
    "developer": _system,
    "system": _system,
}
