"""Convert a message of Mistral Vibe: text, thinking, tool calls, and the result of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.message_log import Message
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import image, listed, mapping, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.USER}
_SUMMARY = ("<compaction_summary>", "</compaction_summary>")  # tags in the first message after a compaction


def is_message(found: Mapping[str, Any]) -> bool:
    """Return whether a record is a message. Messages of versions before 2.0 have no ids."""
    return text(found.get("role")) in _ROLES and bool(found.keys() & {"content", "tool_calls", "reasoning_content"})


def message(line: int, found: Mapping[str, Any]) -> Message:
    """Return a message. `line` names it if it has no id."""
    role = _ROLES[text(found.get("role"))]
    blobs: list[Blob] = []
    call = text(found.get("tool_call_id"))
    id = text(found.get("message_id")) or (f"result {call}" if call else f"line {line}")
    if found.get("role") == "tool":
        output = tuple(_content(found.get("content")))
        return Message(Entry(id=id, role=role), (Result(call, text(found.get("name")), output),))
    said = text(found.get("content"))
    injected = found.get("injected") is True
    if injected and role is Role.USER and all(tag in said for tag in _SUMMARY):
        return Message(Entry(id=id, kind=Kind.COMPACTION), (Text(said),))
    parts = (*_thoughts(found), *_content(found.get("content")), *_pictures(found, blobs), *_calls(found))
    flags = Flag.INJECTED if injected else Flag.NONE
    if role is Role.ASSISTANT and not found.get("tool_calls"):
        flags |= Flag.ENDS_TURN
    if role is Role.SYSTEM:
        flags |= Flag.HIDDEN
    return Message(Entry(id=id, role=role, flags=flags), parts, tuple(blobs))


def _thoughts(found: Mapping[str, Any]) -> Iterator[Block]:
    thought, signature = text(found.get("reasoning_content")), text(found.get("reasoning_signature"))
    if thought or signature:
        yield Thinking(thought, signature, redacted=not thought)


def _content(content: Any) -> Iterator[Block]:
    """Yield the content of a message, which newer versions write as one text."""
    for item in listed(content):
        said = item if isinstance(item, str) else mapping(item).get("text")
        if isinstance(said, str):
            yield Text(said)
        else:
            yield UnknownBlock("content", compact_json(item))


def _pictures(found: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    """Yield the attached pictures. Vibe usually stores only the path of a picture's file."""
    for item in listed(found.get("images")):
        one = mapping(item)
        data = mapping(one.get("source")).get("data") or one.get("data")
        yield image(data, one.get("mime_type"), blobs) or UnknownBlock("image", compact_json(item))


def _calls(found: Mapping[str, Any]) -> Iterator[Block]:
    for item in listed(found.get("tool_calls")):
        asked = mapping(mapping(item).get("function"))
        if not asked:
            yield UnknownBlock("tool call", compact_json(item))
            continue
        arguments = asked.get("arguments")
        yield ToolCall(
            text(mapping(item).get("id")), text(asked.get("name")),
            arguments if isinstance(arguments, str) else compact_json(arguments or {}),
        )  # fmt: skip
