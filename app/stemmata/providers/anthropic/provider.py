"""Anthropic's Messages API, also for compatible servers."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import ANTHROPIC_URL
from stemmata.domain.chat.streaming import BlockKind, ReplyEnded, ReplyStarted, StopReason, StreamEvent
from stemmata.domain.compaction.summary.signed import BLOCK
from stemmata.domain.entries.entry import Usage, sum_of
from stemmata.domain.text.untrusted import MOST_TOKENS, non_negative_int, number_within
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.reply import OpenBlocks, mapping, place, word
from stemmata.providers.shared.sdk_server import NO_KEY, SdkServer
from stemmata.providers.shared.wire import http_client, stream_reply, without_version

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic


_KINDS = {
    "text": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "redacted_thinking": BlockKind.THINKING,
    "tool_use": BlockKind.TOOL_CALL,
}
_REASONS = {reason.value: reason for reason in StopReason}
_MISSES = ("system", "tools", "messages", "model")


class AnthropicReply:
    """Implements `reply.ReplyReader`. Unknown events are ignored; unknown blocks are kept as received."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.blocks = OpenBlocks()
        self.ended = self._has_begun = False
        self._usage: dict[str, Any] = {}
        self._reason: str | None = None
        self._miss = ""

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Convert one event of the stream, or the whole reply of a server that does not stream."""
        index = place(data.get("index"))
        match data.get("type"):
            case "message_start":
                yield from self._began(mapping(data.get("message")))
            case "content_block_start":
                yield from self._block_began(index, mapping(data.get("content_block")))
            case "content_block_delta":
                yield from self._delta(index, mapping(data.get("delta")))
            case "content_block_stop":
                yield from self.blocks.finish(index)
            case "message_delta":
                delta = mapping(data.get("delta"))
                self._reason = word(delta.get("stop_reason")) or self._reason
                self._take(mapping(data.get("usage")))
                self._diagnose(mapping(delta.get("diagnostics") or data.get("diagnostics")))
            case "message_stop":
                yield from self.finish()
            case "message":
                yield from self._came_whole(data)
            case "error":
                raise self._faults.from_body(data, begun=self.blocks.any_came)
            case _ if data.get("error"):
                raise self._faults.from_body(data, begun=self.blocks.any_came)

    def finish(self) -> Iterator[StreamEvent]:
        """End the reply. A reply with a stop reason is complete, even without its last event."""
        if self._reason is None:
            return
        yield from self.blocks.finish_all()
        self.ended = True
        details = mapping(self._usage.get("output_tokens_details"))
        reason = _REASONS.get(self._reason, StopReason.OTHER)
        thought = number_within(details.get("thinking_tokens"), 0, MOST_TOKENS)
        yield ReplyEnded(reason, _usage(self._usage), thought, self._miss, self._summarising())

    def _began(self, message: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Begin the reply. The output count of this event is incomplete, so it is not used for a stopped reply."""
        self._take({name: value for name, value in mapping(message.get("usage")).items() if name != "output_tokens"})
        self._diagnose(mapping(message.get("diagnostics")))
        if not self._has_begun:  # a second beginning would discard the displayed text
            self._has_begun = True
            yield ReplyStarted(word(message.get("id")), word(message.get("model")), _usage(self._usage))

    def _came_whole(self, message: Mapping[str, Any]) -> Iterator[StreamEvent]:
        yield from self._began(message)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            yield from self._block_began(index, mapping(block))
            yield from self.blocks.finish(index)
        self._reason = word(message.get("stop_reason")) or None
        self._take(mapping(message.get("usage")))
        yield from self.finish()

    def _block_began(self, index: object, block: Mapping[str, Any]) -> Iterator[StreamEvent]:
        type = word(block.get("type")) or "text"
        kind = _KINDS.get(type, BlockKind.OPAQUE)
        redacted = type == "redacted_thinking"
        yield from self.blocks.begin(
            index,
            kind,
            name=word(block.get("name")) if kind is BlockKind.TOOL_CALL else type if kind is BlockKind.OPAQUE else "",
            id=word(block.get("id")),
            signature=word(block.get("data" if redacted else "signature")),
            redacted=redacted,
            raw=block,
        )
        if type == BLOCK:
            self.blocks.replace(index, {})
        yield from self.blocks.grow(index, block.get("thinking" if kind is BlockKind.THINKING else "text"))
        if kind is BlockKind.TOOL_CALL and mapping(block.get("input")):
            yield from self.blocks.grow(index, json.dumps(block["input"]))

    def _delta(self, index: object, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if delta.get("type") == "signature_delta":
            self.blocks.sign(index, delta.get("signature"))
            return
        if delta.get("type") == "compaction_delta":
            self.blocks.replace(index, {name: value for name, value in delta.items() if name != "type"})
            return
        if not self.blocks.is_open(index):  # some servers omit the start of a block
            yield from self._block_began(index, {"type": "thinking" if "thinking" in delta else "text"})
        for name in ("text", "thinking", "partial_json"):
            yield from self.blocks.grow(index, delta.get(name))

    def _take(self, usage: Mapping[str, Any]) -> None:
        """Merge counts. They are cumulative: later counts replace earlier ones, and missing ones keep the earlier."""
        self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _summarising(self) -> Usage | None:
        """Return the usage of the server's own summaries, which its totals leave out; None for none."""
        told = self._usage.get("iterations")
        steps = map(mapping, told if isinstance(told, list) else ())
        found = [step for step in (_usage(step) for step in steps if step.get("type") == BLOCK) if step is not None]
        return sum_of(found) if found else None

    def _diagnose(self, diagnostics: Mapping[str, Any]) -> None:
        reason = word(mapping(diagnostics.get("cache_miss_reason")).get("type"))
        self._miss = next((miss for miss in _MISSES if reason == f"{miss}_changed"), self._miss)


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    if not usage:
        return None
    written = mapping(usage.get("cache_creation"))
    return Usage(
        input=non_negative_int(usage.get("input_tokens")),
        output=non_negative_int(usage.get("output_tokens")),
        cache_read=non_negative_int(usage.get("cache_read_input_tokens")),
        cache_write=non_negative_int(usage.get("cache_creation_input_tokens")),
        cache_write_1h=non_negative_int(written.get("ephemeral_1h_input_tokens")),
    )


COMPACT = "compact-2026-09-04"  # the beta of Anthropic's summaries on demand
KNOWN_VERSION = "2023-06-01"  # the version of the API that compatible servers know
_BETA = "anthropic-beta"
_COUNTED = frozenset({"model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"})


class AnthropicProvider(SdkServer):
    """Implements `services.ports.providers.Provider`. Models are listed newest first, a thousand at most."""

    embeddings_path = "/v1/embeddings"  # used by other servers with this API; Anthropic has no embeddings
    models_path = "/v1/models?limit=1000&beta=true"  # the beta flag is needed for the models' support of summaries

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """As described in `services.ports.providers.Provider`."""

        async def ask() -> httpx2.Response:
            import httpx2

            body = {**payload, "stream": True}
            path, options = self._way("/v1/messages", payload)
            answer: httpx2.Response = await self.answer(
                lambda client: client.post(path, cast_to=httpx2.Response, body=body, options=options, stream=True)
            )
            return answer

        return stream_reply(ask, AnthropicReply(self.faults), self.faults)

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        """As described in `services.ports.providers.Provider`."""
        body = {name: value for name, value in payload.items() if name in _COUNTED}
        path, options = self._way("/v1/messages/count_tokens", payload)
        return await self.counted(path, body, options)

    def _way(self, path: str, payload: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the path and the headers of a request; the beta header only for a body with compactions."""
        if "compaction" not in payload and not _begins_signed(payload):
            return path, {}
        named = [value for name, value in self._connection.headers if name.lower() == _BETA]
        return f"{path}?beta=true", {"headers": {_BETA: ",".join([*named, COMPACT])}}

    def client_class(self) -> type[AsyncAnthropic]:
        """Import Anthropic's SDK and return the class of its clients."""
        from anthropic import AsyncAnthropic

        return AsyncAnthropic

    def client_options(self) -> dict[str, Any]:
        """Return the keyword arguments for a new client: the SDK neither retries requests nor sends telemetry."""
        return {
            "api_key": self._key or NO_KEY,
            "base_url": without_version(self._connection.base_url),
            "max_retries": 0,
            "default_headers": self._headers(),
            "http_client": http_client(self._connection, self.faults),
            "open_telemetry": False,
        }

    def _headers(self) -> dict[str, str]:
        """Return `x-api-key` in addition to `Authorization`, because some gateways read only the former."""
        headers: dict[str, str] = {}
        if without_version(self._connection.base_url) != ANTHROPIC_URL:
            headers |= {"anthropic-version": KNOWN_VERSION}
            headers |= {"x-api-key": self._key} if self._key else {}
        return headers | dict(self._connection.headers)


def _begins_signed(payload: Mapping[str, Any]) -> bool:
    """Whether the messages begin with a summary that the server signed."""
    first: Mapping[str, Any] = next(iter(payload.get("messages") or ()), {})
    content = first.get("content") if first.get("role") == "assistant" else None
    return isinstance(content, list) and bool(content) and content[0].get("type") == BLOCK
