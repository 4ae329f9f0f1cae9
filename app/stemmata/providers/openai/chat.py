"""OpenAI's Chat Completions, and every server that speaks it.

Compatible servers put thinking in fields of its own, and send a call in one piece.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.streaming import BlockKind, ReplyEnded, ReplyStarted, StopReason, StreamEvent
from stemmata.domain.entries.entry import Usage
from stemmata.domain.text.untrusted import MOST_TOKENS, non_negative_int, number_within
from stemmata.providers.openai.server import OpenAIServer
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.reply import OpenBlocks, mapping, word
from stemmata.providers.shared.wire import stream_reply

if TYPE_CHECKING:
    import httpx2

_REASONS = {
    "stop": StopReason.END_TURN,
    "length": StopReason.MAX_TOKENS,
    "tool_calls": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "content_filter": StopReason.REFUSAL,
}
_THOUGHTS = ("reasoning_content", "reasoning")  # fields of DeepSeek and llama.cpp; of OpenRouter, Ollama and vLLM
_WORDS = ("content", "refusal")


class ChatReply:
    """Implements `reply.ReplyReader`."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.blocks = OpenBlocks()
        self.ended = False
        self._began = False
        self._calls: dict[object, str] = {}  # call ids by the server's index
        self._reason: str | None = None
        self._usage: Mapping[str, Any] = {}

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Convert one chunk of the stream, or the whole reply of a server that does not stream."""
        if data.get("error"):
            raise self._faults.from_body(data, begun=self.blocks.any_came)
        if not self._began:
            self._began = True
            yield ReplyStarted(word(data.get("id")), word(data.get("model")))
        self._usage = mapping(data.get("usage")) or self._usage
        choices = data.get("choices")
        if isinstance(choices, list) and choices:
            choice = mapping(choices[0])
            yield from self._delta(mapping(choice.get("delta") or choice.get("message")))
            self._reason = word(choice.get("finish_reason")) or self._reason

    def finish(self) -> Iterator[StreamEvent]:
        """End the reply. Only a finish reason makes it complete; usage may follow the reason or be missing."""
        if self._reason is None:
            return
        yield from self.blocks.finish_all()
        self.ended = True
        reason = _REASONS.get(self._reason, StopReason.OTHER)
        if self._calls and reason is StopReason.END_TURN:
            reason = StopReason.TOOL_USE  # some servers send "stop" even with calls
        details = mapping(self._usage.get("completion_tokens_details"))
        yield ReplyEnded(reason, self._reported(), number_within(details.get("reasoning_tokens"), 0, MOST_TOKENS))

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        thought = next((text for name in _THOUGHTS if (text := word(delta.get(name)))), "")
        if thought:
            yield from self._more("thinking", BlockKind.THINKING, thought)
        for name in _WORDS:
            if text := word(delta.get(name)):
                yield from self.blocks.finish("thinking")
                yield from self._more("text", BlockKind.TEXT, text)
        calls = delta.get("tool_calls")
        for at, call in enumerate(calls if isinstance(calls, list) else ()):
            yield from self._call(mapping(call), at)

    def _more(self, key: str, kind: BlockKind, text: str) -> Iterator[StreamEvent]:
        if not self.blocks.is_open(key):
            yield from self.blocks.begin(key, kind)
        yield from self.blocks.grow(key, text)

    def _call(self, call: Mapping[str, Any], at: int) -> Iterator[StreamEvent]:
        """Take a part of a call.

        A new id begins a new call, even at a used index: some servers always send index 0.
        """
        function, index = mapping(call.get("function")), call.get("index")
        key = ("call", index if isinstance(index, int) else at)
        id = word(call.get("id"))
        if not self.blocks.is_open(key) or (id and id != self._calls.get(key)):
            yield from self.blocks.finish("thinking")
            yield from self.blocks.finish("text")
            self._calls[key] = id or f"call_{len(self._calls)}"
            yield from self.blocks.begin(
                key, BlockKind.TOOL_CALL, name=word(function.get("name")), id=self._calls[key]
            )
        yield from self.blocks.grow(key, function.get("arguments"))

    def _reported(self) -> Usage | None:
        """Return the usage; None when nothing was reported. Prompt tokens include cached tokens here."""
        if not self._usage:
            return None
        details = mapping(self._usage.get("prompt_tokens_details"))
        return usage_of(self._usage, "prompt_tokens", "completion_tokens", details)


def usage_of(usage: Mapping[str, Any], sent: str, answered: str, details: Mapping[str, Any]) -> Usage:
    """Convert OpenAI's counts: our input excludes tokens read from the cache or written to it."""
    read = non_negative_int(details.get("cached_tokens"))
    written = non_negative_int(details.get("cache_write_tokens"))
    return Usage(
        input=max(0, non_negative_int(usage.get(sent)) - read - written),
        output=non_negative_int(usage.get(answered)),
        cache_read=read,
        cache_write=written,
        total=non_negative_int(usage.get("total_tokens")),
    )


class ChatProvider(OpenAIServer):
    """Implements `services.ports.providers.Provider`."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """As described in `services.ports.providers.Provider`."""

        async def ask() -> httpx2.Response:
            body = {**payload, "stream": True, "stream_options": {"include_usage": True}}
            return await self.ask("/chat/completions", body)

        return stream_reply(ask, ChatReply(self.faults), self.faults)

    async def count(self, _payload: Mapping[str, Any]) -> None:
        """Return None: this API cannot count tokens."""
