"""Logs as Factory Droid, Mistral Vibe and Kiro CLI write them: one message per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped

Record = dict[str, Any]


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries and how many were skipped; and the lines that are neither.

    A line that repeats an earlier one and the line that starts a session are accounted for.
    """
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    made = {event.record.offset for event in read if isinstance(event, Entry) and event.record is not None}
    lost, seen, at = [], set[bytes](), 0
    for number, line in enumerate(data.split(b"\n"), 1):
        content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        offset, plain = at + len(line) - len(content), content.removesuffix(b"\r")
        at += len(line) + 1
        known = offset in made or number in skipped or plain in seen or b"session_start" in plain
        seen.add(plain)
        if plain.strip() and not known:
            lost.append(f"line {number} is nothing")
    return Counter(entry=len(made), skipped=len(skipped)), lost


# -- Factory Droid ---------------------------------------------------------------------------------------------------


def droid_start(**more: Any) -> Record:
    return {"type": "session_start", "id": "5e55", "title": "New Session", "version": 2, "cwd": "/w/tea", **more}


def droid(id: str, role: str, *content: Any, **more: Any) -> Record:
    parts = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    at = f"2026-01-28T16:57:{sum(map(ord, id)) % 60:02d}.000Z"
    return {"type": "message", "id": id, "timestamp": at, "message": {"role": role, "content": parts}, **more}


def droid_call(id: str = "t", name: str = "Read", **asked: Any) -> Record:
    return {"type": "tool_use", "id": id, "name": name, "input": asked}


def droid_result(content: Any, id: str = "t", **more: Any) -> Record:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def droid_talk() -> list[Record]:
    return [
        droid_start(),
        droid("a", "user", "Which tea?"),
        droid("b", "assistant", {"type": "thinking", "thinking": "Hm."}, droid_call(path="tea.md")),
        {"type": "todo_state", "id": "n", "timestamp": "2026-01-28T16:57:16.020Z", "todos": {"todos": "1. Look"}},
        droid("c", "user", droid_result("sencha"), "Go on."),
        droid("d", "assistant", "Sencha."),
    ]


# -- Mistral Vibe ----------------------------------------------------------------------------------------------------


def vibe(id: str, role: str, content: Any = "", **more: Any) -> Record:
    return {"role": role, "content": content, "injected": False, "message_id": id, **more}


def vibe_call(id: str, name: str, arguments: Any) -> Record:
    return {"id": id, "index": 0, "function": {"name": name, "arguments": arguments}, "type": "function"}


def vibe_result(content: Any, call: str, name: str = "") -> Record:
    return {"role": "tool", "content": content, "injected": False, "name": name, "tool_call_id": call}


def vibe_talk() -> list[Record]:
    return [
        vibe("a", "user", "Which tea?"),
        vibe("b", "assistant", "", reasoning_content="Hm.", tool_calls=[vibe_call("t", "bash", '{"command":"ls"}')]),
        vibe_result("tea.md", "t", "bash"),
        vibe("c", "assistant", "Sencha."),
    ]


def vibe_facts(**more: Any) -> bytes:
    found = {
        "session_id": "5e55", "parent_session_id": None, "start_time": "2026-06-13T10:00:00+00:00",
        "git_branch": "main", "environment": {"working_directory": "/w/tea"}, "title": "Tea", "title_source": "auto",
        "stats": {"steps": 2}, "total_messages": 4, "config": {"active_model": "devstral-2"},
    }  # fmt: skip
    return json.dumps(found | more).encode()


# -- Kiro CLI --------------------------------------------------------------------------------------------------------


def kiro(id: str, kind: str, *content: Any, **more: Any) -> Record:
    parts = [{"kind": "text", "data": one} if isinstance(one, str) else one for one in content]
    return {"version": "v1", "kind": kind, "data": {"message_id": id, "content": parts, **more}}


def kiro_call(id: str, name: str, **asked: Any) -> Record:
    return {"kind": "toolUse", "data": {"toolUseId": id, "name": name, "input": asked}}


def kiro_result(id: str, data: Any, status: str = "success", kind: str = "json") -> Record:
    content = [{"kind": kind, "data": data}]
    return {"kind": "toolResult", "data": {"toolUseId": id, "content": content, "status": status}}


def kiro_talk() -> list[Record]:
    printed = {"exit_status": "exit status: 0", "stdout": "tea.md\n", "stderr": ""}
    return [
        kiro("a", "Prompt", "Which tea?", meta={"timestamp": 1784126037}),
        kiro("b", "AssistantMessage", "", kiro_call("t", "shell", command="ls")),
        kiro("c", "ToolResults", kiro_result("t", printed)),
        kiro("d", "AssistantMessage", "Sencha."),
    ]


def kiro_facts(**more: Any) -> bytes:
    state = {"rts_model_state": {"model_info": {"model_id": "claude-sonnet-4"}}}
    found = {
        "session_id": "5e55", "cwd": "/w/tea", "created_at": "2026-07-15T14:33:52Z", "title": "Tea",
        "updated_at": "2026-07-15T14:34:22Z", "session_state": state,
    }  # fmt: skip
    return json.dumps(found | more).encode()
