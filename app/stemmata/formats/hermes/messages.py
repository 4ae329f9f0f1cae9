"""Convert a message of Hermes to an entry: a prompt, a reply with its calls, a result, or a summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.values import count, dump, image, listed, mapping, seconds, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL_RESULT, "system": Role.SYSTEM}
_LISTED = ("\0json:", "\1json:")  # written before a content that is a list of parts
_SUMMARY = re.compile(r"\s*\[CONTEXT (COMPACTION|SUMMARY)\b")
_OF_SUBAGENT = "[ASYNC DELEGATION "  # begins a prompt with which Hermes tells the results of subagents
_DATA_URL = re.compile(r"data:([^;,]*);base64,")
_ENDS = {
    "tool_calls": Flag.NONE, "length": Flag.CUT, "content_filter": Flag.FAILED, "error": Flag.FAILED,
    "incomplete": Flag.CUT,
}  # fmt: skip
_DETAILS = ("effect_disposition", "display_kind", "display_metadata", "observed")
# what makes two rows copies of one message
_SAME = ("role", "content", "timestamp", "tool_call_id", "tool_calls", "tool_name")


@dataclass(frozen=True, slots=True)
class HermesMessage:
    """A row of the table `messages`: its columns by name, None for one that the table lacks."""

    id: str
    columns: Mapping[str, Any]
    record: Record

    @property
    def is_summary(self) -> bool:
        """Whether the message stands for all messages before it."""
        content = plain(self.columns["content"])
        return bool(self.columns["_compressed_summary"]) or _SUMMARY.match(content) is not None

    @property
    def is_undone(self) -> bool:
        """Whether the message is neither in the context nor summed up: Hermes undid or copied it."""
        return self.columns["active"] == 0 and not self.columns["compacted"]

    @property
    def same(self) -> tuple[str, ...]:
        """A value that is equal for copies of one message: a compaction copies the last messages behind it."""
        return tuple(plain(self.columns[name]) for name in _SAME)


def entry_of(message: HermesMessage, model: str, provider: str, blobs: list[Blob]) -> Entry:
    """Return the entry of a message without its parent; the bytes of its pictures are appended to `blobs`."""
    columns = message.columns
    role, name = _ROLES.get(plain(columns["role"])), plain(columns["role"])
    time = seconds(columns["timestamp"])
    if role is None:
        given = {key: plain(value) for key, value in columns.items() if value is not None}
        return Entry(
            id=message.id, kind=Kind.UNKNOWN, name=name or "message", flags=Flag.HIDDEN, time=time,
            details=compact_json(given), record=message.record,
        )  # fmt: skip
    said = tuple(_content(plain(columns["content"]), blobs))
    if message.is_summary:
        return Entry(id=message.id, kind=Kind.COMPACTION, time=time, blocks=said, model=model, record=message.record)
    facts = {key: plain(columns[key]) for key in _DETAILS if columns[key]}
    details = compact_json(facts) if facts else ""
    if role is Role.TOOL_RESULT:
        return Entry(
            id=message.id, role=role, time=time, blocks=said, tool=plain(columns["tool_name"]),
            call=plain(columns["tool_call_id"]), details=details, record=message.record,
        )  # fmt: skip
    if role is not Role.ASSISTANT:
        return Entry(
            id=message.id, role=role, time=time, blocks=said, flags=_marks(role, columns), details=details,
            record=message.record,
        )  # fmt: skip
    calls = tuple(_calls(message.id, columns["tool_calls"]))
    written = count(columns["token_count"])
    return Entry(
        id=message.id, role=role, time=time, blocks=(*_thinking(columns), *said, *calls), model=model,
        provider=provider, usage=Usage(output=written) if written else None, details=details, record=message.record,
        flags=_ENDS.get(plain(columns["finish_reason"]), Flag.NONE if calls else Flag.ENDS_TURN),
    )  # fmt: skip


def _marks(role: Role, columns: Mapping[str, Any]) -> Flag:
    """Return the marks of a message that no person wrote: a hidden one, or one with the result of a subagent."""
    kind = plain(columns["display_kind"])
    flags = Flag.HIDDEN if role is Role.SYSTEM or kind == "hidden" else Flag.NONE
    is_by_hermes = bool(kind) or plain(columns["content"]).startswith(_OF_SUBAGENT)
    return flags | Flag.INJECTED if role is Role.USER and is_by_hermes else flags


def _content(said: str, blobs: list[Blob]) -> Iterator[Block]:
    """Yield the content of a message: a text, or a list of texts and pictures after a sign."""
    if not said.startswith(_LISTED):
        yield from [Text(said)] if said else []
        return
    found = parsed(said.partition(":")[2])
    if found is None:
        yield Text(said.lstrip("\0\1"))
    for part in listed(found):
        given = mapping(part)
        url = mapping(given.get("image_url")).get("url") or given.get("image_url")
        data = _DATA_URL.match(url) if isinstance(url, str) else None
        if isinstance(given.get("text"), str):
            yield Text(given["text"])
        elif data is not None and (picture := image(str(url)[data.end() :], data[1], blobs)) is not None:
            yield picture
        else:
            yield UnknownBlock(text(given.get("type")) or "part", dump(part))


def _thinking(columns: Mapping[str, Any]) -> Iterator[Thinking]:
    """Yield the thinking of a reply, or its sealed form."""
    said = plain(columns["reasoning_content"]) or plain(columns["reasoning"])
    if said:
        yield Thinking(said)
        return
    for item in listed(parsed(columns["codex_reasoning_items"])):
        sealed = text(mapping(item).get("encrypted_content"))
        if sealed:
            yield Thinking("", sealed, redacted=True)


def _calls(id: str, value: Any) -> Iterator[Block]:
    found = parsed(value)
    if found is None and plain(value):
        yield UnknownBlock("tool_calls", compact_json(plain(value)))
    for at, call in enumerate(listed(found), 1):
        given = mapping(call)
        function = mapping(given.get("function")) or given
        asked = function.get("arguments")
        arguments = parsed(asked) if isinstance(asked, str) else asked
        if not isinstance(arguments, dict):
            arguments = {"input": asked} if asked else {}
        name = text(function.get("name"))
        own = text(given.get("id")) or text(given.get("call_id")) or f"{id}#call{at}"
        yield ToolCall(own, name, compact_json(arguments)) if name else UnknownBlock("tool_calls", dump(call))
