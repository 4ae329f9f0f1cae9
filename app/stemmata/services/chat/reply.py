"""A streaming reply: its blocks, the parts to store meanwhile, the parts to display, and its usage."""

from __future__ import annotations

import time
from asyncio import TimerHandle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stemmata.domain.chat.run import Partial, PartialText
from stemmata.domain.chat.silence import SilenceFilter
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Usage

FLUSH = 0.3  # seconds until received text is stored


@dataclass(slots=True)
class _UnendedBlock:
    kind: BlockKind
    name: str
    call: str  # our id for a call whose own id has not arrived
    pieces: list[str] = field(default_factory=list)
    kept: int | None = None  # number of stored pieces; None when not even the block's beginning is stored

    def block(self) -> Block | None:
        """Return the received part; None when it is empty, or useless before it is complete."""
        text = "".join(self.pieces)
        if self.kind is BlockKind.TOOL_CALL:
            return ToolCall(self.call, self.name, text or "{}")
        if not text or self.kind is BlockKind.OPAQUE:
            return None
        return Thinking(text) if self.kind is BlockKind.THINKING else Text(text)

    def unkept(self, step: int, position: int) -> list[Partial | PartialText]:
        """Return the parts to store, and mark them as stored: first the block without text, then its new text."""
        if self.kind is BlockKind.OPAQUE or (self.kind is not BlockKind.TOOL_CALL and not self.pieces):
            return []
        out: list[Partial | PartialText] = []
        if self.kept is None:
            out.append(Partial(step, position, self._empty(), whole=False))
        text = "".join(self.pieces[self.kept :])
        if text:
            out.append(PartialText(step, position, text))
        self.kept = len(self.pieces)
        return out

    def _empty(self) -> Block:
        if self.kind is BlockKind.TOOL_CALL:
            return ToolCall(self.call, self.name, "")
        return Thinking("") if self.kind is BlockKind.THINKING else Text("")


class KeptReply:
    """The reply being received. `keep` stores parts, `show` passes events on, both in the order of the stream.

    `later` calls a function after some seconds, on the same thread. Text is stored FLUSH seconds after it arrived,
    even when no further text arrives, until `close`.
    """

    def __init__(
        self,
        step: int,
        call_prefix: str,
        keep: Callable[[Sequence[Partial | PartialText]], None],
        show: Callable[[StreamEvent], None],
        later: Callable[[float, Callable[[], None]], TimerHandle],
    ) -> None:
        self._step, self._call_prefix = step, call_prefix
        self._keep, self._later = keep, later
        self._timer: TimerHandle | None = None
        self._shown = _Shown(show)
        self._done: dict[int, Block] = {}
        self._cut: set[int] = set()  # incomplete blocks
        self._open: dict[int, _UnendedBlock] = {}
        self._began_at = time.monotonic()
        self._first_at: float | None = None
        self._thinking_at: dict[int, float] = {}  # when each thinking block began
        self._thought: dict[int, float] = {}  # seconds that each complete thinking block took
        self.message = self.model = ""
        self.usage: Usage | None = None
        self.ended: ReplyEnded | None = None

    def take(self, event: StreamEvent) -> None:
        """Take the next event of the stream."""
        match event:
            case ReplyStarted():
                self.message, self.model, self.usage = event.message, event.model, event.usage
            case BlockStarted():
                self._open[event.index] = _UnendedBlock(event.kind, event.name, f"{self._call_prefix}-{event.index}")
                self._first_at = self._first_at or time.monotonic()
                if event.kind is BlockKind.THINKING:
                    self._thinking_at[event.index] = time.monotonic()
                self._flush_later()
            case BlockGrew():
                self._grow(event)
            case BlockDone():
                self._finish(event)
            case _:
                self.ended = event
                self.usage = event.usage or self.usage
        self._shown.take(event)

    def _grow(self, event: BlockGrew) -> None:
        open_block = self._open.get(event.index)
        if open_block is None:
            return
        open_block.pieces.append(event.text)
        self._flush_later()

    def _finish(self, event: BlockDone) -> None:
        self._open.pop(event.index, None)
        self._done[event.index] = event.block
        if isinstance(event.block, Thinking) and event.index in self._thinking_at:
            self._thought[event.index] = time.monotonic() - self._thinking_at[event.index]
        if event.partial:
            self._cut.add(event.index)
        self._keep([Partial(self._step, event.index, event.block, whole=not event.partial)])

    def _flush_later(self) -> None:
        if self._timer is None:
            self._timer = self._later(FLUSH, self._flush)

    def _flush(self) -> None:
        self._timer = None
        parts = [part for index, block in self._open.items() for part in block.unkept(self._step, index)]
        if parts:
            self._keep(parts)

    def close(self) -> None:
        """Stop storing parts, because the reply is now stored as a whole or dropped."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- received parts ---------------------------------------------------------------------------------------

    @property
    def has_come(self) -> bool:
        """Whether a new request would lose received content. A block without content does not count."""
        return any(not _is_empty(block) for block in self.blocks)

    @property
    def is_empty(self) -> bool:
        """Whether the reply has neither text nor calls; it may have thinking."""
        return all(_is_empty(block) or isinstance(block, Thinking) for block in self.blocks)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in order, complete or not."""
        found = dict(self._done)
        for index, open_block in self._open.items():
            block = open_block.block()
            if block is not None:
                found[index] = block
        return tuple(found[index] for index in sorted(found))

    @property
    def whole_blocks(self) -> tuple[Block, ...]:
        """The complete blocks in order."""
        return tuple(block for index, block in sorted(self._done.items()) if index not in self._cut)

    @property
    def is_silent(self) -> bool:
        """Whether the text is the marker of a silent reply, which is not displayed."""
        return self._shown.is_silent

    def figures(self) -> dict[str, Any]:
        """Return the figures for the entry's details; times are in ms."""
        now = time.monotonic()
        out: dict[str, Any] = {"message": self.message, "duration_ms": round((now - self._began_at) * 1000)}
        if self._first_at is not None:
            out["ttft_ms"] = round((self._first_at - self._began_at) * 1000)
            if self.usage is not None and now > self._first_at:
                out["tokens_per_second"] = round(self.usage.output / (now - self._first_at), 1)
        thoughts = [index for index, block in sorted(self._done.items()) if isinstance(block, Thinking)]
        if thoughts and all(index in self._thought for index in thoughts):
            out["thinking_ms"] = [round(self._thought[index] * 1000) for index in thoughts]
        if self.ended is not None:
            out["stop"] = self.ended.reason.value
            if self.ended.thinking is not None:
                out["thinking_tokens"] = self.ended.thinking
            if self.ended.cache_miss:
                out["cache_miss"] = self.ended.cache_miss
        return out


