"""Any session that is exported and imported again is the same: as JSON exactly, as pi but for a known list."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.context.projection import Projection, context_at
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.json.reader import Json
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.shared.format import SessionReader, SessionWriter
from tests.fakes.export_source import MemorySource
from tests.strategies import DIGEST, IMAGE, entry_lists

WAYS: dict[str, tuple[SessionWriter, SessionReader]] = {"json": (JsonWriter(), Json()), "pi": (PiWriter(), Pi())}
ONLY_AN_ARCHIVE = Flag.OWN | Flag.REPAIRED | Flag.VARIANT | Flag.REMOVED


@contextmanager
def read_back(way: str, source: MemorySource) -> Iterator[MemorySource]:
    writer, reader = WAYS[way]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        path.write_bytes(b"".join(writer.export(source)))
        yield MemorySource.read(reader, path)


def made(entries: list[Entry], leaf: int, tool: str = "codex") -> MemorySource:
    source = MemorySource(info=SessionInfo(source=tool, source_id="s"), blobs={DIGEST: IMAGE})
    source.add(*entries)
    source.leaf_id = f"e{leaf % len(entries)}"
    return source


def expected(source: MemorySource, way: str) -> list[Entry]:
    """The entries as they come back: without marks of the archive and links to nothing, and as pi can hold them."""
    ids = {entry.id for entry in source.entries}
    found = [
        replace(
            entry,
            flags=entry.flags & ~ONLY_AN_ARCHIVE,
            target=entry.target if entry.target in ids else None,
            fixed=None,
        )
        for entry in source.entries
    ]
    return found if way == "json" else [_as_pi_holds_it(entry) for entry in found]


def _as_pi_holds_it(entry: Entry) -> Entry:
    """What pi's file cannot hold: times below a millisecond, and lone surrogates."""
    blocks = tuple(map(_block, entry.blocks))
    return replace(entry, time=entry.time // 1_000_000 * 1_000_000, name=_whole(entry.name), blocks=blocks)


def _block(block: Block) -> Block:
    match block:
        case Text(text, signature):
            return Text(_whole(text), signature)
        case Thinking(text, signature, redacted):
            return Thinking(_whole(text), signature, redacted)
        case ToolCall(id, name, arguments, signature):
            return ToolCall(id, name, _whole(arguments), signature)
        case UnknownBlock(type, json):
            return UnknownBlock(type, _whole(json))
    return block


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def sent(source: MemorySource) -> dict[str, list[tuple[str, str]]]:
    """The context of the model at every entry: ids and forms of its messages."""
    tree = source.tree
    projections: dict[str, Projection] = {one.id: context_at(tree, at) for at, one in enumerate(source.entries)}
    return {
        id: [(source.entries[message.entry].id, message.form.name) for message in projection.messages]
        for id, projection in projections.items()
    }


@pytest.mark.parametrize("way", WAYS)
@given(entries=entry_lists(min_size=1), leaf=st.integers(0, 30), tool=st.sampled_from(["codex", "stemmata"]))
def test_any_tree_comes_back(way: str, entries: list[Entry], leaf: int, tool: str) -> None:
    source = made(entries, leaf, tool)
    with read_back(way, source) as back:
        assert (back.skipped, back.repaired) == ([], [])
        assert [replace(entry, record=None) for entry in back.entries] == expected(source, way)
        assert back.leaf_id == source.leaf_id
        assert sent(back) == sent(source)
        with read_back(way, back) as again:  # an export of the export
            assert [replace(entry, record=None) for entry in again.entries] == expected(source, way)


@pytest.mark.parametrize("way", WAYS)
@given(entries=entry_lists(min_size=2, max_size=8), cut=st.integers(0, 10_000))
def test_a_cut_file_costs_its_end_only(way: str, entries: list[Entry], cut: int) -> None:
    writer, reader = WAYS[way]
    source = made(entries, len(entries) - 1)
    data = b"".join(writer.export(source))
    start = data.index(b'"entries":[') if way == "json" else data.index(b"\n") + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        path.write_bytes(data[: start + 12 + cut % (len(data) - start)])
        back = MemorySource.read(reader, path)
    assert [replace(entry, record=None) for entry in back.entries] == expected(source, way)[: len(back.entries)]
    assert len(back.skipped) <= 1
