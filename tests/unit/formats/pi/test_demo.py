"""The demo session is sound and shows what it is meant to show."""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from tests.fakes.export_source import MemorySource

FOLDER = Path(__file__).parents[4] / "resources" / "demo"


@pytest.fixture
def demo() -> MemorySource:
    [path] = FOLDER.glob("*.jsonl")
    return MemorySource.read(Pi(), path)


def test_nothing_in_it_needs_mending(demo: MemorySource) -> None:
    assert not demo.repaired
    assert not demo.skipped
    assert len(demo.tree.roots) == 1
    assert b"".join(PiWriter().export(demo)) == demo.source_bytes


def test_it_tells_a_whole_story(demo: MemorySource) -> None:
    kinds = Counter(entry.kind for entry in demo.entries)
    assert 50 <= len(demo.entries) <= 80
    assert kinds[Kind.COMPACTION] == kinds[Kind.BRANCH_SUMMARY] == 1
    assert set(demo.tree.labels.values()) == {"known-good", "dead end"}
    assert demo.title == "Make the CSV import fast"
    assert len(demo.tree.leaves) == 4
    flags = {entry.role: entry.flags for entry in demo.entries if entry.flags & (Flag.FAILED | Flag.ABORTED)}
    assert set(flags) == {Role.TOOL_RESULT, Role.ASSISTANT}
    prompts = [at for at, entry in enumerate(demo.entries) if entry.role is Role.USER]
    assert max(len(demo.tree.siblings(at)) for at in prompts) == 3


def test_the_summary_of_the_abandoned_branch_names_its_end(demo: MemorySource) -> None:
    [summary] = [entry for entry in demo.entries if entry.kind is Kind.BRANCH_SUMMARY]
    assert demo.tree.labels[demo.index(summary.target or "")] == "dead end"


def test_every_call_has_its_result_and_time_goes_on(demo: MemorySource) -> None:
    calls = [block.id for entry in demo.entries for block in entry.blocks if isinstance(block, ToolCall)]
    results = [entry.call for entry in demo.entries if entry.role is Role.TOOL_RESULT]
    assert sorted(calls) == sorted(results)
    times = [entry.time for entry in demo.entries]
    assert times == sorted(times)
    assert all(times)


def test_the_figures_add_up(demo: MemorySource) -> None:
    for entry in demo.entries:
        if entry.role is Role.ASSISTANT:
            assert entry.usage is not None
            assert entry.usage.total == entry.usage.sent + entry.usage.output
            assert entry.usage.cost
    [compaction] = [at for at, entry in enumerate(demo.entries) if entry.kind is Kind.COMPACTION]
    last = demo.entries[compaction - 1]
    assert last.usage is not None
    assert demo.entries[compaction].usage == type(last.usage)(total=last.usage.context)


def test_the_picture_is_one(demo: MemorySource) -> None:
    [data] = demo.blobs.values()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds, pixels = 8, [], b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + content)
        kinds.append(kind)
        pixels += content if kind == b"IDAT" else b""
        at += 12 + size
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]
    width, height = struct.unpack(">II", data[16:24])
    assert len(zlib.decompress(pixels)) == height * (1 + 3 * width)


def test_it_names_no_real_person_or_key(demo: MemorySource) -> None:
    text = demo.source_bytes.decode()
    assert "thinkingSignature" not in text
    assert "sk-" not in text
    assert {json.loads(line).get("cwd", "/home/mara/projects/ledgerly") for line in text.splitlines()} == {
        "/home/mara/projects/ledgerly"
    }
