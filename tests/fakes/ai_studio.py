"""Chats as Google AI Studio keeps them in Google Drive."""

from __future__ import annotations

import json
from typing import Any

Chunk = dict[str, Any]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def said(text: str = "", role: Any = "model", **more: Any) -> Chunk:
    return {"role": role} | ({"text": text} if text else {}) | more


def tea() -> list[Chunk]:
    """A prompt with a picture, a thought, code with its result, and a reply."""
    return [
        said("Which tea?", "user", tokenCount=3, createTime="2026-01-01T08:00:00Z"),
        said("", "user", inlineImage={"mimeType": "image/png", "data": PIXEL}),
        said("It is morning.", isThought=True, tokenCount=4, parts=[{"text": "It is", "thought": True}]),
        said("", executableCode={"language": "PYTHON", "code": "print('Sencha')"}),
        said("", codeExecutionResult={"outcome": "OUTCOME_OK", "output": "Sencha\n"}),
        said("Sencha.", tokenCount=2, finishReason="STOP", createTime="2026-01-01T08:00:09Z"),
    ]


def chat(*chunks: Any, **more: Any) -> bytes:
    facts: dict[str, Any] = {
        "runSettings": {"model": "models/gemini-3-pro-preview", "temperature": 1.0},
        "systemInstruction": {"text": "You know tea."},
        "chunkedPrompt": {"chunks": list(chunks)},
        "pendingInputs": [{"text": "", "role": "user"}],
    }
    return json.dumps(facts | more, indent=2).encode()
