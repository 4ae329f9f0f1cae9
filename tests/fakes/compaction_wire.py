"""A signed summary as Anthropic's Messages API sends it: the whole of the answer, and its cost beside the totals."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from tests.fakes.anthropic_wire import Message, error_of, head_of
from tests.fakes.loopback import Exchange
from tests.fakes.prompt_cache import Counted
from tests.fakes.script import Reply
from tests.fakes.sender import Sender, answered, stream
from tests.fakes.signed_blocks import content_of, signed_block


def sent_summary(
    exchange: Exchange, reply: Reply, message: Message, counted: Counted, started: threading.Event
) -> None:
    """Stream it, or send it whole when the request asks for no stream."""
    block = signed_block(content_of(reply))
    if message.payload.get("stream"):
        code = reply.breaks.code if reply.breaks else ""
        told = partial(error_of, code=code)
        stream(exchange, reply, started, told, lambda sender: _stream(sender, reply, message, counted, block))
        return
    head = head_of(message, Counted(0, 0, 0, 0), with_usage=True, miss="")
    head["usage"] |= _usage(counted, block)
    exchange.send_json(200, head | {"content": [block], "stop_reason": reply.stop or "compaction"})


def _stream(sender: Sender, reply: Reply, message: Message, counted: Counted, block: dict[str, Any]) -> None:
    """The text and the opaque part come whole in one delta, all else with the start of the block."""
    head = head_of(message, Counted(0, 0, 0, 0), with_usage=True, miss="")
    sender.event("message_start", {"type": "message_start", "message": head})
    late = ("content", "encrypted_content")
    start = block | dict.fromkeys(late)
    sender.event("content_block_start", {"type": "content_block_start", "index": 0, "content_block": start})
    delta = {"type": "compaction_delta"} | {name: block[name] for name in late}
    sender.delta("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta})
    sender.event("content_block_stop", {"type": "content_block_stop", "index": 0})
    sender.at_end()
    reason = {"stop_reason": reply.stop or "compaction", "stop_sequence": None}
    sender.event("message_delta", {"type": "message_delta", "delta": reason, "usage": _usage(counted, block)})
    sender.event("message_stop", {"type": "message_stop"})


def _usage(counted: Counted, block: dict[str, Any]) -> dict[str, Any]:
    """The totals are those of a reply, and there is none."""
    step = {
        "type": "compaction",
        "input_tokens": counted.input,
        "cache_read_input_tokens": counted.read,
        "cache_creation_input_tokens": counted.written,
        "output_tokens": answered(len(block["content"] or "")),
    }
    return {"input_tokens": 0, "output_tokens": 0, "iterations": [step]}
