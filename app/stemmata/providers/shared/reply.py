"""Accumulates the blocks of a streaming reply, for every API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from stemmata.domain.chat.streaming import BlockDone, BlockGrew, BlockKind, BlockStarted, StreamEvent
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.text.json_text import compact_json


class ReplyReader(Protocol):
    """Converts one API's events to ours. Raises ProviderError for an error inside the stream."""

    blocks: OpenBlocks
    ended: bool  # whether the last event was emitted

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Convert one event of the stream."""

    def finish(self) -> Iterator[StreamEvent]:
        """Yield the remaining events, after the server closed the stream in an orderly way."""
        ...


@dataclass(slots=True)
class _OpenBlock:
    kind: BlockKind
    name: str = ""
    id: str = ""
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    redacted: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict)
    signed_whole: bool = False  # whether the signature covers the whole text

    def block(self) -> Block:
        text, signature = "".join(self.pieces), "".join(self.signature)
        match self.kind:
            case BlockKind.TEXT:
                return Text(text, signature)
            case BlockKind.THINKING:
                return Thinking(text, signature, self.redacted)
            case BlockKind.TOOL_CALL:
                return ToolCall(self.id, self.name, _arguments(text), signature)
            case BlockKind.OPAQUE:
                return UnknownBlock(
                    self.name, json.dumps(self.raw) if self.signed_whole else compact_json(dict(self.raw))
                )


class OpenBlocks:
    """The blocks that have begun and are not done, by the server's key. Our indices count from 0."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[int, _OpenBlock]] = {}
        self._count = 0
        self.any_came = False  # whether a new request would lose received content

    def is_open(self, key: object) -> bool:
        """Whether a block is open under a key."""
        return key in self._open

    def begin(
        self,
        key: object,
        kind: BlockKind,
        *,
        name: str = "",
        id: str = "",
        signature: str = "",
        redacted: bool = False,
        raw: Mapping[str, Any] | None = None,
    ) -> Iterator[StreamEvent]:
        """Begin a block. An open block with the same key is finished first."""
        yield from self.finish(key)
        block = _OpenBlock(kind, name, id, redacted=redacted, raw=raw or {})
        if signature:
            block.signature.append(signature)
        self._open[key] = (self._count, block)
        self._count += 1
        self.any_came |= kind is BlockKind.TOOL_CALL or redacted
        yield BlockStarted(self._open[key][0], kind, name)

    def grow(self, key: object, text: object) -> Iterator[StreamEvent]:
        """Append text to a block."""
        if key in self._open and isinstance(text, str) and text:
            index, block = self._open[key]
            block.pieces.append(text)
            self.any_came = True
            yield BlockGrew(index, text)

    def sign(self, key: object, signature: object) -> None:
        """Append to the signature of a block."""
        if key in self._open and isinstance(signature, str):
            self._open[key][1].signature.append(signature)

    def replace(self, key: object, fields: Mapping[str, Any]) -> None:
        """Set fields of a block that is sent back as received. Each field arrives whole."""
        if key in self._open:
            _, block = self._open[key]
            block.raw, block.signed_whole = {**block.raw, **fields}, True

    def has_text(self, key: object) -> bool:
        """Whether an open block has text."""
        return key in self._open and bool(self._open[key][1].pieces)

    def kind(self, key: object) -> BlockKind | None:
        """Return the kind of an open block; None when no block is open under the key."""
        return self._open[key][1].kind if key in self._open else None

    def finish(self, key: object) -> Iterator[StreamEvent]:
        """Finish a block."""
        if key in self._open:
            index, block = self._open.pop(key)
            self.any_came |= block.kind is BlockKind.OPAQUE
            yield BlockDone(index, block.block())

    def finish_all(self) -> Iterator[StreamEvent]:
        """Finish all open blocks, in order."""
        for key in list(self._open):
            yield from self.finish(key)

    def partials(self) -> Iterator[BlockDone]:
        """Return the received parts of the open blocks, without empty ones."""
        for index, block in self._open.values():
            if block.pieces or block.signature or block.kind is BlockKind.TOOL_CALL:
                yield BlockDone(index, block.block(), partial=True)
        self._open.clear()


def _arguments(text: str) -> str:
    """Return compact JSON of an object.

    Invalid arguments stay unchanged, so that the call's result can report them.
    """
    if not text.strip():
        return "{}"
    try:
        value = json.loads(text)
        return compact_json(value) if isinstance(value, dict) else text
    except (ValueError, RecursionError):
        return text


def mapping(value: object) -> Mapping[str, Any]:
    """Return a foreign value as a mapping; an empty one for any other type."""
    return value if isinstance(value, Mapping) else {}


def place(value: object) -> object:
    """Return a server's index of a block; None for a value that cannot be a key."""
    return value if isinstance(value, int | float | str) else None


def word(value: object) -> str:
    """Return a foreign value as text; "" for any other type."""
    return value if isinstance(value, str) else ""
