"""Convert the records of Kiro CLI: prompts, replies, tool results, and the mark of a cleared conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.message_log import Message
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import dump, listed, mapping, seconds, text, untaken

_ROLES = {"Prompt": Role.USER, "AssistantMessage": Role.ASSISTANT, "ToolResults": Role.USER}
CLEAR = "Clear"


def is_record(found: Mapping[str, Any]) -> bool:
    """Return whether a value is a record: a version, a kind in words, and its data."""
    return isinstance(found.get("kind"), str) and {"version", "data"} <= found.keys()


def is_message(found: Mapping[str, Any]) -> bool:
    """Return whether a value is a record of a message."""
    return is_record(found) and found["kind"] in _ROLES


def record_message(line: int, found: Mapping[str, Any]) -> Message:
    """Return what a record becomes. `line` names it if it has no id."""
    kind, data = text(found["kind"]), mapping(found["data"])
    id = text(data.get("message_id")) or f"line {line}"
    time = seconds(mapping(data.get("meta")).get("timestamp"))
    role = _ROLES.get(kind)
    if role is not None:
        parts = (*_parts(data.get("content")), *untaken(found["data"], "content"))
        goes_on = any(isinstance(part, ToolCall) for part in parts)
        flags = Flag.ENDS_TURN if role is Role.ASSISTANT and not goes_on else Flag.NONE
        return Message(Entry(id=id, role=role, time=time, flags=flags), parts)
    if kind == CLEAR:
        mark = Entry(id=id, kind=Kind.CUSTOM, name="kiro:Clear", time=time, details=dump(found["data"]))
        return Message(mark, ends_talk=True)
    return Message(Entry(id=id, kind=Kind.UNKNOWN, name=kind, time=time, details=dump(found["data"])))


def _parts(content: Any) -> Iterator[Block | Result]:
    for item in listed(content):
        found = mapping(item)
        data = found.get("data")
        match found.get("kind"):
            case "text" if isinstance(data, str):
                if data:
                    yield Text(data)
            case "toolUse" if isinstance(data, dict) and data.keys() & {"toolUseId", "name", "input"}:
                yield ToolCall(text(data.get("toolUseId")), text(data.get("name")), compact_json(data.get("input")))
            case "toolResult" if isinstance(data, dict) and data.keys() & {"toolUseId", "content"}:
                failed = data.get("status") not in (None, "success")
                yield Result(text(data.get("toolUseId")), "", tuple(_output(data.get("content"))), failed=failed)
            case kind:
                yield UnknownBlock(text(kind) or "content", compact_json(item))


def _output(content: Any) -> Iterator[Block]:
    """Yield the output of a tool; of a command's output, what it printed and how it ended."""
    for item in listed(content):
        data = mapping(item).get("data", item)
        printed = mapping(data)
        if isinstance(data, str):
            yield Text(data)
        elif printed.keys() == {"exit_status", "stdout", "stderr"}:
            said = [text(printed[key]).rstrip("\n") for key in ("stdout", "stderr", "exit_status")]
            yield Text("\n".join(filter(None, said)))
        else:
            yield Text(compact_json(data))
