"""Convert a message of Cline, in the form of Anthropic's API: text, attachments, thinking, calls and results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock, name_of
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, image, instant, mapping, millionths, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_TASK = re.compile(r"\s*<(task|feedback|user_message)>\n?(.*?)\n?</\1>\s*\Z", re.DOTALL)
_BY_TOOL = re.compile(r"\s*(\[[a-z_]+(?: for [^\]]*)?\] Result:|<environment_details>|\[ERROR\])")


def is_message(found: Mapping[str, Any]) -> bool:
    """Return whether a value is a message."""
    return text(found.get("role")) in _ROLES and "content" in found


def message_entries(
    id: str, found: Mapping[str, Any], record: Record, told: Mapping[str, Any], model: str, blobs: list[Blob]
) -> Iterator[Entry]:
    """Yield the entries of a message without parents. `told` are tokens from another file, `model` is the task's."""
    parts = list(_parts(found.get("content"), blobs))
    role = _ROLES[text(found.get("role"))]
    time = instant(found.get("ts"))
    if found.get("isSummary") is True:
        said = "\n\n".join(part.text for part in parts if isinstance(part, Text))
        yield Entry(id=id, kind=Kind.COMPACTION, blocks=(Text(said),) if said else (), time=time, record=record)
        return
    if role is Role.USER:
        parts.sort(key=lambda part: isinstance(part, Text) and not name_of(part))  # attachments come first
        written = [part for part in parts if isinstance(part, Text)]
        by_tool = bool(written) and all(_BY_TOOL.match(part.text) for part in written)
        whole = Entry(
            id=id, role=role, time=time, record=record, flags=Flag.INJECTED if by_tool else Flag.NONE
        )  # fmt: skip
    else:
        info = mapping(found.get("modelInfo"))
        goes_on = bool(parts) and isinstance(parts[-1], ToolCall)
        whole = Entry(
            id=id, role=role, time=time, record=record, provider=text(info.get("provider") or info.get("providerId")),
            model=text(info.get("id") or info.get("modelId")) or model,
            usage=_usage(found.get("metrics")) or _told_usage(told), flags=Flag.NONE if goes_on else Flag.ENDS_TURN,
        )  # fmt: skip
    yield from split_at_results(whole, parts)


def _parts(content: Any, blobs: list[Blob]) -> Iterator[Block | Result]:
    for item in content if isinstance(content, list) else [content]:
        found = mapping(item)
        match found.get("type"):
            case "text" if found.get("text"):
                yield Text(_unwrapped(text(found["text"])))
            case "text":
                continue
            case "thinking":
                yield Thinking(text(found.get("thinking") or found.get("text")), text(found.get("signature")))
            case "reasoning":
                yield Thinking(text(found.get("text")))
            case "redacted_thinking":
                yield Thinking("", text(found.get("data")), redacted=True)
            case "tool_use":
                asked = compact_json(mapping(found.get("input")))
                yield ToolCall(text(found.get("id")), text(found.get("name")), asked)
            case "tool_result":
                yield _result(found, blobs)
            case "image":
                yield _picture(found, blobs)
            case "file" if found.get("content"):
                name = text(found.get("path")).replace("\\", "/").rpartition("/")[2][:200].replace("\n", " ")
                yield Text(f"{name or 'file'}:\n\n{text(found['content'])}")
            case type if isinstance(item, str):
                yield from [Text(_unwrapped(item))] if item and type is None else []
            case type:
                yield UnknownBlock(text(type) or "content", compact_json(item))


def _unwrapped(said: str) -> str:
    """Return a text without the tags that Cline puts around the person's words."""
    found = _TASK.match(said)
    return found[2] if found is not None else said


def _result(found: Mapping[str, Any], blobs: list[Blob]) -> Result:
    content = found.get("content")
    blocks: list[Block] = []
    for item in content if isinstance(content, list) else [content]:
        one = mapping(item)
        if one.get("type") == "image":
            blocks.append(_picture(one, blobs))
        elif said := item if isinstance(item, str) else text(one.get("text") or (one or None)):
            blocks.append(Text(said))
    call, tool = text(found.get("tool_use_id")), text(found.get("name"))
    return Result(call, tool, tuple(blocks), failed=found.get("is_error") is True)


def _picture(found: Mapping[str, Any], blobs: list[Blob]) -> Block:
    source = mapping(found.get("source"))
    data, kind = source.get("data") or found.get("data"), source.get("media_type") or found.get("mediaType")
    return image(data, kind, blobs) or UnknownBlock("image", compact_json(found))


def _usage(metrics: Any) -> Usage | None:
    """Return the tokens in a message. Those that the server had cached are part of the input."""
    found = mapping(metrics)
    tokens = mapping(found.get("tokens"))
    sent = count(found.get("inputTokens")) or count(tokens.get("prompt"))
    written = count(found.get("outputTokens")) or count(tokens.get("completion"))
    read = min(count(found.get("cacheReadTokens")) or count(tokens.get("cached")), sent)
    made = min(count(found.get("cacheWriteTokens")), sent - read)
    if not sent and not written:
        return None
    return Usage(sent - read - made, written, read, made, cost=millionths(found.get("cost")))


def _told_usage(told: Mapping[str, Any]) -> Usage | None:
    """Return the tokens that the editor displayed; cached tokens are counted separately from the input."""
    if not told:
        return None
    names = ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")
    sent, written, read, made = (count(told.get(name)) for name in names)
    return Usage(sent, written, read, made, cost=millionths(told.get("cost")))
