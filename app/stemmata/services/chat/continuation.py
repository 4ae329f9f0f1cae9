"""A reply that goes on from where a broken one stopped, and how the two become one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stemmata.domain.chat.streaming import (
    Began,
    BlockBegan,
    BlockDone,
    BlockKind,
    Ended,
    Grew,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.services.chat.reply import OpenReply


class Continued:
    """The events of the reply with the text in front: one block with the reply's first when that is a text."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._shift = 0
        self._has_begun = not prefix
        self._is_joined = False

    def feed(self, event: StreamEvent) -> Iterator[StreamEvent]:
        if isinstance(event, Began):
            yield event
            return
        if not self._has_begun:
            yield from self._begin(event)
            if isinstance(event, BlockBegan) and self._is_joined:
                return
        if isinstance(event, Ended):
            yield event
        elif isinstance(event, BlockDone) and self._is_joined and event.index == 0 and isinstance(event.block, Text):
            yield replace(event, block=replace(event.block, text=self._prefix + event.block.text))
        else:
            yield replace(event, index=event.index + self._shift)

    def _begin(self, event: StreamEvent) -> Iterator[StreamEvent]:
        self._has_begun = True
        self._is_joined = isinstance(event, BlockBegan) and event.kind is BlockKind.TEXT
        yield BlockBegan(0, BlockKind.TEXT)
        yield Grew(0, self._prefix)
        if not self._is_joined:
            self._shift = 1
            yield BlockDone(0, Text(self._prefix))


def is_cut(reply: OpenReply) -> bool:
    """Whether it ended at the longest a reply may be. One that calls tools goes on by itself."""
    at_limit = reply.ended is not None and reply.ended.reason is StopReason.MAX_TOKENS
    return at_limit and not any(isinstance(block, ToolCall) for block in reply.blocks)
