"""Transcripts as Cursor writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped

Record = dict[str, Any]


def said(role: str, *content: Any) -> Record:
    parts = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": role, "message": {"content": parts}}


def call(name: str = "Read", **asked: Any) -> Record:
    return {"type": "tool_use", "name": name, "input": asked}


def result(content: Any, id: str = "t", **more: Any) -> Record:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def talk() -> list[Record]:
    return [
        said("user", "<user_query>\nWhich tea?\n</user_query>"),
        said("assistant", "I look.\n\n[REDACTED]", call(path="a.py"), call("Bash", command="ls")),
        said("user", result([{"type": "text", "text": "tea"}]), result("ls", "u", is_error=True)),
        said("assistant", {"type": "thinking", "thinking": "Hm."}, "Sencha."),
    ]


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries and how many were skipped; and the lines that are neither."""
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    made = {event.id.partition("#")[0] for event in read if isinstance(event, Entry)}
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if line.removeprefix(b"\xef\xbb\xbf").strip()]
    lost = [f"line {number} is nothing" for number in lines if number not in skipped and f"line {number}" not in made]
    return Counter(entry=len(made), skipped=len(skipped)), lost
