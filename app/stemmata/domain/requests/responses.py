"""Builds requests for OpenAI's Responses API and Codex's form of it. The server stores nothing between requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.requests.message_normalizer import CallResult, CleanMessage, Reply, UserMessage
from stemmata.domain.requests.openai_chat import longest_reply
from stemmata.domain.requests.request import (
    Encoding,
    Payload,
    clean_arguments,
    clean_json,
    clean_name,
    clean_text,
    continuation_text,
    texts_of,
)
from stemmata.domain.requests.thinking import content_part, responses_thinking
from stemmata.domain.text.json_text import MAX_NESTING, nests_deeper_than


def responses_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Return the JSON body of a request."""
    options = encoding.options
    items = [item for message in messages for item in _items(message, encoding)]
    if options.prefill.strip():
        content = [{"type": "input_text", "text": continuation_text(options.prefill)}]
        items.append({"type": "message", "role": "user", "content": content})
    payload: Payload = {
        "model": options.model,
        "input": items,
        "max_output_tokens": longest_reply(encoding),
        "store": False,
        **responses_thinking(options),
    }
    if system := options.whole_system:
        payload["instructions"] = system
    if options.tools:
        payload["tools"] = [
            {
                "type": "function",
                "name": clean_name(tool.name),
                "description": tool.description,
                "parameters": dict(tool.schema),
            }
            for tool in options.tools
        ]
    return payload


def codex_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Return the JSON body of a request in Codex's form, as librecode sends it.

    Consecutive messages of the assistant are joined, and no field limits the reply, since the API refuses that field.
    """
    payload = responses_payload(messages, encoding)
    del payload["max_output_tokens"]
    return payload | {"input": _joined(payload["input"])}


def _joined(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items with consecutive messages of the assistant joined, their texts separated by a blank line.

    Reasoning between two such messages stays, before the joined message.
    """
    out: list[dict[str, Any]] = []
    for item in items:
        at = len(out) - 1
        while at >= 0 and out[at]["type"] == "reasoning":
            at -= 1
        if at >= 0 and _is_assistant_message(item) and _is_assistant_message(out[at]):
            parts = [*out.pop(at)["content"], *item["content"]]
            text = "\n\n".join(part["text"].strip() for part in parts)
            item = item | {"content": [{"type": "output_text", "text": text}]}
        out.append(item)
    return out


def _is_assistant_message(item: dict[str, Any]) -> bool:
    """Return whether the item is a message of the assistant."""
    return bool(item["type"] == "message" and item["role"] == "assistant")


def _items(message: CleanMessage, encoding: Encoding) -> list[dict[str, Any]]:
    if isinstance(message, UserMessage):
        return [{"type": "message", "role": "user", "content": _inputs(message.blocks, encoding)}]
    if isinstance(message, CallResult):
        has_image = any(isinstance(block, Image) for block in message.blocks)
        output = _inputs(message.blocks, encoding) if has_image else "\n".join(texts_of(message.blocks))
        return [{"type": "function_call_output", "call_id": encoding.ids.of(message.call), "output": output}]
    return _reply(message, encoding)


def _reply(reply: Reply, encoding: Encoding) -> list[dict[str, Any]]:
    """Return the items of a reply, without reasoning at its end, which the API refuses."""
    items: list[dict[str, Any]] = []
    for block in _text_first(reply.blocks):
        if isinstance(block, Thinking):
            items += _reasoning(block) if encoding.is_own(reply) else ()
        elif isinstance(block, ToolCall):
            items.append(_function_call(block, encoding))
        else:
            part = {"type": "output_text", "text": clean_text(block.text)}
            if items and items[-1]["type"] == "message":
                items[-1]["content"].append(part)
            else:
                items.append({"type": "message", "role": "assistant", "content": [part]})
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    return items


def _text_first(blocks: Sequence[Text | Thinking | ToolCall]) -> Sequence[Text | Thinking | ToolCall]:
    """Return the blocks with text after the first call moved before it, since results must follow calls directly."""
    calls_from = next((at for at, block in enumerate(blocks) if isinstance(block, ToolCall)), len(blocks))
    rest = blocks[calls_from:]
    late = [block for block in rest if isinstance(block, Text)]
    return [*blocks[:calls_from], *late, *(block for block in rest if not isinstance(block, Text))]


def _reasoning(block: Thinking) -> Iterator[dict[str, Any]]:
    """Yield the reasoning item in the block's signature; nothing when its encrypted part is missing."""
    if not block.signature.startswith("{"):
        return
    try:
        item = json.loads(clean_json(clean_text(block.signature)))
    except (ValueError, RecursionError):
        return
    is_whole = item.get("type") == "reasoning" and item.get("encrypted_content")
    if is_whole and isinstance(item.get("summary"), list) and not nests_deeper_than(item, MAX_NESTING):
        yield item


def _function_call(call: ToolCall, encoding: Encoding) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": encoding.ids.of(call.id),
        "name": clean_name(call.name),
        "arguments": clean_arguments(call),
    }


def _inputs(blocks: Sequence[Text | Image], encoding: Encoding) -> list[dict[str, Any]]:
    return [_input(block, encoding) for block in blocks]


def _input(block: Text | Image, encoding: Encoding) -> dict[str, Any]:
    part = content_part(block, encoding)
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    if part.is_pdf:
        return {"type": "input_file", "filename": part.name, "file_data": part.url}
    return {"type": "input_image", "image_url": part.url}
