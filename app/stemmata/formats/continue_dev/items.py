"""Convert an item of Continue's history: to a prompt, a reply with the results of its calls, or a compaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import count, image, mapping, text

_ROLES = frozenset({"user", "assistant", "thinking", "tool", "system"})
_MARK = "[COMPACTED HISTORY]\n"  # begins the summary of the command-line program
_DATA_URL = re.compile(r"data:([^;,]*);base64,")
_FAILED = ("errored", "canceled")  # states of a call


def is_item(found: Mapping[str, Any]) -> bool:
    """Return whether a value is an item of a history."""
    return text(mapping(found.get("message")).get("role")) in _ROLES


def is_empty(found: Mapping[str, Any]) -> bool:
    """Return whether an item says nothing: Continue keeps the place of a reply that has not come."""
    message = mapping(found.get("message"))
    silent = not message.get("content") and not message.get("toolCalls") and not message.get("redactedThinking")
    return silent and message.get("role") != "user" and not found.get("reasoning")


def summary_of(found: Mapping[str, Any]) -> str:
    """Return the summary of the conversation up to an item; "" for none."""
    said = _plain(mapping(found.get("message")))
    return text(found.get("conversationSummary")) or (said.removeprefix(_MARK) if said.startswith(_MARK) else "")


def is_summary(found: Mapping[str, Any]) -> bool:
    """Return whether an item only repeats the summary, as the command-line program writes it."""
    said = _plain(mapping(found.get("message"))).removeprefix(_MARK).strip()
    return bool(said) and said == summary_of(found).strip()


def compaction(id: str, found: Mapping[str, Any], record: Record) -> Entry:
    """Return the compaction behind an item; nothing that was said before it is sent again."""
    return Entry(id=id, kind=Kind.COMPACTION, blocks=(Text(summary_of(found)),), record=record)


class ItemEntries:
    """Makes the entries of items, without their parents. `model` is that of the session."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._tools: dict[str, str] = {}  # call → tool
        self._answered: set[str] = set()

    def entries(self, id: str, found: Mapping[str, Any], record: Record, blobs: list[Blob]) -> Iterator[Entry]:
        """Yield the entries of an item. A result that the call's item already contains is not repeated."""
        message = mapping(found.get("message"))
        entry = Entry(id=id, record=record)
        match message.get("role"):
            case "user":
                yield replace(entry, role=Role.USER, blocks=(*_context(found), *_said(message, blobs)))
            case "system":
                yield replace(entry, role=Role.SYSTEM, blocks=tuple(_said(message, blobs)), flags=Flag.HIDDEN)
            case "thinking":
                thought = _thinking(_plain(message), message)
                yield replace(entry, role=Role.ASSISTANT, blocks=(thought,), flags=Flag.UNFINISHED)
            case "tool":
                yield from self._lone_result(entry, message, blobs)
            case _:
                yield self._reply(entry, found, message, blobs)
                yield from self._results(entry, found)

    def _reply(self, entry: Entry, found: Mapping[str, Any], message: Mapping[str, Any], blobs: list[Blob]) -> Entry:
        thought = text(mapping(found.get("reasoning")).get("text"))
        calls = [_call(one) for one in _list(message.get("toolCalls"))]
        self._tools |= {call.id: call.name for call in calls}
        logs = _list(found.get("promptLogs"))
        log = mapping(logs[-1]) if logs else {}
        provider = text(log.get("modelProvider"))
        return replace(
            entry, role=Role.ASSISTANT, provider=provider, model=text(log.get("modelTitle")) or self._model,
            blocks=(*([Thinking(thought)] if thought else ()), *_said(message, blobs), *calls),
            usage=_usage(message.get("usage"), provider), flags=Flag.NONE if calls else Flag.ENDS_TURN,
        )  # fmt: skip

    def _results(self, entry: Entry, found: Mapping[str, Any]) -> Iterator[Entry]:
        for at, one in enumerate(_list(found.get("toolCallStates"))):
            state = mapping(one)
            status, call = text(state.get("status")), text(state.get("toolCallId"))
            outputs = [mapping(output) for output in _list(state.get("output"))]
            if not outputs and status not in _FAILED:
                continue  # the call still runs
            self._answered.add(call)
            said = [text(output.get("content")) for output in outputs]
            yield replace(
                entry, id=f"{entry.id}#{at + 2}", role=Role.TOOL_RESULT, call=call, tool=self._tools.get(call, ""),
                blocks=tuple(map(Text, filter(None, said))), flags=Flag.FAILED if status in _FAILED else Flag.NONE,
            )  # fmt: skip

    def _lone_result(self, entry: Entry, message: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Entry]:
        call = text(message.get("toolCallId"))
        if call not in self._answered:
            yield replace(
                entry, role=Role.TOOL_RESULT, call=call, tool=self._tools.get(call, ""),
                blocks=tuple(_said(message, blobs)),
            )  # fmt: skip


def _context(found: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the attachments of a prompt: files, and other things that the user named with `@`."""
    for one in _list(found.get("contextItems")):
        item = mapping(one)
        if content := text(item.get("content")):
            name = " ".join(text(item.get("name")).split())[:200]
            yield Text(f"{name or 'context'}:\n\n{content}")


def _said(message: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        one = mapping(part)
        url = mapping(one.get("imageUrl")).get("url")
        data = _DATA_URL.match(url) if isinstance(url, str) else None
        if said := part if isinstance(part, str) else one.get("text") if one.get("type") == "text" else "":
            yield Text(text(said))
        elif data is not None and isinstance(url, str):
            yield image(url[data.end() :], data[1], blobs) or UnknownBlock("image", compact_json(part))
        elif part and one.get("type") != "text":
            yield UnknownBlock(text(one.get("type")) or "content", compact_json(part))


def _plain(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part if isinstance(part, str) else text(mapping(part).get("text")) for part in parts)


def _thinking(said: str, message: Mapping[str, Any]) -> Thinking:
    sealed = text(message.get("redactedThinking"))
    return Thinking(said, sealed or text(message.get("signature")), redacted=bool(sealed and not said))


def _call(value: Any) -> ToolCall:
    found = mapping(value)
    function = mapping(found.get("function"))
    given = function.get("arguments")
    asked = given if isinstance(given, str) else compact_json(given or {})
    return ToolCall(text(found.get("id")), text(function.get("name")), asked)


def _usage(value: Any, provider: str) -> Usage | None:
    """Return the tokens of a reply. Most providers count cached tokens as input; Anthropic counts it apart."""
    found = mapping(value)
    sent, written = count(found.get("promptTokens")), count(found.get("completionTokens"))
    details = mapping(found.get("promptTokensDetails"))
    read, made = count(details.get("cachedTokens")), count(details.get("cacheWriteTokens"))
    if not sent and not written:
        return None
    is_apart = provider in ("anthropic", "bedrock") or read + made > sent
    return Usage(sent if is_apart else sent - read - made, written, read, made)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
