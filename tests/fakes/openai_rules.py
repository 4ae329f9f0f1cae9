"""What OpenAI's two APIs refuse of a request's form, and what templates of local models do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from tests.fakes.rule_parts import ID, NAME, Json, alternation

_DATA_URL = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,[A-Za-z0-9+/]+=*")
_FILE_URL = re.compile(r"data:application/pdf;base64,[A-Za-z0-9+/]+=*")
_LONGEST_CHAT_ID, _LONGEST_ID = 40, 64


# -- Chat Completions -----------------------------------------------------------------------------------------


def chat_violations(payload: Json) -> Iterator[str]:
    messages = [message for message in payload["messages"] if message["role"] != "system"]
    if any(message["role"] == "system" for message in payload["messages"][1:]):
        yield "A system message that is not the first."
    yield from alternation([message["role"] for message in messages if message["role"] != "tool"], results=messages)
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
        if part["type"] == "file" and not (
            _FILE_URL.fullmatch(part["file"]["file_data"]) and part["file"]["filename"]
        ):
            yield f"{where}: a file that is not accepted."
        if part["type"] not in ("text", "image_url", "file"):
            yield f"{where}: a part of type {part['type']}."
    if not parts:
        yield f"{where}: no content."


# -- Responses ------------------------------------------------------------------------------------------------


def responses_violations(payload: Json) -> Iterator[str]:
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
        elif item["type"] == "reasoning":
            yield from _reasoning_item(item, items[at + 1 :], where)
        else:
            if waiting:
                yield f"{where}: comes before the results of {waiting}."
            yield from _message_item(item, where)
    if waiting:
        yield f"No results of {waiting}."


def codex_violations(payload: Json) -> Iterator[str]:
    """Yield the faults that only Codex's form of the API refuses."""
    yield from responses_violations(payload)
    if "max_output_tokens" in payload:
        yield "Unsupported parameter: max_output_tokens"
    said = [item.get("role", item["type"]) for item in payload["input"] if item["type"] != "reasoning"]
    yield from (
        f"input: two consecutive messages of the assistant, the second after {at + 1} others."
        for at, pair in enumerate(pairwise(said))
        if pair == ("assistant", "assistant")
    )


def _reasoning_item(item: Json, following: Sequence[Json], where: str) -> Iterator[str]:
    """Check a reasoning item: the server keeps nothing, so it needs its encrypted content."""
    if not item.get("encrypted_content") or not isinstance(item.get("summary"), list):
        yield f"{where}: Item with id '{item.get('id')}' not found. Items are not persisted when `store` is false."
    after = next((other for other in following if other["type"] != "reasoning"), {"type": ""})
    if after["type"] != "function_call" and after.get("role") != "assistant":
        yield f"{where}: Item '{item.get('id')}' of type 'reasoning' was provided without its required item."


def _message_item(item: Json, where: str) -> Iterator[str]:
    accepted = ("output_text",) if item["role"] == "assistant" else ("input_text", "input_image", "input_file")
    if not item["content"]:
        yield f"{where}: no content."
    for part in item["content"]:
        if part["type"] not in accepted:
            yield f"{where}: a part of type {part['type']}."
        elif part["type"] == "input_image":
            if not _DATA_URL.fullmatch(part["image_url"]):
                yield f"{where}: an image that is not accepted."
        elif part["type"] == "input_file":
            if not _FILE_URL.fullmatch(part["file_data"]) or not part["filename"]:
                yield f"{where}: a file that is not accepted."
        elif not part["text"].strip():
            yield f"{where}: text without a visible character."


# -- shared ---------------------------------------------------------------------------------------------------


def _function(id: str, function: Json, seen: set[str], where: str, longest: int) -> Iterator[str]:
    if not ID.fullmatch(id) or len(id) > longest:
        yield f"{where}: the id {id} is not accepted."
    if id in seen:
        yield f"{where}: the id {id} is used twice."
    seen.add(id)
    if not NAME.fullmatch(function["name"]):
        yield f"{where}: the tool name {function['name']} is not accepted."
    try:
        is_object = isinstance(json.loads(function["arguments"]), dict)
    except ValueError:
        is_object = False
    if not is_object:
        yield f"{where}: arguments that are no JSON object."
