"""Threads as Amp writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import BadLineError, parse_object

Json = dict[str, Any]
ID, OTHER = "T-019c0000-0000-7000-8000-000000000001", "T-019c0000-0000-7000-8000-000000000002"
AT = 1_784_282_400_000  # ms


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def call(id: str, name: str = "Read", **asked: Any) -> Json:
    return {"type": "tool_use", "complete": True, "id": id, "name": name, "input": asked}


def result(id: str, result: Any = None, status: str = "done", **more: Any) -> Json:
    run = {"status": status, **({} if result is None else {"result": result}), **more}
    return {"type": "tool_result", "toolUseID": id, "run": run}


def said(number: int, role: str, *content: Any, state: str = "complete", **more: Any) -> Json:
    """A message. A reply with a call goes on."""
    items = [text(one) if isinstance(one, str) else one for one in content]
    message: Json = {"role": role, "messageId": number, "content": items, **more}
    if role == "user":
        message.setdefault("meta", {"sentAt": AT + number * 1000})
    if role == "assistant":
        goes_on = any(isinstance(one, dict) and one.get("type") == "tool_use" for one in content)
        message["state"] = {"type": state, "stopReason": "tool_use" if goes_on else "end_turn"}
    return message


def usage(model: str = "claude-opus-4-6", **tokens: int) -> Json:
    return {"model": model, "inputTokens": 3, "outputTokens": 9, "timestamp": "2026-07-17T10:00:01Z", **tokens}


def command(line: str, output: str, code: int = 0, **more: Any) -> Json:
    run = {"status": "done", "result": {"output": output, "exitCode": code}}
    return {"type": "manual_bash_invocation", "args": {"cmd": line, "cwd": "/w"}, "toolRun": run, **more}


def summary(said: str) -> Json:
    return {"type": "summary", "summary": {"type": "message", "summary": said}}


def thread(*messages: Any, id: str = ID, **more: Any) -> bytes:
    trees = [{"displayName": "tea", "uri": "file:///w/my%20tea", "repository": {"url": "https://x.org/tea"}}]
    facts = {"v": 220, "id": id, "created": AT, "messages": list(messages), "agentMode": "smart", "title": "Tea"}
    return json.dumps({**facts, "env": {"initial": {"trees": trees}}, **more}).encode()


def talk() -> list[Json]:
    """Messages of every kind, with a subagent and a summary."""
    return [
        said(0, "user", "Which tea?"),
        said(1, "assistant", {"type": "thinking", "thinking": "Hm.", "signature": "x"}, call("c"), usage=usage()),
        said(2, "user", result("c", {"content": "Sencha"})),
        said(3, "assistant", call("t", "Task", prompt="Look.")),
        said(4, "user", "Look.", parentToolUseId="t"),
        said(5, "assistant", "Seen.", parentToolUseId="t"),
        said(6, "user", result("t", "Told.")),
        said(7, "assistant", "Sencha.", usage=usage(cacheReadInputTokens=5)),
        said(8, "info", command("ls", "tea")),
        said(9, "info", summary("They like Sencha.")),
        said(10, "user", "Why?"),
        said(11, "assistant", "It is green."),
    ]


def versions() -> list[bytes]:
    """A thread after each message, and while replies and calls are not over."""
    out: list[bytes] = []
    messages: list[Json] = []
    for message in talk():
        parts = message["content"]
        if message["role"] == "assistant":
            open = {**message, "content": [text("I lo")], "state": {"type": "streaming"}}
            out.append(thread(*messages, open))
        elif parts[0].get("type") == "tool_result":
            out.append(
                thread(*messages, {**message, "content": [result(parts[0]["toolUseID"], status="in-progress")]})
            )
        messages.append(message)
        out.append(thread(*messages))
    return out


def lost(data: bytes, events: Iterable[ReadEvent]) -> list[str]:
    """The messages of a document that are no entry, were not skipped, and are not at its end, still being written."""
    read = list(events)
    made = {event.record.offset for event in read if isinstance(event, Entry) and event.record is not None}
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    found = list(places(data, "messages").values())
    try:
        listed = parse_object(data).get("messages")
        whole = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        if len(found) != len(whole) or not isinstance(listed, list) or len(whole) != len(listed):
            return []
    except BadLineError:
        skipped.discard(0)
    missing = [at for at, (offset, _) in enumerate(found) if offset not in made and at + 1 not in skipped]
    last = max((at for at, (offset, _) in enumerate(found) if offset in made), default=-1)
    return [f"message {at} is nothing" for at in missing if at <= last]
