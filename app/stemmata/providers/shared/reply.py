"""The blocks of a reply while they come: the same for every API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from stemmata.domain.chat.streaming import BlockBegan, BlockDone, BlockKind, Grew, StreamEvent
from stemmata.domain.entries.blocks import Block, Opaque, Text, Thinking, ToolCall
from stemmata.domain.text.json_text import compact_json


class Reply(Protocol):
    """Turns one API's events into ours. Raises ProviderError for an error that the server tells inside."""

    blocks: OpenBlocks
    ended: bool  # the last event has been told

    def feed(self, data: Mapping[str, Any]) -> Iterator[StreamEvent]: ...

    def finish(self) -> Iterator[StreamEvent]:
        """The server closed the stream in good order: what can still be told without its last words."""
        ...


@dataclass(slots=True)
class _Open:
    kind: BlockKind
    name: str = ""
    id: str = ""
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    redacted: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict)
    signed_whole: bool = False  # its server knows again every letter of it

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
                return Opaque(self.name, json.dumps(self.raw) if self.signed_whole else compact_json(dict(self.raw)))


class OpenBlocks:
    """Blocks that have begun and are not done, by the server's key of each; ours are numbered from 0."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[int, _Open]] = {}
        self._count = 0
        self.any_came = False  # something that would be lost by asking again

    def is_open(self, key: object) -> bool:
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
        """A block that is still open under the key is done first."""
        yield from self.finish(key)
        block = _Open(kind, name, id, redacted=redacted, raw=raw or {})
        if signature:
            block.signature.append(signature)
        self._open[key] = (self._count, block)
        self._count += 1
        self.any_came |= kind is BlockKind.TOOL_CALL or redacted
        yield BlockBegan(self._open[key][0], kind, name)

    def grow(self, key: object, text: object) -> Iterator[StreamEvent]:
        if key in self._open and isinstance(text, str) and text:
            index, block = self._open[key]
            block.pieces.append(text)
            self.any_came = True
            yield Grew(index, text)

    def sign(self, key: object, signature: object, *, anew: bool = False) -> None:
        """More of the signature, or the whole of it."""
        if key in self._open and isinstance(signature, str):
            _, block = self._open[key]
            if anew:
                block.signature.clear()
            block.signature.append(signature)

    def replace(self, key: object, fields: Mapping[str, Any]) -> None:
        """Parts of a block that is sent back as it came: each comes whole."""
        if key in self._open:
            _, block = self._open[key]
            block.raw, block.signed_whole = {**block.raw, **fields}, True

    def has_text(self, key: object) -> bool:
        return key in self._open and bool(self._open[key][1].pieces)

    def kind(self, key: object) -> BlockKind | None:
        return self._open[key][1].kind if key in self._open else None

    def finish(self, key: object) -> Iterator[StreamEvent]:
        if key in self._open:
            index, block = self._open.pop(key)
            self.any_came |= block.kind is BlockKind.OPAQUE
            yield BlockDone(index, block.block())

    def finish_all(self) -> Iterator[StreamEvent]:
        for key in list(self._open):
            yield from self.finish(key)

    def partials(self) -> Iterator[BlockDone]:
        """What had come of the open blocks; empty ones are left out."""
        for index, block in self._open.values():
            if block.pieces or block.signature or block.kind is BlockKind.TOOL_CALL:
                yield BlockDone(index, block.block(), partial=True)
        self._open.clear()


def _arguments(text: str) -> str:
    """Compact JSON text of an object; what is none is left as it came, for the answer to the call to say so."""
    if not text.strip():
        return "{}"
    try:
        value = json.loads(text)
        return compact_json(value) if isinstance(value, dict) else text
    except (ValueError, RecursionError):
        return text


def mapping(value: object) -> Mapping[str, Any]:
    """The value as a mapping; empty when it is none: servers leave out what they should not."""
    return value if isinstance(value, Mapping) else {}


def place(value: object) -> object:
    """Where a block stands, as its server counts; None for what cannot be told apart from another."""
    return value if isinstance(value, int | float | str) else None


def word(value: object) -> str:
    return value if isinstance(value, str) else ""
