"""Requests in the two forms of OpenAI: Chat Completions, which many servers speak, and Responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stemmata.domain.blocks import Image, Text, ToolCall
from stemmata.domain.hygiene import CallResult, CleanMessage, Reply, UserMessage
from stemmata.domain.requests import Encoding, Payload, clean_arguments, clean_name, clean_text, texts_of

_SEE_IMAGE = "(see the image that follows)"


def chat_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Chat Completions. Consecutive messages of one role are merged: templates of local models insist on it."""
    options = encoding.options
    out: list[dict[str, Any]] = []
    if options.system.strip():
        out.append({"role": "system", "content": clean_text(options.system)})
    for message in (*_chat_messages(messages, encoding),):
        if out and out[-1]["role"] == message["role"] and message["role"] in ("user", "assistant"):
            _merge(out[-1], message)
        else:
            out.append(message)
    payload: Payload = {"model": options.model, "messages": out, "max_completion_tokens": options.max_tokens}
    if options.tools:
        payload["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": clean_name(tool.name),
                    "description": tool.description,
                    "parameters": dict(tool.schema),
                },
            }
            for tool in options.tools
        ]
    return payload


def responses_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Responses, without anything kept on the server."""
    options = encoding.options
    items = [item for message in messages for item in _items(message, encoding)]
    payload: Payload = {
        "model": options.model,
        "input": items,
        "max_output_tokens": options.max_tokens,
        "store": False,
    }
    if options.system.strip():
        payload["instructions"] = clean_text(options.system)
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


# -- Chat Completions -----------------------------------------------------------------------------------------


def _chat_messages(messages: Sequence[CleanMessage], encoding: Encoding) -> Iterable[dict[str, Any]]:
    """Tool messages hold text only, so the images of results follow their whole group as the user's."""
    images: list[Image] = []
    for message in messages:
        if not isinstance(message, CallResult) and images:
            yield {"role": "user", "content": _parts(images, encoding)}
            images = []
        if isinstance(message, UserMessage):
            yield {"role": "user", "content": _content(message.blocks, encoding)}
        elif isinstance(message, Reply):
            yield _chat_reply(message, encoding)
        else:
            text = "\n".join(texts_of(message.blocks)) or _SEE_IMAGE
            yield {"role": "tool", "tool_call_id": encoding.ids.of(message.call), "content": text}
            images += [block for block in message.blocks if isinstance(block, Image)]
    if images:
        yield {"role": "user", "content": _parts(images, encoding)}


def _chat_reply(reply: Reply, encoding: Encoding) -> dict[str, Any]:
    texts = texts_of(reply.blocks)
    message: dict[str, Any] = {"role": "assistant", "content": "\n\n".join(texts) or None}
    calls = [
        {
            "id": encoding.ids.of(block.id),
            "type": "function",
            "function": {"name": clean_name(block.name), "arguments": clean_arguments(block)},
        }
        for block in reply.blocks
        if isinstance(block, ToolCall)
    ]
    return message | {"tool_calls": calls} if calls else message


def _merge(into: dict[str, Any], message: dict[str, Any]) -> None:
    """Text stays a string as long as both are; a call always comes with the later message."""
    one, other = into["content"], message["content"]
    if isinstance(one, list) or isinstance(other, list):
        into["content"] = [*_as_parts(one), *_as_parts(other)]
    else:
        into["content"] = "\n\n".join(text for text in (one, other) if text) or None
    if "tool_calls" in message:
        into["tool_calls"] = message["tool_calls"]


def _as_parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _content(blocks: Sequence[Text | Image], encoding: Encoding) -> str | list[dict[str, Any]]:
    parts = _parts(blocks, encoding)
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _parts(blocks: Sequence[Text | Image], encoding: Encoding) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": value} if kind == "text" else {"type": "image_url", "image_url": {"url": value}}
        for kind, value in (_part(block, encoding) for block in blocks)
    ]


def _part(block: Text | Image, encoding: Encoding) -> tuple[str, str]:
    """("text", text) or ("image", data URL)."""
    if isinstance(block, Text):
        return "text", clean_text(block.text)
    image = encoding.image(block)
    if isinstance(image, str):
        return "text", clean_text(image)
    media_type, data = image
    return "image", f"data:{media_type};base64,{data}"


# -- Responses ------------------------------------------------------------------------------------------------


def _items(message: CleanMessage, encoding: Encoding) -> list[dict[str, Any]]:
    if isinstance(message, UserMessage):
        return [{"type": "message", "role": "user", "content": _inputs(message.blocks, encoding)}]
    if isinstance(message, CallResult):
        has_image = any(isinstance(block, Image) for block in message.blocks)
        output = _inputs(message.blocks, encoding) if has_image else "\n".join(texts_of(message.blocks))
        return [{"type": "function_call_output", "call_id": encoding.ids.of(message.call), "output": output}]
    texts = [{"type": "output_text", "text": text} for text in texts_of(message.blocks)]
    said = [{"type": "message", "role": "assistant", "content": texts}] if texts else []
    calls = [_function_call(block, encoding) for block in message.blocks if isinstance(block, ToolCall)]
    return [*said, *calls]


def _function_call(call: ToolCall, encoding: Encoding) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": encoding.ids.of(call.id),
        "name": clean_name(call.name),
        "arguments": clean_arguments(call),
    }


def _inputs(blocks: Sequence[Text | Image], encoding: Encoding) -> list[dict[str, Any]]:
    return [
        {"type": "input_text", "text": value} if kind == "text" else {"type": "input_image", "image_url": value}
        for kind, value in (_part(block, encoding) for block in blocks)
    ]
