"""OpenAI's Responses API and Codex's form of it, without storage on the server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.streaming import BlockKind, ReplyEnded, ReplyStarted, StopReason, StreamEvent
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import MOST_TOKENS, number_within
from stemmata.providers.openai.chat import usage_of
from stemmata.providers.openai.server import OpenAIServer
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.reply import OpenBlocks, mapping, place, word
from stemmata.providers.shared.wire import stream_reply

if TYPE_CHECKING:
    import httpx2


_KINDS = {"message": BlockKind.TEXT, "reasoning": BlockKind.THINKING, "function_call": BlockKind.TOOL_CALL}
_GROWS = {
    "response.output_text.delta": BlockKind.TEXT,
    "response.refusal.delta": BlockKind.TEXT,
    "response.reasoning_summary_text.delta": BlockKind.THINKING,
    "response.reasoning_text.delta": BlockKind.THINKING,
    "response.function_call_arguments.delta": BlockKind.TOOL_CALL,
}
_KEPT = ("type", "id", "summary", "content", "encrypted_content")  # fields of a reasoning item that are sent back


class ResponsesReply:
    """Implements `reply.ReplyReader`. The signature of a thinking block is the JSON of its reasoning item."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.blocks = OpenBlocks()
        self.ended = self._has_begun = False
        self._parts: dict[object, object] = {}  # the current part of a reasoning summary, by item
        self._calls = 0

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Convert one event of the stream, or the whole reply of a server that does not stream."""
        key = place(data.get("output_index"))
        match data.get("type"):
            case "response.created":
                yield from self._began(mapping(data.get("response")))
            case "response.output_item.added":
                yield from self._item_began(key, mapping(data.get("item")))
            case "response.output_item.done":
                yield from self._item_done(key, mapping(data.get("item")))
            case "response.completed" | "response.incomplete":
                yield from self._ended(mapping(data.get("response")))
            case "response.failed" | "error":
                raise self._faults.from_body(data, begun=self.blocks.any_came)
            case str(type) if type in _GROWS:
                yield from self._grown(key, _GROWS[type], data)
            case _ if data.get("error"):
                raise self._faults.from_body(data, begun=self.blocks.any_came)
            case _ if data.get("object") == "response":
                yield from self._came_whole(data)

    def finish(self) -> Iterator[StreamEvent]:
        """End the reply. Without its last event the reply is incomplete."""
        return iter(())

    def _began(self, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if not self._has_begun:
            self._has_begun = True
            yield ReplyStarted(word(response.get("id")), word(response.get("model")))

    def _came_whole(self, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        yield from self._began(response)
        output = response.get("output")
        for key, item in enumerate(output if isinstance(output, list) else ()):
            yield from self._item_done(key, mapping(item))
        yield from self._ended(response)

    def _item_began(self, key: object, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        kind = _KINDS.get(word(item.get("type")))
        if kind is None:
            return  # reported when the item is done
        id = ""
        if kind is BlockKind.TOOL_CALL:
            self._calls += 1
            id = word(item.get("call_id")) or f"call_{self._calls - 1}"
        yield from self.blocks.begin(key, kind, name=word(item.get("name")), id=id)

    def _grown(self, key: object, kind: BlockKind, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if not self.blocks.is_open(key):
            yield from self.blocks.begin(key, kind, id=f"call_{self._calls}" if kind is BlockKind.TOOL_CALL else "")
        part = data.get("summary_index")
        if part is not None and self._parts.setdefault(key, part) != part:
            self._parts[key] = part
            yield from self.blocks.grow(key, "\n\n")
        yield from self.blocks.grow(key, data.get("delta"))

    def _item_done(self, key: object, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        type = word(item.get("type"))
        if type not in _KINDS:
            yield from self.blocks.begin(key, BlockKind.OPAQUE, name=type, raw=item)
        elif not self.blocks.is_open(key):
            yield from self._item_began(key, item)
        if type in _KINDS and not self.blocks.has_text(key):
            yield from self.blocks.grow(key, _text_of(item))
        if type == "reasoning":
            self.blocks.sign(key, compact_json({name: item[name] for name in _KEPT if item.get(name) is not None}))
        yield from self.blocks.finish(key)

    def _ended(self, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        yield from self.blocks.finish_all()
        self.ended = True
        usage = mapping(response.get("usage"))
        thought = number_within(mapping(usage.get("output_tokens_details")).get("reasoning_tokens"), 0, MOST_TOKENS)
        details = mapping(usage.get("input_tokens_details"))
        reported = usage_of(usage, "input_tokens", "output_tokens", details) if usage else None
        yield ReplyEnded(self._reason(response), reported, thought)

    def _reason(self, response: Mapping[str, Any]) -> StopReason:
        why = word(mapping(response.get("incomplete_details")).get("reason"))
        if why == "max_output_tokens":
            return StopReason.MAX_TOKENS
        if why == "content_filter":
            return StopReason.REFUSAL
        if why or response.get("status") == "incomplete":
            return StopReason.OTHER
        return StopReason.TOOL_USE if self._calls else StopReason.END_TURN


def _text_of(item: Mapping[str, Any]) -> str:
    """Return the text of a complete item, for servers that send it in one piece."""
    if item.get("type") == "function_call":
        return word(item.get("arguments"))
    parts = item.get("summary") if item.get("type") == "reasoning" else item.get("content")
    texts = [word(mapping(part).get("text")) for part in parts] if isinstance(parts, list) else []
    return "\n\n".join(text for text in texts if text)


_COUNTED = frozenset({"model", "input", "instructions", "tools", "tool_choice", "reasoning"})


class ResponsesProvider(OpenAIServer):
    """Implements `services.ports.providers.Provider`."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """As described in `services.ports.providers.Provider`."""

        async def ask() -> httpx2.Response:
            return await self.ask("/responses", {**payload, "stream": True})

        return stream_reply(ask, ResponsesReply(self.faults), self.faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        """As described in `services.ports.providers.Provider`."""
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        return await self.counted("/responses/input_tokens", body)


class CodexProvider(ResponsesProvider):
    """Implements `services.ports.providers.Provider` for servers whose address ends with `/codex`."""

    async def count(self, _payload: Mapping[str, Any]) -> None:
        """Return None: such a server does not count."""
