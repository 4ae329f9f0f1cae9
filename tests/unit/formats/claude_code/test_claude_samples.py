"""Real and public Claude Code files: the trees they must give."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Flag, Kind
from stemmata.formats.claude_code.reader import ClaudeCode
from tests.fakes.claude_code import Found, found_in, only

WORKTREES = "ef958aa1-0e93-49f0-bb71-150f63befcd1"


@pytest.fixture
def folder(samples: Path) -> Path:
    return samples / "claude-code"


def chain(*ids: str) -> dict[str, str | None]:
    return dict(zip(ids, (None, *ids), strict=False))


@pytest.mark.parametrize(
    ("name", "parents", "leaf"),
    [
        ("dag_simple", chain("a", "b", "c", "d", "e"), "e"),
        ("dag_resume", chain("a", "b", "c", "d", "e", "f", "g", "h"), "h"),
        ("dag_fork", chain("a", "b", "c", "d", "e", "f", "g", "h") | {"i": "c", "j": "i", "k": "j"}, "k"),
        ("dag_within_fork", chain("a", "b", "c", "d", "e", "f") | {"d_prime": "c", "e_prime": "d_prime"}, "e_prime"),
        (
            "dag_compact_after_rewind",
            chain("u1", "a1", "b2u", "b2a", "b2u2", "b2a2", "cb", "cs", "p1u", "p1a") | {"b1u": "a1", "b1a": "b1u"},
            "p1a",
        ),
    ],
)
def test_graphs(folder: Path, name: str, parents: dict[str, str | None], leaf: str) -> None:
    found = only(folder / f"{name}.jsonl")
    assert found.parents == parents
    assert found.end.leaf == leaf
    assert not found.repaired
    assert not found.skipped


def test_a_compaction_after_a_rewind(folder: Path) -> None:
    found = only(folder / "dag_compact_after_rewind.jsonl")
    compaction = found.by_id["cs"]
    assert (compaction.kind, compaction.target) == (Kind.COMPACTION, None)
    assert compaction.usage is not None
    assert compaction.usage.total == 150_000
    assert found.leaves == ["b1a", "p1a"]


def test_a_file_of_one_subagent_line(folder: Path) -> None:
    assert only(folder / "dag_cycle.jsonl").parents == {"d320fe20-b73c-4246-a089-a557d4a0672b": None}


def test_a_real_session_has_one_line_and_no_fork(folder: Path) -> None:
    main, alice, carol = found_in(folder / "worktrees" / f"{WORKTREES}.jsonl")
    assert main.info.source_id == WORKTREES
    assert (len(main.entries), len(main.leaves), len(main.tree.roots)) == (162, 1, 1)
    assert main.end.leaf == "8ce37950-bcf0-4605-a4f3-e49a2accf726"
    named = Counter(found.record(entry.id).get("parentUuid") for found in [main] for entry in found.entries)
    assert sum(1 for count in named.values() if count > 1) == 6
    assert sum(1 for entry in main.entries if entry.flags & Flag.REPAIRED) == 9
    assert [repair.what for repair in main.repaired] == [
        "9 late tool results, message parts or notes were appended to their branch."
    ]
    assert (len(alice.entries), len(alice.leaves)) == (18, 1)
    assert (len(carol.entries), len(carol.leaves)) == (41, 1)
    assert alice.info.title == "Round 2: alice comparison"
    assert {alice.info.parent_source_id, carol.info.parent_source_id} == {WORKTREES}


def test_every_result_of_a_real_session_follows_its_call(folder: Path) -> None:
    for found in found_in(folder / "worktrees" / f"{WORKTREES}.jsonl"):
        calls: set[str] = set()
        answered: set[str] = set()
        for entry in found.entries:
            calls.update(block.id for block in entry.blocks if isinstance(block, ToolCall))
            if entry.call:
                assert entry.call in calls
                assert entry.tool
                answered.add(entry.call)
        assert calls == answered


def test_usage_of_a_real_session_counts_once_a_message(folder: Path) -> None:
    main = found_in(folder / "worktrees" / f"{WORKTREES}.jsonl")[0]
    messages: dict[str, int] = {}
    for entry in main.entries:
        message = main.record(entry.id).get("message", {})
        if "id" in message:
            messages[message["id"]] = max(messages.get(message["id"], 0), message["usage"]["output_tokens"])
    assert sum(entry.usage.output for entry in main.entries if entry.usage) == sum(messages.values())


def test_edge_cases(folder: Path) -> None:
    found = only(folder / "edge_cases.jsonl")
    numbered = [f"edge_{number:03}" for number in range(1, 12)]
    assert found.parents == chain(*numbered, "edge_011~2") | {"assistant_004": None, "edge_010~2": "assistant_004"}
    assert [(skipped.line, skipped.reason) for skipped in found.skipped] == [
        (13, "not a JSON object"),
        (14, "an object without a type"),
        (15, "not a JSON object"),
        (16, "not a JSON object"),
    ]
    assert found.end.title.startswith("Tested various edge cases")


@pytest.mark.parametrize(
    ("name", "sessions"),
    [
        ("av_queued_system_messages", [(3, 1, 0)]),
        ("av_tool_call_pending", [(2, 1, 0)]),
        ("av_truncated", [(2, 1, 1)]),
        ("av_valid_session", [(4, 1, 0)]),
        ("away_summary", [(1, 1, 0)]),
        ("hook_attachments", [(7, 1, 0)]),
        ("representative_messages", [(11, 1, 0)]),
        ("sidechain", [(1, 1, 0), (7, 2, 0)]),
    ],
)
def test_the_other_files(folder: Path, name: str, sessions: list[tuple[int, int, int]]) -> None:
    def figures(found: Found) -> tuple[int, int, int]:
        return len(found.entries), len(found.leaves), len(found.skipped)

    assert [figures(found) for found in found_in(folder / f"{name}.jsonl")] == sessions


def test_every_line_is_an_entry_or_of_a_known_kind_or_was_skipped(folder: Path) -> None:
    for path in sorted(folder.glob("*.jsonl")):
        found = found_in(path)
        entries = sum(len(one.entries) for one in found)
        skipped = sum(len(one.skipped) for one in found)
        others = sum(sum(json.loads(one.info.details or "{}").get("otherLines", {}).values()) for one in found)
        lines = sum(bool(line.strip()) for line in path.read_bytes().split(b"\n"))
        assert entries + skipped + others == lines, path.name
        unknown = [entry.name for one in found for entry in one.entries if entry.kind is Kind.UNKNOWN]
        assert not unknown, path.name


def test_all_are_recognised_and_come_back_byte_for_byte(folder: Path) -> None:
    for path in folder.rglob("*.jsonl"):
        data = path.read_bytes()
        assert ClaudeCode().sniff(data[:65536], path)
        assert found_in(path)[0].raw == data
