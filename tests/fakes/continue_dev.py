"""Sessions as Continue writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.continue_dev.items import is_empty, is_item
from stemmata.formats.shared.values import BadLineError, mapping, parse_object

Item = dict[str, Any]
NAME = "5e550000-0000-4000-8000-000000000001.json"


def said(role: str, content: Any, **more: Any) -> Item:
    """An item; `message` adds to its message."""
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {"message": message, "contextItems": [], **more}


def call(id: str, name: str = "Read", arguments: Any = '{"path":"a.py"}') -> Item:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def state(id: str, status: str = "done", *output: str) -> Item:
    listed = [{"name": "Tool Result", "description": "", "content": one} for one in output]
    return {"toolCallId": id, "toolCall": call(id), "status": status, "parsedArgs": {}, "output": listed}


def session(*items: Any, **more: Any) -> bytes:
    document = {
        "sessionId": "s", "title": "Tea", "workspaceDirectory": "file:///w/my%20tea", "history": list(items),
        "mode": "agent", "chatModelTitle": "Sencha", **more,
    }  # fmt: skip
    return json.dumps(document).encode()


def talk() -> list[Item]:
    log = {"modelTitle": "Opus", "modelProvider": "anthropic", "prompt": "", "completion": ""}
    usage = {"promptTokens": 9, "completionTokens": 5, "promptTokensDetails": {"cachedTokens": 3}}
    return [
        said("user", [{"type": "text", "text": "Which tea?"}], message={"id": "a"}, contextItems=[
            {"name": "a.py", "content": "x", "description": "", "id": {"providerTitle": "file", "itemId": "1"}}]),
        said("assistant", "I look.", message={"id": "b", "toolCalls": [call("t")], "usage": usage},
             toolCallStates=[state("t", "done", "tea")], promptLogs=[log]),
        said("assistant", "Sencha.", message={"id": "c"}, reasoning={"active": False, "text": "Hm."},
             conversationSummary="About tea."),
        said("user", "And cake?", message={"id": "d"}),
    ]  # fmt: skip


def lost(data: bytes, events: Iterable[ReadEvent]) -> list[str]:
    """Return the items of a session that are neither an entry, nor empty, nor skipped, nor a repeated result."""
    try:
        items = parse_object(data).get("history")
    except BadLineError:
        return []
    if not isinstance(items, list):
        return []
    listed = list(events)
    skipped = {event.line for event in listed if isinstance(event, Skipped)}
    records = {event.record.offset for event in listed if isinstance(event, Entry) and event.record is not None}
    known = [one for one in items if is_item(mapping(one))]
    repeated = [one for one in known if one["message"]["role"] == "tool"]
    silent = [one for one in known if is_empty(one)]
    if len(records) + len(silent) + len(repeated) < len(known):
        return [f"of {len(known)} items {len(records)} are entries"]
    return [] if len(skipped) + len(known) == len(items) else ["an item was neither read nor skipped"]
