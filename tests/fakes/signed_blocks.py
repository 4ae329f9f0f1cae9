"""Summaries that Anthropic's Messages API writes and signs: what it answers, and what it refuses of what comes back.

A signature holds digests of the text and of the changes of tools, so that each change is told by its own code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.fake_models import FakeModel
from tests.fakes.script import Refuse, Reply, Say

BETA = "compact-2026-09-04"
BLOCK = "compaction"
_SEAL = "sealed-here"
_REPLY_ONLY = ("context_management", "stop_sequences", "output_format")


def signed_block(text: str | None) -> dict[str, Any]:
    """None: no summary could be made. The encrypted part is opaque to everybody else."""
    block: dict[str, Any] = {"type": BLOCK, "content": text, "encrypted_content": None}
    if text is None:
        return block
    sealed = f"{_digest(text)}.{_digest([])}"
    return block | {
        "encrypted_content": f"opaque/{_digest(text)}==",
        "signature": f"{sealed}.{_digest([_SEAL, sealed])}",
        "tool_changes": [],
    }


def content_of(reply: Reply) -> str | None:
    """A script that says nothing has the summary fail."""
    return "".join(said.text for said in reply.blocks if isinstance(said, Say)) or None


def refused(payload: Mapping[str, Any], headers: Mapping[str, str], model: FakeModel) -> Refuse | None:
    """Return the API's objections to the signed blocks of a request, or to a request for one."""
    blocks = list(_blocks(payload))
    asks = payload.get(BLOCK) is not None
    if (blocks or asks) and BETA not in headers.get("anthropic-beta", "").split(","):
        return Refuse(400, f"{BLOCK}: Extra inputs are not permitted")
    wrong = _wrong_blocks(blocks)
    if wrong is not None or not asks:
        return wrong
    return _wrong_wish(payload, model)


def summarised(payload: Mapping[str, Any]) -> Reply:
    """Return the fake's summary of a conversation: the size of each message and its last words."""
    said = [block["text"] for message in payload["messages"] for block in message["content"] if "text" in block]
    lines = [f"Summary of {len(payload['messages'])} messages.", "", f"It ends: {said[-1][:200] if said else '—'}"]
    wish = (payload[BLOCK].get("instructions") or "").strip()
    return Reply(blocks=(Say("\n".join([*lines, *(["", f"As wished: {wish}"] if wish else [])])),))


def _blocks(payload: Mapping[str, Any]) -> Iterator[tuple[tuple[int, int], str, Mapping[str, Any]]]:
    """Yield the position, owner and content of each block; blocks without content have no effect."""
    for at, message in enumerate(payload["messages"]):
        content = message["content"] if isinstance(message["content"], list) else []
        for number, block in enumerate(content):
            if block.get("type") == BLOCK and block.get("content") is not None:
                yield (at, number), message["role"], block


def _wrong_blocks(blocks: list[tuple[tuple[int, int], str, Mapping[str, Any]]]) -> Refuse | None:
    if len(blocks) > 1:
        return _coded("compaction_block_ambiguous", "`messages` holds more than one `compaction` block")
    for place, role, block in blocks:
        if place != (0, 0) or role != "assistant":
            return _coded("compaction_block_misplaced", "The `compaction` block is not the first block")
        content, _, rest = str(block.get("signature")).partition(".")
        changes, _, seal = rest.partition(".")
        if seal != _digest([_SEAL, f"{content}.{changes}"]):
            return _coded("compaction_signature_invalid", "The `signature` does not verify")
        if content != _digest(block["content"]):
            return _coded("compaction_content_mismatch", "`content` differs from what its `signature` recorded")
        if changes != _digest(block.get("tool_changes")):
            return _coded("compaction_tool_changes_mismatch", "`tool_changes` differs from what was returned")
        if block.get("encrypted_content") != signed_block(block["content"])["encrypted_content"]:
            return _coded("compaction_signature_invalid", "`encrypted_content` is not what was returned")
    return None


def _wrong_wish(payload: Mapping[str, Any], model: FakeModel) -> Refuse | None:
    wish = payload[BLOCK]
    if not model.summarises:
        return Refuse(400, f"compaction: {model.id} does not support compaction")
    if wish.get("type") != "summarize" or set(wish) - {"type", "instructions"}:
        return Refuse(400, "compaction.type: Input should be 'summarize'")
    combined = [name for name in _REPLY_ONLY if name in payload]
    if combined or (payload.get("tool_choice") or {}).get("type") in ("any", "tool"):
        return Refuse(400, f"compaction: cannot be combined with {(combined or ['tool_choice'])[0]}")
    messages = payload["messages"]
    if not any(message["content"] for message in messages):
        return _coded("compaction_nothing_to_summarize", "`messages` holds nothing to summarize")
    last = messages[-1]
    calls = isinstance(last["content"], list) and any(block.get("type") == "tool_use" for block in last["content"])
    if last["role"] == "assistant" and calls:
        return _coded("compaction_incomplete_turn", "The request ends on an `assistant` turn that is not finished")
    return None


def _coded(code: str, message: str) -> Refuse:
    return Refuse(400, message, code=code)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:24]
