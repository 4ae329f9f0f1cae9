"""Chats as Open WebUI exports them."""

from __future__ import annotations

import json
from typing import Any

AT = 1_770_000_000  # seconds since the epoch


def message(id: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": content,
        "timestamp": AT,
        **more,
    }


def chat(*messages: dict[str, Any], current: str = "", **more: Any) -> dict[str, Any]:
    """A chat by itself; the children of each message are filled in."""
    found = {one["id"]: one for one in messages}
    for one in messages:
        if one["parentId"] in found:
            found[one["parentId"]]["childrenIds"].append(one["id"])
    history = {"messages": found, "currentId": current or messages[-1]["id"]}
    return {"id": "", "title": "Tea", "models": ["m"], "history": history, "timestamp": AT * 1000, **more}


def record(chat: dict[str, Any], id: str = "c1", **more: Any) -> dict[str, Any]:
    """A chat of an export."""
    return {"id": id, "user_id": "u", "title": "Tea", "chat": chat, "updated_at": AT + 60, "created_at": AT, **more}


def export(*records: dict[str, Any]) -> bytes:
    return json.dumps(records, ensure_ascii=False, separators=(",", ":")).encode()


def tea() -> dict[str, Any]:
    """A chat with a regenerated reply and an edited question; one reply has used a tool."""
    items = [
        {"type": "reasoning", "summary": [], "content": [{"type": "output_text", "text": "Green?"}]},
        {"type": "function_call", "call_id": "t1", "name": "shop", "arguments": '{"what":"tea"}'},
        {"type": "function_call_output", "call_id": "t1", "output": [{"type": "input_text", "text": "Sencha, 5"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Sencha."}]},
    ]
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return chat(
        message("u1", None, "user", "Which tea?", models=["m"]),
        message("a1", "u1", "assistant", "Assam.", model="m", done=True, usage=usage),
        message("a2", "u1", "assistant", "", model="m", done=True, output=items, usage=usage),
        message("u2", "a2", "user", "How long?"),
        message("u3", "a2", "user", "How hot?"),
        message("a3", "u3", "assistant", "70 °C.", model="m", done=True),
    )
