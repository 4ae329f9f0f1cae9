"""Conversations as Grok exports them."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]
NAME = "prod-grok-backend.json"
AT = 1_767_254_400_000  # milliseconds: 2026-01-01T08:00:00Z


def said(id: str, parent: str | None = None, message: Any = "", sender: Any = "human", **more: Any) -> Message:
    """A message; those with a higher last letter are later."""
    return {
        "response_id": id,
        "conversation_id": "c",
        "message": message,
        "sender": sender,
        "create_time": f"2026-01-01T08:00:{ord(id[-1]) % 60:02}.000Z",
        "parent_response_id": parent,
        "partial": False,
        "steps": [],
        "error": None,
        **more,
    }


def tea() -> list[Message]:
    """A prompt with two replies, and a first prompt that was edited."""
    asked = {"requestModelDetails": {"modelId": "grok-4"}}
    return [
        said("a", None, "Which tea?", metadata=asked),
        said(
            "b", "a", "Sencha.", "ASSISTANT", thinking_trace="It is morning.", web_search_results=[{"title": "Tea"}]
        ),
        said("c", "a", "Gyokuro.", "assistant"),
        said("d", "b", "And cake?"),
        said("e", None, "Which coffee?"),
    ]


def conversation(messages: Any, id: str | None = "c", **more: Any) -> dict[str, Any]:
    facts = {
        "conversation_id": id,
        "create_time": "2026-01-01T08:00:00Z",
        "modify_time": "2026-01-01T09:00:00Z",
        "title": "Tea",
        "starred": True,
        "leaf_response_id": None,
        **more,
    }
    wrapped = [{"response": one, "share_link": None} for one in messages] if isinstance(messages, list) else messages
    return {"conversation": facts, "responses": wrapped}


def export(*conversations: Any, **more: Any) -> bytes:
    """The file of an export. `more` are its other lists."""
    return json.dumps({"conversations": list(conversations), **more}, separators=(",", ":")).encode()
