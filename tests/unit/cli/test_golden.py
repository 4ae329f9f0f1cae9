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
