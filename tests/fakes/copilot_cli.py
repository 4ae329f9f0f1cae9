"""Events as Copilot CLI writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.copilot_cli.reader import SILENT
from stemmata.formats.shared.values import BadLineError, mapping, parse, text

Event = dict[str, Any]
_TOLD_BEFORE = ("tool.execution_start", "system.message")  # the call is in a reply; the prompt is the same


def event(type: str, id: str, at: int = 1, agent: str = "", **data: Any) -> Event:
    made = {"type": type, "data": data, "id": id, "timestamp": stamp(at), "parentId": None}
    return made | ({"agentId": agent} if agent else {})


def stamp(at: int) -> str:
    return f"2026-08-05T10:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def start(**more: Any) -> Event:
    context = {"cwd": "/w/tea", "branch": "main"}
    return event(
        "session.start", "s", 0, sessionId="5e55", producer="copilot-agent", copilotVersion="1.0.78",
        startTime=stamp(0), context=context, **more,
    )  # fmt: skip


def said(id: str, what: str, at: int = 1, **more: Any) -> Event:
    return event("user.message", id, at, content=what, attachments=[], **more)


def reply(id: str, what: str, at: int = 1, calls: Iterable[Any] = (), **more: Any) -> Event:
    return event(
        "assistant.message", id, at, content=what, toolRequests=list(calls),
        **{"model": "gpt-5-mini", "outputTokens": 7, **more},
    )  # fmt: skip


def call(id: str, name: str = "bash", arguments: Any = None) -> Event:
    return {"toolCallId": id, "name": name, "arguments": arguments or {"command": "ls"}, "type": "function"}


def began(id: str, call: str, at: int = 1, **more: Any) -> Event:
    return event(
        "tool.execution_start", id, at, toolCallId=call, toolName="bash", arguments={"command": "ls"}, **more
    )


def done(id: str, call: str, what: str, at: int = 1, **more: Any) -> Event:
    told = {"success": True, "result": {"content": what}}
    return event("tool.execution_complete", id, at, toolCallId=call, **{**told, **more})


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries, were skipped, or are which kind of bookkeeping; and the lines that are nothing."""
    entries, skipped = set[int](), set[int]()
    for one in events:
        if isinstance(one, Entry) and one.record is not None:
            entries.add(one.record.offset)
        elif isinstance(one, Skipped):
            skipped.add(one.line)
    counts, lost, offset = Counter[str](), list[str](), 0
    for number, line in enumerate(data.split(b"\n"), 1):
        at, offset = offset + (3 if number == 1 and line.startswith(b"\xef\xbb\xbf") else 0), offset + len(line) + 1
        if at in entries or number in skipped:
            counts["entry" if at in entries else "skipped"] += 1
            continue
        try:
            kind = text(mapping(parse(line.removeprefix(b"\xef\xbb\xbf"))).get("type"))
        except BadLineError:
            kind = ""
        if kind in SILENT or kind in _TOLD_BEFORE:
            counts[kind] += 1
        elif line.strip():
            lost.append(f"line {number} is neither an entry nor skipped")
    return counts, lost
