"""Tasks and sessions as Cline and its relatives write them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.shared.json_elements import element_keys, elements
from stemmata.formats.shared.values import BOM, BadLineError, mapping, parse_object

Record = dict[str, Any]
START = 1_767_225_600_000  # ms


def said(role: str, *content: Any, at: int = 0, **more: Any) -> Record:
    """A message; `at` are seconds after the start, 0 for a message without a time."""
    parts = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": role, "content": parts, **({"ts": START + at * 1000} if at else {}), **more}


def call(id: str, **asked: Any) -> Record:
    return {"type": "tool_use", "id": id, "name": "read", "input": asked}


def result(id: str, content: Any, **more: Any) -> Record:
    return {"type": "tool_result", "tool_use_id": id, "name": "read", "content": content, **more}


def session(*messages: Any, id: str = "s", **more: Any) -> bytes:
    document = {"version": 1, "agent": "lead", "sessionId": id, "messages": list(messages), **more}
    return json.dumps(document, indent=1).encode()


def compaction(summary: str, *kept: Record, id: str = "s") -> bytes:
    return session(said("user", summary, id="summary", metadata={}), *kept, id=id)


def talk() -> list[Record]:
    info = {"id": "m", "provider": "p"}
    metrics = {"inputTokens": 90, "outputTokens": 9, "cacheReadTokens": 40, "cost": 0.01}
    return [
        said("user", {"type": "file", "path": "/w/a.py", "content": "x"}, "Which tea?", id="a", at=1),
        said("assistant", "I look.", call("t", x=1), id="b", at=2, modelInfo=info, metrics=metrics),
        said("user", result("t", [{"query": "a", "result": "tea"}]), id="c", at=3),
        said("assistant", {"type": "thinking", "thinking": "Hm."}, "Sencha.", id="d", at=4),
    ]


def task() -> bytes:
    context = "<environment_details>\n# Time\n</environment_details>"
    return json.dumps(
        [
            said("user", "<task>\nWhich tea?\n</task>", context), said("assistant", "<read_file>a.py</read_file>"),
            said("user", "[read_file for 'a.py'] Result:", "tea", context), said("assistant", "Sencha."),
        ]
    ).encode()  # fmt: skip


def files_of_task(extension: str = "saoudrizwan.claude-dev") -> dict[str, bytes]:
    shown = [
        {"ts": START, "type": "say", "say": "api_req_started", "text": json.dumps({"tokensIn": 9, "cost": 0.1})}
    ] * 2
    item = {"id": "1767225600000", "task": "Which tea?", "workspace": "/w/tea"}
    folder = f"{extension}/tasks/1767225600000/"
    return {
        f"{folder}api_conversation_history.json": task(), f"{folder}ui_messages.json": json.dumps(shown).encode(),
        f"{folder}history_item.json": json.dumps(item).encode(),
    }  # fmt: skip


def files_of_session() -> dict[str, bytes]:
    facts = {"session_id": "s", "cwd": "/w/tea", "metadata": {"title": "Tea"}}
    return {
        "s/s.messages.json": session(*talk()), "s/s.json": json.dumps(facts).encode(),
        "s/s.compaction.json": compaction("Context summary: tea", talk()[3]),
    }  # fmt: skip


def lost(data: bytes, events: Iterable[ReadEvent]) -> list[str]:
    """Whether each message of a document is an entry or was skipped."""
    read, data = list(events), data.removeprefix(BOM)
    skipped = sum(isinstance(event, Skipped) and ".json " not in event.reason for event in read)
    made = {event.record.offset for event in read if isinstance(event, Entry) and event.record is not None}
    if element_keys(data, ("messages",)) and data.lstrip()[:1] == b"{":
        try:
            listed = mapping(parse_object(data)).get("messages")
        except BadLineError:
            return []
        count = len(listed) if isinstance(listed, list) else 0
    else:
        count = sum(1 for _ in elements([data]))
        skipped -= sum(isinstance(event, Skipped) and "what follows" in event.reason for event in read)
    return [f"{len(made)} + {skipped} of {count} messages"] if len(made) + skipped != count else []
