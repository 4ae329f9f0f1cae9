"""pi's own numbers on its own fixture, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture
def fixture(samples: Path) -> Path:
    return samples / "pi" / "before-compaction.jsonl"


@pytest.fixture
def ids(run: Run, fixture: Path) -> list[str]:
    run("import", fixture)
    return [entry["id"] for entry in run("show", "latest", "--json").json["entries"]]


def test_entries_and_the_context_at_the_end(run: Run, fixture: Path) -> None:
    made = run("import", fixture, "--json").json["sessions"][0]
    assert (made["entries"], made["skipped"], made["repaired"]) == (1002, [], [])
    context = run("context", "latest", "--json").json
    roles = [message["role"] for message in context["messages"]]
    assert len(roles) == 446
    counts = {role: roles.count(role) for role in set(roles)}
    assert counts == {"compactionSummary": 1, "user": 31, "assistant": 219, "toolResult": 192, "bashExecution": 3}
    assert context["breakdown"]["total"] == {"value": 180_820, "kind": "estimated"}
    assert (context["model"], context["thinking_level"]) == ("anthropic/claude-opus-4-5", "off")


@pytest.mark.parametrize(
    ("index", "messages", "estimate"),
    [
        (357, 354, 130_745),
        (358, 67, 16_652),
        (359, 68, 16_665),
        (626, 335, 139_460),
        (627, 78, 17_555),
        (628, 79, 17_561),
    ],
)
def test_the_context_around_both_compactions(
    run: Run, ids: list[str], index: int, messages: int, estimate: int
) -> None:
    context: Any = run("context", "latest", "--leaf", ids[index], "--json").json
    assert len(context["messages"]) == messages
    assert sum(message["tokens"]["value"] for message in context["messages"]) == estimate


def test_the_compaction_that_is_due(run: Run, ids: list[str]) -> None:
    plan = run("compact", "latest", "--dry-run", "--json").json
    assert (len(plan["summarised"]), len(plan["turn_prefix"]), plan["split_turn"]) == (383, 7, True)
    assert plan["first_kept"] == ids[946]
    assert plan["turn_prefix"][0] == ids[939]
    assert (len(plan["files"]["read"]), len(plan["files"]["modified"])) == (2, 12)
    assert plan["before"]["total"]["value"] == 180_820


def test_what_is_printed_is_at_the_scale_of_the_last_report(run: Run, ids: list[str]) -> None:
    context: Any = run("context", "latest", "--leaf", ids[358], "--json").json
    assert context["breakdown"]["total"] == {"value": 16_652, "kind": "estimated"}
    assert context["seen"]["total"] == {"value": 24_665, "kind": "estimated"}
    assert (context["breakdown"]["basis"], context["seen"]["basis"]) == ("messages", "carried")
    printed = run("context", "latest", "--leaf", ids[358]).out
    assert "Context  ≈ 24.7k of " in printed
    assert "(estimates adjusted ×1.32 to match the scale of the last report)" in printed
    largest = context["seen"]["largest"][0]
    assert f"≈ {largest['tokens'] * context['seen']['factor'] / 1000:.1f}k" in printed.partition("Largest")[2]


def test_before_and_after_have_one_scale(run: Run, ids: list[str]) -> None:
    plan: Any = run("compact", "latest", "--dry-run", "--json").json
    before, after = plan["seen"]["before"], plan["seen"]["after"]
    assert (before["total"]["value"], before["factor"]) == (180_820, after["factor"])
    assert before["categories"]["system"] == after["categories"]["system"]
    assert plan["after"]["total"]["value"] < after["total"]["value"], "as pi counts: the messages alone"
    first = run("compact", "latest", "--dry-run").out.splitlines()[0]
    assert first == f"Would compact  ≈ 180.8k → ≈ {after['total']['value'] / 1000:.1f}k"
