"""Records as Qwen Code writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.qwen.records import is_bookkeeping
from stemmata.formats.shared.values import BadLineError, mapping, parse, text

Record = dict[str, Any]


def stamp(at: int) -> str:
    return f"2026-08-05T10:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def record(type: str, id: str, parent: str | None, at: int = 1, **more: Any) -> Record:
    return {
        "uuid": id, "parentUuid": parent, "sessionId": "5e55", "timestamp": stamp(at), "type": type, "cwd": "/w/tea",
        "version": "0.9.0", **more,
    }  # fmt: skip


def said(id: str, parent: str | None, *parts: Any, at: int = 1, **more: Any) -> Record:
    return record("user", id, parent, at, message=content("user", *parts), **more)


def reply(id: str, parent: str | None, *parts: Any, at: int = 1, **more: Any) -> Record:
    usage = {"promptTokenCount": 90, "candidatesTokenCount": 9, "cachedContentTokenCount": 40}
    return record(
        "assistant",
        id,
        parent,
        at,
        message=content("model", *parts),
        **{"model": "m", "usageMetadata": usage, **more},
    )


def result(id: str, parent: str, call: str, status: str = "success", at: int = 1, **response: Any) -> Record:
    part = {"functionResponse": {"id": call, "name": "read", "response": response}}
    told = {"callId": call, "status": status}
    return record("tool_result", id, parent, at, message=content("user", part), toolCallResult=told)


def event(subtype: str, id: str, parent: str | None, at: int = 1, **payload: Any) -> Record:
    return record("system", id, parent, at, subtype=subtype, systemPayload=payload)


def content(role: str, *parts: Any) -> Record:
    return {"role": role, "parts": [{"text": one} if isinstance(one, str) else one for one in parts]}


def call(id: str, **asked: Any) -> Record:
    return {"functionCall": {"id": id, "name": "read", "args": asked}}


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def talk() -> list[Record]:
    """A session with tools, a rewind, and a compaction that keeps the last prompt."""
    kept = content("user", "Why?")
    return [
        said("a", None, "Which tea?", at=1),
        event("ui_telemetry", "b", "a", 2),
        reply("c", "b", {"text": "Hm.", "thought": True}, "I look.", call("t", x=1), at=3),
        result("d", "c", "t", output="tea", at=4),
        reply("e", "d", "Sencha.", at=5),
        said("f", "e", "Other?", at=6),
        event("rewind", "g", "e", 7, truncatedCount=1),
        said("h", "g", "Why?", at=8),
        event(
            "chat_compression",
            "i",
            "h",
            9,
            info={"originalTokenCount": 900},
            compressedHistory=[content("user", "So far: tea."), kept],
        ),
        reply("j", "i", "So.", at=10),
        event("custom_title", "k", "j", 11, customTitle="Tea"),
    ]


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries, bookkeeping, and were skipped; and the lines that are nothing."""
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    made = {event.id.partition("#")[0] for event in read if isinstance(event, Entry)}
    counts, lost = Counter[str](skipped=len(skipped)), list[str]()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            found = mapping(parse(line))
        except BadLineError:
            found = {}
        if number in skipped or not line.strip():
            continue
        if is_bookkeeping(found):
            counts["bookkeeping"] += 1
        elif text(found.get("uuid")).partition("#")[0] in made:
            counts["entry"] += 1
        else:
            lost.append(f"line {number} is nothing")
    return counts, lost
