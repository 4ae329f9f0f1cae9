"""Events of Anthropic's Messages API, also as sloppy compatible servers send them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.chat.streaming import Began, BlockKind, Ended, StopReason, StreamEvent
from stemmata.domain.compaction.summary.signed import BLOCK
from stemmata.domain.entries.entry import Usage, sum_of
from stemmata.domain.text.untrusted import MOST_TOKENS, bounded, whole
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.reply import OpenBlocks, mapping, place, word

_KINDS = {
    "text": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "redacted_thinking": BlockKind.THINKING,
    "tool_use": BlockKind.TOOL_CALL,
}
_REASONS = {reason.value: reason for reason in StopReason}
_MISSES = ("system", "tools", "messages", "model")


class AnthropicReply:
    """Implements `reply.Reply`. Unknown events are passed over, unknown blocks kept as they came."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.blocks = OpenBlocks()
        self.ended = self._has_begun = False
        self._usage: dict[str, Any] = {}
        self._reason: str | None = None
        self._miss = ""

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
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
            case "error":
                raise self._faults.told(data, begun=self.blocks.any_came)
            case _ if data.get("error"):
                raise self._faults.told(data, begun=self.blocks.any_came)

    def finish(self) -> Iterator[StreamEvent]:
        """A reply that named its reason is whole, whether or not the last event came."""
        if self._reason is None:
            return
        yield from self.blocks.finish_all()
        self.ended = True
        details = mapping(self._usage.get("output_tokens_details"))
        reason = _REASONS.get(self._reason, StopReason.OTHER)
        thought = bounded(details.get("thinking_tokens"), 0, MOST_TOKENS)
        yield Ended(reason, _usage(self._usage), thought, self._miss, self._summarising())

    def _began(self, message: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The output that is told here is what the first event holds: of a reply that is stopped it says nothing."""
        self._take({name: value for name, value in mapping(message.get("usage")).items() if name != "output_tokens"})
        self._diagnose(mapping(message.get("diagnostics")))
        if not self._has_begun:  # a second beginning would take back what is shown
            self._has_begun = True
            yield Began(word(message.get("id")), word(message.get("model")), _usage(self._usage))

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
            import json

            yield from self.blocks.grow(index, json.dumps(block["input"]))

    def _delta(self, index: object, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if delta.get("type") == "signature_delta":
            self.blocks.sign(index, delta.get("signature"))
            return
        if delta.get("type") == "compaction_delta":
            self.blocks.replace(index, {name: value for name, value in delta.items() if name != "type"})
            return
        if not self.blocks.is_open(index):  # a server that skips the start of its blocks
            yield from self._block_began(index, {"type": "thinking" if "thinking" in delta else "text"})
        for name in ("text", "thinking", "partial_json"):
            yield from self.blocks.grow(index, delta.get(name))

    def _take(self, usage: Mapping[str, Any]) -> None:
        """Counts are cumulative: later ones replace earlier ones, but none takes away what was told before."""
        self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _summarising(self) -> Usage | None:
        """Of the summaries that the server made, which its totals leave out."""
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
        input=whole(usage.get("input_tokens")),
        output=whole(usage.get("output_tokens")),
        cache_read=whole(usage.get("cache_read_input_tokens")),
        cache_write=whole(usage.get("cache_creation_input_tokens")),
        cache_write_1h=whole(written.get("ephemeral_1h_input_tokens")),
    )
