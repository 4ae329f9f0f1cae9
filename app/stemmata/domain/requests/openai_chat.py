"""Builds requests for OpenAI's Chat Completions API, which many servers implement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.requests.message_normalizer import CallResult, CleanMessage, Reply, UserMessage
from stemmata.domain.requests.request import (
    Encoding,
    Payload,
    clean_arguments,
    clean_name,
    continuation_text,
    texts_of,
)
from stemmata.domain.requests.thinking import chat_thinking, content_part

_SEE_IMAGE = "(see the image that follows)"


def chat_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Return the JSON body of a request. Consecutive messages of one role are merged, as local models require."""
    options = encoding.options
    out: list[dict[str, Any]] = []
    if system := options.whole_system:
        out.append({"role": "system", "content": system})
    for message in (*_chat_messages(messages, encoding), *_broken_off(encoding)):
        if out and out[-1]["role"] == message["role"] and message["role"] in ("user", "assistant"):
            _merge(out[-1], message)
        else:
            out.append(message)
    payload: Payload = {"model": options.model, "messages": out, "max_completion_tokens": longest_reply(encoding)}
    payload |= chat_thinking(options)
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


def longest_reply(encoding: Encoding) -> int:
    """Return the maximum output tokens to request: the setting, limited by the model's maximum."""
    options = encoding.options
    return min(options.max_tokens, options.traits.most_output or options.max_tokens)


def _broken_off(encoding: Encoding) -> Iterable[dict[str, Any]]:
    """Yield the message that quotes an interrupted reply, since this API cannot continue a reply."""
    if encoding.options.prefill.strip():
        yield {"role": "user", "content": continuation_text(encoding.options.prefill)}


def _chat_messages(messages: Sequence[CleanMessage], encoding: Encoding) -> Iterable[dict[str, Any]]:
    """Yield the messages. A tool message holds only text, so images of results follow in a user message."""
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
    """Append a message to one of the same role. The content stays a string when both are strings."""
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
    return [_part(block, encoding) for block in blocks]


def _part(block: Text | Image, encoding: Encoding) -> dict[str, Any]:
    part = content_part(block, encoding)
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if part.is_pdf:
        return {"type": "file", "file": {"filename": part.name, "file_data": part.url}}
    return {"type": "image_url", "image_url": {"url": part.url}}
