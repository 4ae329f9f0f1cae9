"""Convert the records of Factory Droid: messages, hooks, to-do lists, compactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.message_log import Message
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import dump, image, instant, listed, mapping, text

START = "session_start"
_NOTES = frozenset({"todo_state", "agent_turn_outcome", "session_end"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_BY_TOOL = ("<system-reminder>", "<system-notification>")  # beginnings of texts that Droid adds to a prompt


def message(id: str, record: Mapping[str, Any]) -> Message | str:
    """Return what a record becomes, or why it is skipped."""
    type, follows = text(record.get("type")), text(record.get("parentId"))
    time = instant(record.get("timestamp"))
    said = mapping(record.get("message"))
    role = _ROLES.get(text(said.get("role")))
    if type == "message" and said.get("hookEventName"):
        hook = Entry(id=id, kind=Kind.CUSTOM, name="droid:hook", time=time, details=dump(said), flags=Flag.HIDDEN)
        return Message(hook, follows=follows)
    if type == "message" and role is not None:
        blobs: list[Blob] = []
        parts = tuple(_parts(said.get("content"), blobs))
        whole = Entry(
            id=id, role=role, time=time, flags=_flags(role, parts),
            model=text(said.get("model")),
        )  # fmt: skip
        return Message(whole, parts, tuple(blobs), follows)
    if type == "compaction_state":
        summary = text(record.get("summaryText")) or _summary(record.get("summary"))
        details = {key: record[key] for key in ("summaryKind", "removedCount") if key in record}
        whole = Entry(id=id, kind=Kind.COMPACTION, time=time, details=dump(details) if details else "")
        return Message(whole, (Text(summary),) if summary else (), follows=follows)
    if type in _NOTES:
        return Message(Entry(
            id=id, kind=Kind.CUSTOM, name=f"droid:{type}", time=time, details=dump(dict(record)), flags=Flag.HIDDEN,
        ), follows=follows)  # fmt: skip
    if not type:
        return "not a record of Factory Droid"
    return Message(Entry(id=id, kind=Kind.UNKNOWN, name=type, time=time, details=dump(dict(record))), follows=follows)


def _flags(role: Role, parts: tuple[Block | Result, ...]) -> Flag:
    if role is Role.SYSTEM:
        return Flag.HIDDEN
    if role is Role.ASSISTANT:
        return Flag.NONE if any(isinstance(part, ToolCall) for part in parts) else Flag.ENDS_TURN
    said = [part.text for part in parts if isinstance(part, Text)]
    return Flag.INJECTED if said and all(one.lstrip().startswith(_BY_TOOL) for one in said) else Flag.NONE


def _parts(content: Any, blobs: list[Blob]) -> Iterator[Block | Result]:
    for item in listed(content):
        found = mapping(item)
        match found.get("type"):
            case "text" if found.get("text"):
                yield Text(text(found["text"]))
            case "text" if found.keys() <= {"type", "text"}:
                continue
            case "thinking" | "reasoning":
                yield Thinking(text(found.get("thinking") or found.get("text")), text(found.get("signature")))
            case "redacted_thinking":
                yield Thinking("", text(found.get("data")), redacted=True)
            case "tool_use" if found.keys() & {"id", "name", "input"}:
                asked = compact_json(found.get("input") or {})
                yield ToolCall(text(found.get("id")), text(found.get("name")), asked)
            case "tool_result" if found.keys() & {"tool_use_id", "content"}:
                output = tuple(_output(found.get("content"), blobs))
                yield Result(text(found.get("tool_use_id")), "", output, failed=found.get("is_error") is True)
            case "image":
                yield _picture(found, blobs)
            case _ if isinstance(item, str):
                yield Text(item)
            case type:
                yield UnknownBlock(text(type) or "content", compact_json(item))


def _output(content: Any, blobs: list[Blob]) -> Iterator[Block]:
    for item in listed(content):
        found = mapping(item)
        if found.get("type") == "image":
            yield _picture(found, blobs)
        else:
            yield Text(item if isinstance(item, str) else text(found.get("text")) or compact_json(item))


def _picture(found: Mapping[str, Any], blobs: list[Blob]) -> Block:
    source = mapping(found.get("source"))
    return image(source.get("data"), source.get("media_type"), blobs) or UnknownBlock("image", compact_json(found))


def _summary(value: Any) -> str:
    """Return the summary of an older record, which has a title and a body."""
    found = mapping(value)
    return "\n\n".join(filter(None, (text(found.get("title")), text(found.get("body"))))) or text(value)
