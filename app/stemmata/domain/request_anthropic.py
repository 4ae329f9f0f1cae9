"""Requests in the form of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stemmata.domain.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.hygiene import CleanMessage, Reply, UserMessage
from stemmata.domain.requests import Encoding, Payload, ToolDefinition, clean_name, clean_text, input_of

_GONE = "No longer available."


def anthropic_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Roles alternate: consecutive messages of one role are merged, tool results come first in theirs."""
    options = encoding.options
    turns = _turns(messages, encoding)
    payload: Payload = {"model": options.model, "max_tokens": options.max_tokens, "messages": turns}
    if options.system.strip():
        payload["system"] = [{"type": "text", "text": clean_text(options.system)}]
    tools = _tools(options.tools, messages)
    if tools:
        payload["tools"] = tools
        if not options.tools:
            payload["tool_choice"] = {"type": "none"}
    return payload


def _turns(messages: Sequence[CleanMessage], encoding: Encoding) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if isinstance(message, Reply) else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _content(message, encoding)
    if turns and turns[-1]["role"] == "assistant":  # calls have results behind them, so this one ends in text
        last = turns[-1]["content"][-1]
        last["text"] = last["text"].rstrip()  # a prefill may not end in white space
    return turns


def _content(message: CleanMessage, encoding: Encoding) -> Iterable[dict[str, Any]]:
    if isinstance(message, Reply):
        return _reply(message, encoding)
    shown = [_shown(block, encoding) for block in message.blocks]
    if isinstance(message, UserMessage):
        return shown
    result = {"type": "tool_result", "tool_use_id": encoding.ids.of(message.call), "content": shown}
    is_text = all(part["type"] == "text" for part in shown)
    return [result | {"is_error": True} if message.failed and is_text else result]  # errors must be text


def _reply(reply: Reply, encoding: Encoding) -> list[dict[str, Any]]:
    content = [_said(block, encoding) for block in reply.blocks if not isinstance(block, Thinking)
               or (block.signature and encoding.is_own(reply))]  # fmt: skip
    while content[-1]["type"] in ("thinking", "redacted_thinking"):  # a message may not end in thinking
        content.pop()
    return content


def _said(block: Text | Thinking | ToolCall, encoding: Encoding) -> dict[str, Any]:
    if isinstance(block, ToolCall):
        name, id = clean_name(block.name), encoding.ids.of(block.id)
        return {"type": "tool_use", "id": id, "name": name, "input": input_of(block)}
    if isinstance(block, Text):
        return {"type": "text", "text": clean_text(block.text)}
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.signature}
    return {"type": "thinking", "thinking": clean_text(block.text), "signature": block.signature}


def _shown(block: Text | Image, encoding: Encoding) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"type": "text", "text": clean_text(block.text)}
    image = encoding.image(block)
    if isinstance(image, str):
        return {"type": "text", "text": clean_text(image)}
    media_type, data = image
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _tools(given: Sequence[ToolDefinition], messages: Sequence[CleanMessage]) -> list[dict[str, Any]]:
    """The given tools and those the history calls: calls to tools that are not defined are refused."""
    tools = {
        clean_name(tool.name): {"description": tool.description, "input_schema": dict(tool.schema)} for tool in given
    }
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                tools.setdefault(clean_name(block.name), {"description": _GONE, "input_schema": {"type": "object"}})
    return [{"name": name} | tool for name, tool in tools.items()]
