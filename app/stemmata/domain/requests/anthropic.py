"""Builds requests for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stemmata.domain.compaction.summary.signed import BLOCK
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.requests.message_normalizer import CallResult, CleanMessage, Reply, UserMessage
from stemmata.domain.requests.pictures import leave_out_pictures
from stemmata.domain.requests.request import (
    Encoding,
    Payload,
    RequestOptions,
    ToolDefinition,
    clean_name,
    clean_text,
    continuation_text,
    input_of,
)
from stemmata.domain.requests.thinking import anthropic_thinking, content_part

GO_ON = "Please go on."
GOES_ON = "(The conversation goes on with the assistant.)"
_GONE = "No longer available."
_THINKING = ("thinking", "redacted_thinking")


def anthropic_payload(messages: Sequence[CleanMessage], encoding: Encoding) -> Payload:
    """Return the JSON body of a request.

    The roles alternate: consecutive messages of one role are merged, with tool results first. A signed summary is
    sent as a block of the assistant when it is the first message, and as text at any other position.
    """
    options = encoding.options
    turns = _Turns(encoding)
    for message in messages:
        turns.add(message)
    payload: Payload = {"model": options.model, **anthropic_thinking(options, in_loop=turns.answer_thoughtless_calls)}
    if options.summarise is None:
        turns.end(can_prefill=options.traits.takes_prefill and "thinking" not in payload)
    else:
        turns.trim()
        wish = {"instructions": clean_text(options.summarise)} if options.summarise.strip() else {}
        payload["compaction"] = {"type": "summarize"} | wish
    leave_out_pictures(turns.turns, options.facts.window if options.facts else None)
    payload["messages"] = turns.turns
    if system := options.whole_system:
        payload["system"] = [{"type": "text", "text": system}]
    tools = _tools(options.tools, messages)
    if tools:
        payload["tools"] = tools
        if not options.tools:
            payload["tool_choice"] = {"type": "none"}
    if options.cache:
        _mark(options, payload, turns)
    if options.previous:
        payload["diagnostics"] = {"previous_message_id": options.previous}
    return payload


class _Turns:
    """Collects the messages of a request, and the blocks after which the prompt cache is marked."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.turns: list[dict[str, Any]] = []
        self.summary: dict[str, Any] | None = None  # the last block of the last summary
        self.pruned: dict[str, Any] | None = None  # the last pruned tool result

    def add(self, message: CleanMessage) -> None:
        signed = None if self.turns or not isinstance(message, UserMessage) else self._encoding.signed(message)
        if signed:
            self.summary = dict(signed)
            self.turns.append({"role": "assistant", "content": [self.summary]})
            return
        content = list(_content(message, self._encoding))
        self._add("assistant" if isinstance(message, Reply) else "user", content)
        if isinstance(message, UserMessage) and message.form is Form.SUMMARY:
            self.summary, self.pruned = content[-1], None
        elif isinstance(message, CallResult) and message.form is Form.PRUNED:
            self.pruned = content[-1]

    @property
    def answer_thoughtless_calls(self) -> bool:
        """Whether the request ends with results of calls that a reply without leading thinking made."""
        if len(self.turns) < 2 or self.turns[-1]["content"][0]["type"] != "tool_result":
            return False
        return self.turns[-2]["content"][0]["type"] not in _THINKING

    @property
    def last_of_user(self) -> dict[str, Any] | None:
        """The last block of the last user message; None when there is no user message."""
        turn = next((turn for turn in reversed(self.turns) if turn["role"] == "user"), None)
        block: dict[str, Any] | None = turn["content"][-1] if turn else None
        return block

    def end(self, *, can_prefill: bool) -> None:
        """Add the end of the request: the beginning of the reply for models that continue it, else a user message."""
        text = clean_text(self._encoding.options.prefill).rstrip()
        if text and self.turns:
            if can_prefill:
                self._add("assistant", [{"type": "text", "text": text}])
            else:
                self._add("user", [{"type": "text", "text": continuation_text(text)}])
        if not self.turns or self.turns[-1]["role"] != "assistant":
            return
        if can_prefill and not self._is_only_signed:  # the message ends in text, since results follow all calls
            self.trim()
        else:
            self._add("user", [{"type": "text", "text": GO_ON}])

    def trim(self) -> None:
        """Remove white space from the end of a final assistant message, which the API refuses."""
        last = self.turns[-1]["content"][-1] if self.turns else {}
        if last.get("type") == "text" and self.turns[-1]["role"] == "assistant":
            last["text"] = last["text"].rstrip()

    @property
    def _is_only_signed(self) -> bool:
        """Whether the only message is a signed summary, which must not be merged with another assistant message."""
        return len(self.turns) == 1 and self.turns[0]["content"][-1]["type"] == BLOCK

    def _add(self, role: str, content: list[dict[str, Any]]) -> None:
        if role == "assistant" and self._is_only_signed:
            self._add("user", [{"type": "text", "text": GOES_ON}])
        if not self.turns or self.turns[-1]["role"] != role:
            self.turns.append({"role": role, "content": []})
        self.turns[-1]["content"] += content


