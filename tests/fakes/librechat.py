"""Conversations as LibreChat exports them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped, UnusedPart

Message = dict[str, Any]
NAME = "Tea.json"
ROOT = "00000000-0000-0000-0000-000000000000"


def said(id: str, parent: str = ROOT, text: str = "", *, user: bool = False, **more: Any) -> Message:
    """A message; those with a higher last letter are later."""
    return {
        "messageId": id,
        "parentMessageId": parent,
        "conversationId": "c",
        "sender": "User" if user else "Sencha",
        "text": text,
        "isCreatedByUser": user,
        "createdAt": f"2026-01-01T08:00:{ord(id[-1]) % 60:02}.000Z",
        **more,
    }


def part(type: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"type": type, type: value, **more}


def call(id: str, name: str = "search", args: Any = '{"q":"tea"}', output: Any = "found", **more: Any) -> Message:
    found = {"id": id, "name": name, "args": args, "type": "tool_call", "progress": 1, "output": output, **more}
    return part("tool_call", {key: value for key, value in found.items() if value is not None})


def tea() -> list[Message]:
    """Two prompts at the start, a reply with a call, and two replies to one prompt."""
    return [
        said("a", text="Which tea?", user=True),
        said(
            "b",
            "a",
            model="opus",
            endpoint="anthropic",
            tokenCount=9,
            content=[part("think", "Hm."), part("text", "I look."), call("t"), part("text", {"value": "Sencha."})],
        ),
        said("c", "b", "And cake?", user=True),
        said("d", "c", "Cheese."),
        said("e", "c", "Apple."),
        said("f", text="Which coffee?", user=True),
    ]


def nested(messages: list[Message]) -> list[Message]:
    """The messages as a tree."""
    made = {one["messageId"]: {**one, "children": []} for one in messages}
    for one in made.values():
        above = made.get(one["parentMessageId"])
        if above is not None:
            above["children"].append(one)
    return [one for one in made.values() if one["parentMessageId"] not in made]


def conversation(messages: Any, *, id: str = "c", tree: bool = False, branches: bool = True, **more: Any) -> Message:
    return {
        "conversationId": id,
        "endpoint": "agents",
        "title": "Tea",
        "exportAt": "08:00:00 GMT+0000 (UTC)",
        "branches": branches,
        "recursive": tree,
        "options": {"model": "gyokuro"},
        "messagesTree" if tree else "messages": nested(messages) if tree else messages,
        **more,
    }


def export(messages: Any, **more: Any) -> bytes:
    return json.dumps(conversation(messages, **more), separators=(",", ":")).encode()


def _text(id: str) -> str:
    """Return an id as it is read: half a pair of surrogates, which is no text, becomes U+FFFD."""
    return id.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def lost(data: bytes, events: Iterable[ReadEvent]) -> list[str]:
    """Return what a whole export has more messages than there are entries for."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return []
    listed = list(events)
    ids = {event.id.partition("#")[0] for event in listed if isinstance(event, Entry)}
    if any(isinstance(event, UnusedPart) and event.damaged for event in listed) or not isinstance(document, dict):
        return []
    waiting = [document.get("messages") or document.get("messagesTree")]
    wanted: set[str] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            wanted |= {_text(one["messageId"])} if isinstance(one.get("messageId"), str) else set()
            waiting.append(one.get("children"))
    missing = {one for one in wanted if one and "#" not in one} - ids
    told = sum(isinstance(event, Skipped) for event in listed)
    return [f"messages without entries: {len(missing)}"] if len(missing) > told and ids else []
