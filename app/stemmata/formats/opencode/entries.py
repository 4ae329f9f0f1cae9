"""Convert a message of opencode to entries: a prompt, a reply with its calls and their results, or a compaction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.opencode.message import MessagePart, OpencodeMessage
from stemmata.formats.shared.values import count, dump, image, instant, mapping, millionths, text

# parts that are no content: snapshots of the folder, marks around a step, retries, and names that the text has, too
SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "retry", "agent"})
_DATA_URL = re.compile(r"data:([^;,]*)[^,]*;base64,", re.DOTALL)
_GOES_ON = ("tool-calls", "unknown")  # ends of a reply after which the model is asked again
_FACTS = ("agent", "mode", "variant", "error", "system")


def entries_of(message: OpencodeMessage, id: str) -> Iterator[Entry | Blob]:
    """Yield the entries of a message without their parents, each before the next, and their blobs before them.

    `id` is the id of the first entry; the other entries have this id and a number. A message without a role makes no
    entry.
    """
    blobs: list[Blob] = []
    role = message.data.get("role")
    made: list[Entry] = []
    if role == "user":
        made = _prompt(message, blobs)
    elif role == "assistant":
        made = _reply(message, blobs)
    elif message.data or not message.damage:
        said = tuple(block for part in message.parts for block in _said(part.data, blobs))
        made = [Entry(id="", kind=Kind.UNKNOWN, flags=Flag.HIDDEN, blocks=said, details=dump(message.data))]
    yield from blobs
    for at, entry in enumerate(made):
        yield replace(entry, id=f"{id}#{at + 1}" if at else id, time=entry.time or _created(message))


def tail_of(message: OpencodeMessage) -> str | None:
    """Return the first message that a compaction keeps whole; None when the message asks for no compaction."""
    asked = _part(message, "compaction")
    return None if asked is None else text(asked.data.get("tail_start_id"))


def _created(message: OpencodeMessage) -> int:
    return instant(mapping(message.data.get("time")).get("created")) or message.time


def _part(message: OpencodeMessage, type: str) -> MessagePart | None:
    return next((part for part in message.parts if part.data.get("type") == type), None)


# -- prompts -------------------------------------------------------------------------------------------------------


def _prompt(message: OpencodeMessage, blobs: list[Blob]) -> list[Entry]:
    """Return the user's text, then the text that the program added, then the text that was not sent to the model."""
    asked = _part(message, "compaction")
    if asked is not None:
        told = dump(asked.data)
        return [Entry(id="", kind=Kind.CUSTOM, name="opencode:compaction", flags=Flag.HIDDEN, details=told)]
    groups: dict[Flag, list[Block]] = {}
    for part in message.parts:
        data = part.data
        flags = Flag.INJECTED if data.get("synthetic") else Flag.NONE
        flags |= Flag.INJECTED | Flag.EXCLUDED if data.get("ignored") else Flag.NONE
        groups.setdefault(flags, []).extend(_said(data, blobs))
    facts = {key: message.data[key] for key in _FACTS if message.data.get(key)}
    made = [
        Entry(id="", role=Role.USER, blocks=tuple(groups[flags]), flags=flags)
        for flags in sorted(groups)
        if groups[flags]
    ] or [Entry(id="", role=Role.USER)]
    return [replace(made[0], details=compact_json(facts) if facts else ""), *made[1:]]


