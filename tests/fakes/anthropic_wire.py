"""A reply as Anthropic's Messages API streams it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.fake_models import CHARACTERS, pieces
from tests.fakes.loopback import Exchange
from tests.fakes.prompt_cache import Counted
from tests.fakes.script import Call, Reply, Said, Say, Think
from tests.fakes.sender import Sender, answered, stream, thought


@dataclass(frozen=True)
class Message:
    """The answer to a payload. `room`: tokens left of the window."""

    payload: Mapping[str, Any]
    id: str
    room: int
    sign: Callable[[str], str]


def sent(
    exchange: Exchange, reply: Reply, message: Message, counted: Counted, miss: str, started: threading.Event
) -> None:
    """Stream the reply, or send it whole when the request asks for no stream."""
    if not message.payload.get("stream"):
        exchange.send_json(200, _whole(reply, message, counted))
        return
    stream(exchange, reply, started, error_of, lambda sender: _stream(sender, reply, message, counted, miss))


def _stream(sender: Sender, reply: Reply, message: Message, counted: Counted, miss: str) -> None:
    head = head_of(message, counted, with_usage=reply.usage, miss=miss)
    sender.event("message_start", {"type": "message_start", "message": head})
    sender.event("ping", {"type": "ping"})
    most = min(int(message.payload["max_tokens"]), message.room)
    given, stop = 0, ""
    for index, said in enumerate(reply.blocks):
        start = {"type": "content_block_start", "index": index, "content_block": _start(said, message, index)}
        sender.event("content_block_start", start)
        for delta in _deltas(said, reply.piece, message.sign):
            sender.delta("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
            given += sum(len(str(value)) for name, value in delta.items() if name != "type")
            if given > most * CHARACTERS:
                stop = "max_tokens" if most < message.room else "model_context_window_exceeded"
                break
        sender.event("content_block_stop", {"type": "content_block_stop", "index": index})
        if stop:
            break
    sender.at_end()
    reason = (
        stop or reply.stop or ("tool_use" if any(isinstance(said, Call) for said in reply.blocks) else "end_turn")
    )
    delta = {"stop_reason": reason, "stop_sequence": None}
    usage = {"usage": _spent(reply, given)} if reply.usage else {}
    sender.event("message_delta", {"type": "message_delta", "delta": delta, **usage})
    sender.event("message_stop", {"type": "message_stop"})


def error_of(type: str, code: str = "") -> tuple[str, object]:
    details = {"details": {"error_code": code}} if code else {}
    return "error", {"type": "error", "error": {"type": type, "message": "Overloaded", **details}}


def head_of(message: Message, counted: Counted, *, with_usage: bool, miss: str) -> dict[str, Any]:
    usage = {
        "input_tokens": counted.input,
        "cache_read_input_tokens": counted.read,
        "cache_creation_input_tokens": counted.written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": counted.written - counted.written_1h,
            "ephemeral_1h_input_tokens": counted.written_1h,
        },
        "output_tokens": 1,
    }
    head = {
        "id": message.id,
        "type": "message",
        "role": "assistant",
        "model": message.payload["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    if with_usage:
        head["usage"] = usage
    if miss:
        head["diagnostics"] = {"cache_miss_reason": {"type": miss, "cache_missed_input_tokens": counted.input}}
    return head


def _start(said: Said, message: Message, index: int) -> dict[str, Any]:
    match said:
        case Say():
            return {"type": "text", "text": ""}
        case Think():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call():
            id = said.id or f"toolu_{message.id.removeprefix('msg_')}_{index}"
            return {"type": "tool_use", "id": id, "name": said.name, "input": {}}


def _deltas(said: Said, size: int, sign: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    match said:
        case Say(text):
            yield from ({"type": "text_delta", "text": piece} for piece in pieces(text, size))
        case Think(text):
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in pieces(text, size))
            yield {"type": "signature_delta", "signature": sign(text)}
        case Call():
            text = said.raw or json.dumps(dict(said.arguments))
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in pieces(text, size))


def _spent(reply: Reply, given: int) -> dict[str, Any]:
    thinking = thought(reply)
    usage: dict[str, Any] = {"output_tokens": answered(given)}
    return usage | {"output_tokens_details": {"thinking_tokens": thinking}} if thinking else usage


def _whole(reply: Reply, message: Message, counted: Counted) -> dict[str, Any]:
    text = "".join(said.text for said in reply.blocks if isinstance(said, Say))
    head = head_of(message, counted, with_usage=True, miss="")
    head["usage"] |= _spent(reply, len(text))
    return head | {"content": [{"type": "text", "text": text}], "stop_reason": reply.stop or "end_turn"}