def _is_empty(block: Block) -> bool:
    return isinstance(block, Text | Thinking) and not (block.text.strip() or block.signature)


class _Shown:
    """Passes events on, but holds the beginning of the text back until it is clear that the reply is not silent."""

    def __init__(self, show: Callable[[StreamEvent], None]) -> None:
        self._show = show
        self._silence = SilenceFilter()
        self._held: BlockStarted | None = None  # the first text block while it is held back
        self._first: int | None = None

    @property
    def is_silent(self) -> bool:
        """Whether the text is the marker of a silent reply."""
        return self._silence.silent

    def take(self, event: StreamEvent) -> None:
        """Pass an event on, or hold it back."""
        if isinstance(event, BlockStarted) and event.kind is BlockKind.TEXT and self._first is None:
            self._first, self._held = event.index, event
        elif isinstance(event, BlockGrew) and event.index == self._first:
            self._grow(event)
        elif isinstance(event, BlockDone) and event.index == self._first:
            self._release(self._silence.finish(), at_end=True)
            if not self._silence.silent:
                self._show(event)
        elif not (self._silence.silent and isinstance(event, BlockStarted | BlockGrew | BlockDone)):
            self._show(event)

    def _grow(self, event: BlockGrew) -> None:
        if self._held is None and not self._silence.silent:
            self._show(event)
        else:
            self._release(self._silence.feed(event.text))

    def _release(self, text: str, *, at_end: bool = False) -> None:
        if self._silence.silent or self._held is None or not (text or at_end):
            return
        begun, self._held = self._held, None
        self._show(begun)
        if text:
            self._show(BlockGrew(begun.index, text))


class ContinuedReply:
    """Prepends an earlier text to a reply's events; it joins the reply's first block when that is text."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._shift = 0
        self._has_begun = not prefix
        self._is_joined = False

    def feed(self, event: StreamEvent) -> Iterator[StreamEvent]:
        """Yield the events with the earlier text in front."""
        if isinstance(event, ReplyStarted):
            yield event
            return
        if not self._has_begun:
            yield from self._begin(event)
            if isinstance(event, BlockStarted) and self._is_joined:
                return
        if isinstance(event, ReplyEnded):
            yield event
        elif isinstance(event, BlockDone) and self._is_joined and event.index == 0 and isinstance(event.block, Text):
            yield replace(event, block=replace(event.block, text=self._prefix + event.block.text))
        else:
            yield replace(event, index=event.index + self._shift)

    def _begin(self, event: StreamEvent) -> Iterator[StreamEvent]:
        self._has_begun = True
        self._is_joined = isinstance(event, BlockStarted) and event.kind is BlockKind.TEXT
        yield BlockStarted(0, BlockKind.TEXT)
        yield BlockGrew(0, self._prefix)
        if not self._is_joined:
            self._shift = 1
            yield BlockDone(0, Text(self._prefix))


def is_cut(reply: KeptReply) -> bool:
    """Whether the reply reached its limit of tokens.

    A reply with tool calls does not count, because the run continues after the calls.
    """
    at_limit = reply.ended is not None and reply.ended.reason is StopReason.MAX_TOKENS
    return at_limit and not any(isinstance(block, ToolCall) for block in reply.blocks)