def _said(data: dict[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    """Yield the block of a part, if it has content."""
    type = text(data.get("type"))
    if type == "text":
        yield from _text(data.get("text"))
    elif type == "file":
        yield _file(data, blobs)
    elif type not in SILENT:
        yield UnknownBlock(type, dump(data))


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()


def _file(data: dict[str, Any], blobs: list[Blob]) -> Block:
    """Return a picture that the part holds, or a reference to another file."""
    name = " ".join(text(data.get("filename")).split())[:250]
    url = text(data.get("url"))
    found = _DATA_URL.match(url)
    picture = None if found is None else image(url[found.end() :], text(data.get("mime")) or found[1], blobs)
    if picture is not None:
        return replace(picture, name=name)
    return UnknownBlock(f"file {name}".strip(), dump(data))


# -- replies -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Step:
    """One request to the model: its reply, and the results of its calls."""

    blocks: list[Block] = field(default_factory=list)
    results: list[Entry] = field(default_factory=list)
    usage: Usage | None = None


def _reply(message: OpencodeMessage, blobs: list[Blob]) -> list[Entry]:
    data = message.data
    if data.get("summary") is True and (message.is_complete or data.get("finish")) and not data.get("error"):
        return [_compaction(message)]
    steps = _steps(message, blobs)
    last = steps[-1]
    if last.usage is None and len(steps) == 1:
        last.usage = _usage(data)
    failure = mapping(data.get("error"))
    if failure and not any(step.blocks for step in steps):
        last.blocks += _text(mapping(failure.get("data")).get("message") or failure.get("name"))
    facts = {key: data[key] for key in _FACTS if data.get(key)}
    made: list[Entry] = []
    for step in steps:
        is_last = step is last
        made.append(
            Entry(
                id="", role=Role.ASSISTANT, blocks=tuple(step.blocks), provider=text(data.get("providerID")),
                model=text(data.get("modelID")), usage=step.usage, flags=_end(message) if is_last else Flag.NONE,
                details=compact_json(facts) if facts and is_last else "",
            )
        )  # fmt: skip
        made += step.results
    return made


def _steps(message: OpencodeMessage, blobs: list[Blob]) -> list[_Step]:
    steps = [_Step()]
    for part in message.parts:
        data, step = part.data, steps[-1]
        type = data.get("type")
        if type == "step-start" and (step.blocks or step.usage is not None):
            steps.append(_Step())
        elif type == "step-finish":
            step.usage = _usage(data)
        elif type == "reasoning":
            step.blocks += _thinking(data)
        elif type == "tool":
            call = text(data.get("callID")) or part.id
            name, state = text(data.get("tool")), mapping(data.get("state"))
            step.blocks.append(ToolCall(call, name, compact_json(mapping(state.get("input")))))
            if state.get("status") in ("completed", "error"):
                step.results.append(_result(call, name, state, blobs))
        else:
            step.blocks += _said(data, blobs)
    return steps


def _thinking(data: dict[str, Any]) -> Iterator[Thinking]:
    """Yield the thinking of a part, with the server's signature, or the sealed form."""
    told = [mapping(one) for one in mapping(data.get("metadata")).values()]
    sealed = next((text(one["redactedData"]) for one in told if one.get("redactedData")), "")
    signature = next((text(one["signature"]) for one in told if one.get("signature")), "")
    if said := text(data.get("text")):
        yield Thinking(said, signature)
    elif sealed:
        yield Thinking("", sealed, redacted=True)


def _result(call: str, tool: str, state: dict[str, Any], blobs: list[Blob]) -> Entry:
    failed = state.get("status") == "error"
    blocks: list[Block] = [*_text(state.get("error") if failed else state.get("output"))]
    attached = state.get("attachments")
    blocks += [_file(mapping(one), blobs) for one in attached] if isinstance(attached, list) else []
    about = mapping(state.get("metadata"))
    facts = {"title": state.get("title"), "exitCode": about.get("exit"), "session": about.get("sessionId")}
    kept = {key: value for key, value in facts.items() if value not in (None, "")}
    return Entry(
        id="", role=Role.TOOL_RESULT, tool=tool, call=call, blocks=tuple(blocks),
        time=instant(mapping(state.get("time")).get("end")), flags=Flag.FAILED if failed else Flag.NONE,
        details=compact_json(kept) if kept else "",
    )  # fmt: skip


def _end(message: OpencodeMessage) -> Flag:
    """Return how a reply ended."""
    error, finish = mapping(message.data.get("error")), text(message.data.get("finish"))
    name = text(error.get("name"))
    if name == "MessageAbortedError":
        return Flag.ABORTED
    if name == "MessageOutputLengthError" or finish == "length":
        return Flag.CUT
    if error:
        return Flag.FAILED
    if not message.is_complete and not finish:
        return Flag.ABORTED
    return Flag.NONE if finish in _GOES_ON else Flag.ENDS_TURN


def _usage(data: dict[str, Any]) -> Usage | None:
    """Return the tokens of a request. Tokens of thinking are part of the output, as most servers count them."""
    tokens = mapping(data.get("tokens"))
    cache = mapping(tokens.get("cache"))
    sent, read, written = (count(one) for one in (tokens.get("input"), cache.get("read"), cache.get("write")))
    output, thought, total = (count(tokens.get(key)) for key in ("output", "reasoning", "total"))
    if total != sent + read + written + output:  # otherwise the output already contains the thinking tokens
        output += thought
    cost = millionths(data.get("cost"))
    if not (sent or read or written or output or total or cost):
        return None
    return Usage(input=sent, output=output, cache_read=read, cache_write=written, total=total, cost=cost)


def _compaction(message: OpencodeMessage) -> Entry:
    """Return a compaction. The tokens that opencode sent for the summary are the size of the context before it."""
    data = message.data
    usage = _usage(data)
    said = [text(part.data.get("text")) for part in message.parts if part.data.get("type") == "text"]
    summary = "\n\n".join(filter(None, said))
    left = tuple(block for part in message.parts for block in _said(part.data, []))
    return Entry(
        id="", kind=Kind.COMPACTION, blocks=_text(summary) or left, provider=text(data.get("providerID")),
        model=text(data.get("modelID")), details=compact_json({"mode": data.get("mode")}),
        usage=usage and Usage(total=usage.sent, cost=usage.cost),
    )  # fmt: skip
