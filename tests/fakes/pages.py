"""Pages from memory: what a viewport reads, without an archive. Keys are positions, as in `Tree.from_entries`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tokens import weigh

MOST_KEYS = 64


class FakePages:
    """Records requests in `calls`, and refuses those that the archive would refuse."""

    def __init__(self, entries: Sequence[Entry], blobs: Mapping[str, bytes] | None = None) -> None:
        self.entries = entries
        self.blobs = dict(blobs or {})
        self.calls: list[tuple[str, int]] = []
        self._positions: dict[str, int] = {}
        for at, entry in enumerate(entries):
            self._positions.setdefault(entry.id, at)

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        self._count("rows", keys)
        return {key: self._row(key) for key in keys if 0 <= key < len(self.entries)}

    def bodies(self, keys: Sequence[int], *, limit: int = 65536) -> dict[int, Body]:
        self._count("bodies", keys)
        return {key: _body(key, self.entries[key], limit) for key in keys if 0 <= key < len(self.entries)}

    def blob(self, digest: str) -> bytes | None:
        self.calls.append(("blob", 1))
        return self.blobs.get(digest)

    def blob_head(self, digest: str, size: int) -> bytes | None:
        found = self.blobs.get(digest)
        return None if found is None else found[:size]

    def _count(self, call: str, keys: Sequence[int]) -> None:
        assert len(keys) <= MOST_KEYS, f"{len(keys)} keys in one call"
        self.calls.append((call, len(keys)))

    def _row(self, key: int) -> EntryRow:
        entry = self.entries[key]
        return EntryRow(
            key=key, id=entry.id, parent=self._at(entry.parent), kind=entry.kind, role=entry.role, time=entry.time,
            flags=entry.flags, provider=entry.provider, model=entry.model, tool=entry.tool, call=entry.call,
            name=entry.name, target=self._at(entry.target), preview=_preview(entry), tokens=weigh(entry).tokens,
            usage=entry.usage,
        )  # fmt: skip

    def _at(self, id: str | None) -> int | None:
        return None if id is None else self._positions.get(id)


def _preview(entry: Entry) -> str:
    return " ".join(plain_text(entry.blocks).split())[:200]


def _body(key: int, entry: Entry, limit: int) -> Body:
    blocks = tuple(_cut(block, limit) for block in entry.blocks)
    cut = sum(_length(block) for block in entry.blocks) - sum(_length(block) for block in blocks)
    return Body(key, blocks, entry.details, cut)


def _length(block: Block) -> int:
    match block:
        case Text() | Thinking():
            return len(block.text)
        case ToolCall():
            return len(block.arguments)
        case _:
            return 0


def _cut(block: Block, limit: int) -> Block:
    match block:
        case Text():
            return Text(block.text[:limit], block.signature)
        case Thinking():
            return Thinking(block.text[:limit], block.signature, block.redacted)
        case ToolCall():
            return ToolCall(block.id, block.name, block.arguments[:limit], block.signature)
        case _:
            return block