def _mark(options: RequestOptions, payload: Payload, turns: _Turns) -> None:
    """Mark the prompt cache after system and tools, summary, last pruned result and end: the four marks allowed."""
    head = (payload.get("system") or payload.get("tools") or [None])[-1]
    control = {"type": "ephemeral"} if options.cache == "5m" else {"type": "ephemeral", "ttl": options.cache}
    for block in (head, turns.summary, turns.pruned, turns.last_of_user):
        if block is not None:
            block["cache_control"] = dict(control)


def _content(message: CleanMessage, encoding: Encoding) -> Iterable[dict[str, Any]]:
    if isinstance(message, Reply):
        return _reply(message, encoding)
    parts = [_part(block, encoding) for block in message.blocks]
    if isinstance(message, UserMessage):
        return parts
    result = {"type": "tool_result", "tool_use_id": encoding.ids.of(message.call), "content": parts}
    is_text = all(part["type"] == "text" for part in parts)
    return [result | {"is_error": True} if message.failed and is_text else result]  # errors must be text


def _reply(reply: Reply, encoding: Encoding) -> list[dict[str, Any]]:
    content = [_block_json(block, encoding) for block in reply.blocks if not isinstance(block, Thinking)
               or (_is_signed(block) and encoding.is_own(reply))]  # fmt: skip
    while content[-1]["type"] in _THINKING:  # the API refuses a message that ends in thinking
        content.pop()
    return content


def _is_signed(block: Thinking) -> bool:
    """Return whether Anthropic signed the block; a signature that is JSON is an item of OpenAI's API."""
    return bool(block.signature) and not block.signature.startswith("{")


def _block_json(block: Text | Thinking | ToolCall, encoding: Encoding) -> dict[str, Any]:
    if isinstance(block, ToolCall):
        name, id = clean_name(block.name), encoding.ids.of(block.id)
        return {"type": "tool_use", "id": id, "name": name, "input": input_of(block)}
    if isinstance(block, Text):
        return {"type": "text", "text": clean_text(block.text)}
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.signature}
    return {"type": "thinking", "thinking": clean_text(block.text), "signature": block.signature}


def _part(block: Text | Image, encoding: Encoding) -> dict[str, Any]:
    part = content_part(block, encoding)
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    if part.is_pdf:
        return {"type": "document", "source": source, "title": part.name}
    return {"type": "image", "source": source}


def _tools(given: Sequence[ToolDefinition], messages: Sequence[CleanMessage]) -> list[dict[str, Any]]:
    """Return the given tools and those that the history calls, because the API refuses calls of undefined tools."""
    tools = {
        clean_name(tool.name): {"description": tool.description, "input_schema": dict(tool.schema)} for tool in given
    }
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                tools.setdefault(clean_name(block.name), {"description": _GONE, "input_schema": {"type": "object"}})
    return [{"name": name} | tool for name, tool in tools.items()]
