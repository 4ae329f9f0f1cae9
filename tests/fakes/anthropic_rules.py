"""What Anthropic's Messages API refuses of a request's form."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from struct import unpack

from tests.fakes.rule_parts import ID, IMAGES, NAME, PDF, Json, alternation


def anthropic_violations(payload: Json) -> Iterator[str]:
    messages = payload["messages"]
    roles = [message["role"] for message in messages]
    is_signed = bool(messages) and messages[0]["content"][:1] and messages[0]["content"][0]["type"] == "compaction"
    yield from alternation(["user", *roles] if is_signed and roles[0] == "assistant" else roles)
    if payload["max_tokens"] < 1:
        yield "max_tokens is not positive."
    tools = {tool["name"] for tool in payload.get("tools", ())}
    seen: set[str] = set()
    for at, message in enumerate(messages):
        where = f"messages.{at}"
        content = message["content"]
        if not content:
            yield f"{where}: no content."
        for block in content:
            yield from _block(block, message["role"], where, tools)
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        yield from (f"{where}: the id {id} is used twice." for id in calls if id in seen or calls.count(id) > 1)
        seen.update(calls)
        following = messages[at + 1]["content"] if at + 1 < len(messages) else ()
        yield from _answers(calls, following, where)
        if at == 0 or messages[at - 1]["role"] == message["role"]:
            yield from _answers([], content, where)
    yield from _ending(messages)
    yield from _cache_marks(payload)
    yield from _sizes(messages)


def _block(block: Json, role: str, where: str, tools: set[str]) -> Iterator[str]:
    match block["type"]:
        case "text":
            if not block["text"].strip():
                yield f"{where}: text without a visible character."
        case "tool_use":
            yield from _tool_use(block, role, where, tools)
        case "tool_result":
            yield from _tool_result(block, role, where, tools)
        case "document":
            source = block["source"]
            if role != "user" or source["media_type"] != PDF or not source["data"]:
                yield f"{where}: a document that is not accepted."
        case "image":
            if role != "user" or block["source"]["media_type"] not in IMAGES or not block["source"]["data"]:
                yield f"{where}: an image that is not accepted."
        case "thinking" | "redacted_thinking" as kind:
            if role != "assistant" or not block["signature" if kind == "thinking" else "data"]:
                yield f"{where}: {kind} that is not signed."
        case "compaction":
            if role != "assistant" or block["content"] == "":
                yield f"{where}: a summary that is not accepted."
        case kind:
            yield f"{where}: a block of type {kind}."


def _tool_use(block: Json, role: str, where: str, tools: set[str]) -> Iterator[str]:
    if role != "assistant" or not ID.fullmatch(block["id"]) or not isinstance(block["input"], dict):
        yield f"{where}: a malformed call."
    if block["name"] not in tools or not NAME.fullmatch(block["name"]):
        yield f"{where}: the tool {block['name']} is not defined."


def _tool_result(block: Json, role: str, where: str, tools: set[str]) -> Iterator[str]:
    if role != "user":
        yield f"{where}: a result that is not the user's."
    for part in block["content"]:
        yield from _block(part, role, where, tools)
    if block.get("is_error") and any(part["type"] != "text" for part in block["content"]):
        yield f"{where}: an error that is more than text."


def _answers(calls: Sequence[str], following: Sequence[Json], where: str) -> Iterator[str]:
    """The next message must begin with exactly one result for each call and hold no other."""
    results = [block["tool_use_id"] for block in following if block["type"] == "tool_result"]
    leading = [block["type"] for block in following[: len(results)]]
    if sorted(results) != sorted(calls):
        yield f"{where}: calls {sorted(calls)} but results {sorted(results)}."
    elif any(kind != "tool_result" for kind in leading):
        yield f"{where}: results do not come first in their message."


def _sizes(messages: Sequence[Json]) -> Iterator[str]:
    """Check number and sides of the images, as the API does for models with a window of 200,000 tokens.

    Only those of PNG images are read, which the tests send.
    """
    blocks = [block for message in messages for block in message["content"]]
    blocks += [part for block in blocks if block["type"] == "tool_result" for part in block["content"]]
    images = [base64.b64decode(block["source"]["data"][:64]) for block in blocks if block["type"] == "image"]
    sides = [max(unpack(">II", image[16:24])) for image in images if image.startswith(b"\x89PNG") and image[23:]]
    if len(images) > 100:
        yield f"Too many images: {len(images)} > 100"
    if any(side > 8000 for side in sides):
        yield "At least one of the image dimensions exceed max allowed size: 8000 pixels"
    if len(images) > 20 and any(side > 2000 for side in sides):
        yield "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"


def _ending(messages: Sequence[Json]) -> Iterator[str]:
    for at, message in enumerate(messages):
        last = message["content"][-1] if message["content"] else {"type": "text", "text": "."}
        if message["role"] != "assistant":
            continue
        if last["type"] in ("thinking", "redacted_thinking"):
            yield f"messages.{at}: ends in thinking."
        if at == len(messages) - 1 and last["type"] == "text" and last["text"] != last["text"].rstrip():
            yield f"messages.{at}: the last reply ends in white space."


def _cache_marks(payload: Json) -> Iterator[str]:
    """Check the cache marks: at most four, longer-lived ones before the others, none on thinking."""
    blocks = [*payload.get("tools", ()), *payload.get("system", ())]
    for message in payload["messages"]:
        for block in message["content"]:
            blocks.append(block)
            if block["type"] == "tool_result":
                blocks += block["content"]
    marked = [block for block in blocks if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    lives = [block["cache_control"].get("ttl", "5m") for block in marked]
    if any(life not in ("5m", "1h") for life in lives) or lives != sorted(lives):  # "1h" sorts first
        yield f"A ttl='1h' cache_control block must not come after a ttl='5m' one: {lives}"
    if any(block["cache_control"]["type"] != "ephemeral" for block in marked):
        yield "cache_control.type: must be ephemeral."
    if any(block.get("type") in ("thinking", "redacted_thinking") for block in marked):
        yield "cache_control: cannot be set on thinking blocks."
