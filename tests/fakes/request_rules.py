"""What each provider refuses, as rules over a payload, written apart from the code that builds payloads.

A violation is a sentence; no sentence means the provider has no reason of form to refuse the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_ID = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_DATA_URL = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,[A-Za-z0-9+/]+=*")
_LONGEST_CHAT_ID, _LONGEST_ID = 40, 64

Json = Mapping[str, Any]


def violations(payload: Json, api: str) -> list[str]:
    """All rules of the API (`anthropic`, `openai-chat`, `openai-responses`) that the payload breaks."""
    rules = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses}[api]
    return [*_plain_json(payload), *rules(payload)]


def _plain_json(payload: Json) -> Iterator[str]:
    try:
        json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:  # UnicodeEncodeError is a ValueError
        yield f"It is not plain JSON in UTF-8: {error}"


# -- Anthropic ------------------------------------------------------------------------------------------------


def _anthropic(payload: Json) -> Iterator[str]:
    messages = payload["messages"]
    yield from _alternation([message["role"] for message in messages])
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


def _block(block: Json, role: str, where: str, tools: set[str]) -> Iterator[str]:
    match block["type"]:
        case "text":
            if not block["text"].strip():
                yield f"{where}: text without a visible character."
        case "tool_use":
            yield from _tool_use(block, role, where, tools)
        case "tool_result":
            yield from _tool_result(block, role, where, tools)
        case "image":
            if role != "user" or block["source"]["media_type"] not in _IMAGES or not block["source"]["data"]:
                yield f"{where}: an image that is not accepted."
        case "thinking" | "redacted_thinking" as kind:
            if role != "assistant" or not block["signature" if kind == "thinking" else "data"]:
                yield f"{where}: {kind} that is not signed."
        case kind:
            yield f"{where}: a block of type {kind}."


def _tool_use(block: Json, role: str, where: str, tools: set[str]) -> Iterator[str]:
    if role != "assistant" or not _ID.fullmatch(block["id"]) or not isinstance(block["input"], dict):
        yield f"{where}: a malformed call."
    if block["name"] not in tools or not _NAME.fullmatch(block["name"]):
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


def _ending(messages: Sequence[Json]) -> Iterator[str]:
    for at, message in enumerate(messages):
        last = message["content"][-1] if message["content"] else {"type": "text", "text": "."}
        if message["role"] != "assistant":
            continue
        if last["type"] in ("thinking", "redacted_thinking"):
            yield f"messages.{at}: ends in thinking."
        if at == len(messages) - 1 and last["type"] == "text" and last["text"] != last["text"].rstrip():
            yield f"messages.{at}: the last reply ends in white space."


# -- Chat Completions -----------------------------------------------------------------------------------------


def _chat(payload: Json) -> Iterator[str]:
    messages = [message for message in payload["messages"] if message["role"] != "system"]
    if any(message["role"] == "system" for message in payload["messages"][1:]):
        yield "A system message that is not the first."
    yield from _alternation([message["role"] for message in messages if message["role"] != "tool"], results=messages)
    seen: set[str] = set()
    waiting: list[str] = []
    for at, message in enumerate(messages):
        where = f"messages.{at}"
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                yield f"{where}: a result that no call waits for."
        elif waiting:
            yield f"{where}: comes before the results of {waiting}."
            waiting = []
        calls = message.get("tool_calls", [])
        if not calls:
            yield from _chat_content(message["content"], where)
        for call in calls:
            yield from _function(call["id"], call["function"], seen, where, _LONGEST_CHAT_ID)
            waiting.append(call["id"])
    if waiting:
        yield f"No results of {waiting}."


def _chat_content(content: Any, where: str) -> Iterator[str]:
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if part["type"] == "text" and not (isinstance(part["text"], str) and part["text"].strip()):
            yield f"{where}: text without a visible character."
        if part["type"] == "image_url" and not _DATA_URL.fullmatch(part["image_url"]["url"]):
            yield f"{where}: an image that is not accepted."
    if not parts:
        yield f"{where}: no content."


# -- Responses ------------------------------------------------------------------------------------------------


def _responses(payload: Json) -> Iterator[str]:
    items = payload["input"]
    if not items or items[0].get("role") != "user":
        yield "The input does not begin with the user."
    seen: set[str] = set()
    waiting: list[str] = []
    for at, item in enumerate(items):
        where = f"input.{at}"
        if item["type"] == "function_call":
            yield from _function(item["call_id"], item, seen, where, _LONGEST_ID)
            waiting.append(item["call_id"])
        elif item["type"] == "function_call_output":
            if item["call_id"] not in waiting:
                yield f"{where}: a result that no call waits for."
            else:
                waiting.remove(item["call_id"])
            if not item["output"]:
                yield f"{where}: no output."
        else:
            if waiting:
                yield f"{where}: comes before the results of {waiting}."
            yield from _message_item(item, where)
    if waiting:
        yield f"No results of {waiting}."


def _message_item(item: Json, where: str) -> Iterator[str]:
    accepted = ("output_text",) if item["role"] == "assistant" else ("input_text", "input_image")
    if not item["content"]:
        yield f"{where}: no content."
    for part in item["content"]:
        if part["type"] not in accepted:
            yield f"{where}: a part of type {part['type']}."
        elif part["type"] == "input_image":
            if not _DATA_URL.fullmatch(part["image_url"]):
                yield f"{where}: an image that is not accepted."
        elif not part["text"].strip():
            yield f"{where}: text without a visible character."


# -- shared ---------------------------------------------------------------------------------------------------


def _alternation(roles: Sequence[str], results: Sequence[Json] = ()) -> Iterator[str]:
    """The user first, then turn about; where results are messages of their own, replies may follow them."""
    if not roles or roles[0] != "user":
        yield "The messages do not begin with the user."
    listed = [message["role"] for message in results] or roles
    for at in range(1, len(listed)):
        if listed[at] == listed[at - 1] and listed[at] != "tool":
            yield f"messages.{at}: {listed[at]} follows {listed[at]}."


def _function(id: str, function: Json, seen: set[str], where: str, longest: int) -> Iterator[str]:
    if not _ID.fullmatch(id) or len(id) > longest:
        yield f"{where}: the id {id} is not accepted."
    if id in seen:
        yield f"{where}: the id {id} is used twice."
    seen.add(id)
    if not _NAME.fullmatch(function["name"]):
        yield f"{where}: the tool name {function['name']} is not accepted."
    try:
        is_object = isinstance(json.loads(function["arguments"]), dict)
    except ValueError:
        is_object = False
    if not is_object:
        yield f"{where}: arguments that are no JSON object."
