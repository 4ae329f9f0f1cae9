"""Real and public Codex files: every record has its place, and the figures are those of the files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.codex.reader import Codex
from stemmata.formats.codex.records import RecordRole, kind_of, normalised, part_of
from stemmata.formats.shared.values import first_records
from tests.fakes import codex as fake

THREAD = "01a2044c-4e08-7c41-bec2-a5c75542326f"


@pytest.fixture
def folder(samples: Path) -> Path:
    return samples / "codex"


def test_every_record_of_every_file_has_its_place(folder: Path) -> None:
    counts, kinds = Counter[str](), set[str]()
    for path in sorted(folder.rglob("*.jsonl")):
        if path.name == "session_index.jsonl":
            continue
        assert Codex().sniff(path.read_bytes(), path)
        try:
            events = list(Codex().read(path, None))
        except UnreadableSourceError:
            assert path.parent.name == "subagents"  # a header and nothing else
            continue
        found, lost = fake.kinds(path, events)
        assert not lost
        counts += found
        records = first_records(path.read_bytes(), 10_000)
        kinds |= {kind_of(record) for record in map(normalised, records) if part_of(record) is RecordRole.UNKNOWN}
    assert kinds == {"future_synthetic_record"}
    assert counts.total() > 400
    assert counts["response_item/function_call"] == 53


def test_tokens_of_a_real_session_add_up_to_its_total(folder: Path) -> None:
    found = fake.only(folder / "long_session_2026-04.jsonl")
    used = [entry.usage for entry in found.entries if entry.usage is not None]
    assert sum(usage.sent for usage in used) == 1_094_023
    assert sum(usage.cache_read for usage in used) == 998_656
    assert sum(usage.output for usage in used) == 7_945
    assert {(entry.provider, entry.model) for entry in found.entries if entry.usage} == {("openai", "gpt-5.4")}
    calls = [block.id for entry in found.entries for block in entry.blocks if isinstance(block, ToolCall)]
    results = [entry for entry in found.entries if entry.role is Role.TOOL_RESULT]
    assert {entry.call for entry in results} <= set(calls)
    assert all(entry.tool for entry in results)
    assert len(found.leaves) == 1


def test_a_revert_and_a_fork_of_todays_codex(folder: Path) -> None:
    home = folder / "0169_home" / "sessions" / "2026" / "11" / "22"
    first, fork, revert = (fake.only(path) for path in sorted(home.glob("*.jsonl")))
    assert first.info.source_id == revert.info.source_id == THREAD
    assert fork.info.parent_source_id == THREAD
    shared = [entry for entry in first.entries if entry.id in revert.by_id]
    assert [entry.id for entry in revert.entries][: len(shared)] == [entry.id for entry in shared]
    assert plain_text(shared[-1].blocks) == "Answer 24: I read «LIST the files»."
    assert first.end.leaf == revert.end.leaf  # Codex's database names the reverted file
    assert first.end.title == "Three words, a revert and a compaction"
    path = revert.tree.path(len(revert.entries) - 1)
    used = [revert.entries[at].usage for at in path]
    assert sum(usage.sent for usage in used if usage and usage.sent) == 33_235


def test_a_recorded_fork_repeats_its_parent(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "fork_0135_three_words.jsonl").read_bytes().splitlines(keepends=True)
    parent, fork = "019e7583-0b33-7912-a209-4c0407cfa243", "019e7584-5201-7901-b1e7-a3f0c990c12f"
    files = {fake.name(parent): b"".join(lines[:19]), fake.name(fork, 90): b"".join(lines[19:])}
    one, other = (fake.only(path) for path in fake.put(tmp_path, files))
    assert (one.info.source_id, other.info.source_id, other.info.parent_source_id) == (parent, fork, parent)
    assert [(entry.id, entry.time) for entry in other.entries[:8]] == [
        (entry.id, entry.time) for entry in one.entries
    ]
    assert [plain_text(entry.blocks) for entry in other.entries[8:]] == [
        "Reply with exactly the word: three",
        "three",
    ]


def test_rollback_and_compactions(folder: Path) -> None:
    (path,) = folder.glob("synthetic_rollback*.jsonl")
    found = fake.only(path)
    assert [plain_text(found.by_id[leaf].blocks) for leaf in found.leaves] == ["Wrong answer", "Final answer"]
    sealed = fake.only(folder / "compaction_0130.jsonl")
    (compaction,) = [entry for entry in sealed.entries if entry.kind is Kind.COMPACTION]
    assert "encrypted" in plain_text(compaction.blocks)
    assert compaction.usage is not None
    assert compaction.usage.total == 30_261
