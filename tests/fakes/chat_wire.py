"""A reply as Chat Completions streams it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.fakes.fake_models import CHARACTERS, pieces
from tests.fakes.loopback import Exchange
from tests.fakes.script import Call, Reply, Said, Say, Think
from tests.fakes.sender import Sender, answered, stream, thought


class Speaker(Protocol):
    thoughts: str


@dataclass(frozen=True)
class Asked:
    """A request to be answered: its number, its size and the cached part of it, in tokens."""

    payload: Mapping[str, Any]
    number: int
    size: int
    cached: int
    server: Speaker

    @property
    def most(self) -> int:
        """The maximum tokens of the reply."""
        asked = self.payload.get("max_completion_tokens") or self.payload.get("max_output_tokens")
        return int(asked or 4096)


def sent(exchange: Exchange, reply: Reply, asked: Asked, started: threading.Event) -> None:
    stream(exchange, reply, started, _error, lambda sender: _stream(sender, reply, asked))


def _stream(sender: Sender, reply: Reply, asked: Asked) -> None:
    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
        return _chunk(asked, [{"index": 0, "delta": delta, "finish_reason": reason}])

    sender.event("", chunk({"role": "assistant", "content": ""}))
    given, calls, is_cut = 0, 0, False
    for said in reply.blocks:
        for delta in _deltas(said, calls, reply.piece, asked):
            sender.delta("", chunk(delta))
            given += reply.piece
            is_cut = given > asked.most * CHARACTERS
            if is_cut:
                break
        calls += isinstance(said, Call)
        if is_cut:
            break
    sender.at_end()
    sender.event("", chunk({}, "length" if is_cut else reply.stop or ("tool_calls" if calls else "stop")))
    if reply.usage and (asked.payload.get("stream_options") or {}).get("include_usage"):
        sender.event("", _chunk(asked, []) | {"usage": _usage(reply, asked, given)})
    sender.event("", "[DONE]")


def _chunk(asked: Asked, choices: list[Any]) -> dict[str, Any]:
    head = {"id": f"chatcmpl-fake{asked.number}", "object": "chat.completion.chunk", "created": 0}
    return head | {"model": asked.payload["model"], "choices": choices}


def _deltas(said: Said, at: int, size: int, asked: Asked) -> list[dict[str, Any]]:
    match said:
        case Say(text):
            return [{"content": piece} for piece in pieces(text, size)]
        case Think(text):
            return [{asked.server.thoughts: piece} for piece in pieces(text, size)]
        case Call():
            text = said.raw or json.dumps(dict(said.arguments))
            id = said.id or f"call_fake{asked.number}_{at}"
            function = {"name": said.name, "arguments": ""}
            head = {"tool_calls": [{"index": at, "id": id, "type": "function", "function": function}]}
            rest = [{"index": at, "function": {"arguments": piece}} for piece in pieces(text, size)]
            return [head, *({"tool_calls": [part]} for part in rest)]


def _usage(reply: Reply, asked: Asked, given: int) -> dict[str, Any]:
    out, thinking = answered(given), thought(reply)
    return {
        "prompt_tokens": asked.size,
        "completion_tokens": out,
        "total_tokens": asked.size + out,
        "prompt_tokens_details": {"cached_tokens": asked.cached},
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }


def _error(type: str) -> tuple[str, object]:
    return "", {"error": {"message": "Overloaded", "type": type, "code": None}}
