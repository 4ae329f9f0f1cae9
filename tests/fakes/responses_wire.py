"""A reply as Responses streams it."""

from __future__ import annotations

import json
import threading
from typing import Any

from tests.fakes.chat_wire import Asked
from tests.fakes.fake_models import CHARACTERS, pieces
from tests.fakes.loopback import Exchange
from tests.fakes.script import Call, Reply, Said, Say, Think
from tests.fakes.sender import Sender, answered, stream, thought

_FAILED = "response.failed"


def sent(exchange: Exchange, reply: Reply, asked: Asked, started: threading.Event) -> None:
    stream(exchange, reply, started, _error, lambda sender: _stream(sender, reply, asked))


def _stream(sender: Sender, reply: Reply, asked: Asked) -> None:
    head = {"id": f"resp_fake{asked.number}", "object": "response", "model": asked.payload["model"], "output": []}
    sender.event("response.created", {"type": "response.created", "response": head | {"status": "in_progress"}})
    given, is_cut = 0, False
    for at, said in enumerate(reply.blocks):
        item = _item(said, asked, at)
        begun = {name: value for name, value in item.items() if name not in ("content", "summary", "arguments")}
        _tell(sender, "response.output_item.added", output_index=at, item=begun)
        for piece in pieces(_text(said), reply.piece):
            type, more = _growing(said)
            sender.delta(type, {"type": type, "output_index": at, "item_id": item["id"], "delta": piece} | more)
            given += len(piece)
            is_cut = given > asked.most * CHARACTERS
            if is_cut:
                break
        if is_cut:
            break
        _tell(sender, "response.output_item.done", output_index=at, item=item)
    sender.at_end()
    ending = "incomplete" if is_cut or reply.stop else "completed"
    body: dict[str, Any] = head | {"status": ending}
    if ending == "incomplete":
        body["incomplete_details"] = {"reason": reply.stop or "max_output_tokens"}
    if reply.usage:
        body["usage"] = _usage(reply, asked, given)
    _tell(sender, f"response.{ending}", response=body)


def _tell(sender: Sender, type: str, **facts: Any) -> None:
    sender.event(type, {"type": type} | facts)


def _text(said: Said) -> str:
    return said.raw or json.dumps(dict(said.arguments)) if isinstance(said, Call) else said.text


def _growing(said: Said) -> tuple[str, dict[str, Any]]:
    match said:
        case Say():
            return "response.output_text.delta", {"content_index": 0}
        case Think():
            return "response.reasoning_summary_text.delta", {"summary_index": 0}
        case Call():
            return "response.function_call_arguments.delta", {}


def _item(said: Said, asked: Asked, at: int) -> dict[str, Any]:
    from tests.fakes.openai_server import encrypted

    number = f"fake{asked.number}_{at}"
    match said:
        case Say(text):
            content = [{"type": "output_text", "text": text, "annotations": []}]
            return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
        case Think(text):
            item = {"type": "reasoning", "id": f"rs_{number}", "summary": [{"type": "summary_text", "text": text}]}
            wanted = "reasoning.encrypted_content" in asked.payload.get("include", ())
            return item | ({"encrypted_content": encrypted(f"rs_{number}")} if wanted else {})
        case Call():
            id = said.id or f"call_{number}"
            return {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": id,
                "name": said.name,
                "arguments": _text(said),
            }


def _usage(reply: Reply, asked: Asked, given: int) -> dict[str, Any]:
    out, thinking = answered(given), thought(reply)
    return {
        "input_tokens": asked.size,
        "output_tokens": out,
        "total_tokens": asked.size + out,
        "input_tokens_details": {"cached_tokens": asked.cached},
        "output_tokens_details": {"reasoning_tokens": thinking},
    }


def _error(type: str) -> tuple[str, object]:
    """Send a failure inside the stream in one of its two forms."""
    if type == _FAILED:
        error = {"code": "server_error", "message": "The model failed."}
        return _FAILED, {"type": _FAILED, "response": {"status": "failed", "error": error}}
    return "error", {"type": "error", "code": type, "message": "Overloaded", "param": None}
