from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compaction.operations import (
    COMMANDS,
    Command,
    Failure,
    OpenCall,
    Operations,
    details_text,
    file_lists,
    from_details,
    operations_of,
    to_details,
)
from stemmata.domain.compaction.plan import plan_compaction
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.tool_calls.outcomes import Outcome
from stemmata.domain.tool_calls.use import PlanStep, PlanStepState
from stemmata.formats.pi.reader import Pi
from tests.strategies import chains
from tests.unit.domain.talk import call, ran, result, says, shell, user


def test_vector_file_lists() -> None:
    """pi: read {b,a,c}, written {c}, edited {z,d} → read [a,b], modified [c,d,z]."""
    calls = [call(str(at), "read", path=path) for at, path in enumerate("bac")]
    calls += [call("3", "write", path="c"), call("4", "edit", path="z"), call("5", "edit", path="d")]
    found = operations_of([says(*calls)])
    assert (found.read, found.modified) == (("a", "b"), ("c", "d", "z"))


def test_files_are_sorted_by_utf16_unit() -> None:
    assert file_lists(["\uffee", "😀"], []) == (("😀", "\uffee"), ())


def test_a_failed_call_changes_no_files() -> None:
    entries = [
        says(call("1", "edit", path="a"), call("2", "edit", path="b"), call("3", "read", path="c")),
        result("1", "could not find the text", failed=True),
        result("2"),
    ]
    found = operations_of(entries)
    assert (found.read, found.modified) == (("c",), ("b",))


def test_commands_with_their_last_outcome() -> None:
    entries = [
        *ran("1", "npm test", "boom\n\nCommand exited with code 2", failed=True),
        *ran("2", "ls"),
        *ran("3", "npm test"),
        *ran("4", "sleep 99", "Command aborted", failed=True),
        shell("make", "done", exitCode=0),
        shell("false", "", exitCode=1),
        shell("secret", flags=Flag.EXCLUDED),
        shell("  "),
        says(call("5", "bash", command="pytest")),
    ]
    assert operations_of(entries).commands == (
        Command("ls"),
        Command("npm test", Outcome.OK, None, 2),
        Command("sleep 99", Outcome.CANCELLED),
        Command("make", Outcome.OK, 0),
        Command("false", Outcome.FAILED, 1),
        Command("pytest", Outcome.UNFINISHED),
    )
    assert Command("npm test").is_check
    assert not Command("ls").is_check


def test_failures_and_whether_they_were_resolved() -> None:
    entries = [
        says(call("1", "edit", path="a"), call("2", "edit", path="b")),
        result("1", "Error: no such text", failed=True),
        result("2", "Error: read-only", failed=True),
        says(call("3", "edit", path="a")),
        result("3"),
        result("9", "stray", failed=True, tool="web"),
    ]
    assert operations_of(entries).failures == (
        Failure("edit", "a", "Error: no such text", resolved=True),
        Failure("edit", "b", "Error: read-only"),
        Failure("web", "", "stray"),
    )


def test_unfinished_calls_also_when_an_id_is_used_again() -> None:
    entries = [says(call("x", "bash", command="one")), says(call("x", "bash", command="two")), result("x")]
    found = operations_of(entries)
    assert found.unfinished == (OpenCall("x", "bash", "one"),)
    assert found.commands == (Command("two"), Command("one", Outcome.UNFINISHED))


def test_the_last_plan() -> None:
    entries = [
        says(call("1", "TodoWrite", todos=[{"content": "a", "status": "pending"}])),
        says(call("2", "TodoWrite", todos=[{"content": "a", "status": "completed"}])),
        says(call("3", "read", path="x")),
    ]
    assert operations_of(entries).plan == (PlanStep("a", PlanStepState.DONE),)
    assert operations_of([user("hi")], Operations(plan=(PlanStep("a"),))).plan == (PlanStep("a"),)


def test_earlier_operations_are_merged() -> None:
    before = Operations(
        read=("a", "b"),
        modified=("c",),
        commands=(Command("pytest", Outcome.FAILED, 1, 3), Command("make", Outcome.UNFINISHED)),
        failures=(Failure("edit", "a", "no"),),
        unfinished=(OpenCall("m", "bash", "make"), OpenCall("w", "web", "x")),
    )
    entries = [*ran("1", "pytest"), result("m"), says(call("2", "edit", path="a")), result("2")]
    found = operations_of(entries, before)
    assert (found.read, found.modified) == (("b",), ("a", "c"))
    assert found.commands == (Command("pytest", Outcome.OK, None, 4), Command("make"))
    assert found.failures == (Failure("edit", "a", "no", resolved=True),)
    assert found.unfinished == (OpenCall("w", "web", "x"),)


def test_the_newest_are_kept() -> None:
    """A long session continues to record; librecode keeps the first 64 and then stops."""
    entries = chain.from_iterable(ran(str(at), f"step {at}") for at in range(COMMANDS + 5))
    commands = operations_of(entries).commands
    assert len(commands) == COMMANDS
    assert commands[-1].text == f"step {COMMANDS + 4}"


def test_a_long_command_is_clipped() -> None:
    [command] = operations_of(ran("1", "echo " + "x" * 5000)).commands
    assert len(command.text) == 400


def test_other_entries_are_ignored() -> None:
    label = Entry(id="l", kind=Kind.LABEL)
    assert not operations_of([user("read a.py"), label])
    assert operations_of([says(call("1", "read", path="a"))])


# -- details --------------------------------------------------------------------------------------------------


def test_details_extend_those_of_pi() -> None:
    assert to_details(Operations(read=("r",))) == {"readFiles": ["r"], "modifiedFiles": []}
    assert from_details('{"readFiles":["b","a","c"],"modifiedFiles":["c"]}') == Operations(
        read=("a", "b"), modified=("c",)
    )


def test_details_hold_everything() -> None:
    whole = Operations(
        read=("r",),
        modified=("m",),
        commands=(Command("a", Outcome.FAILED, 1, 2), Command("b", Outcome.CANCELLED)),
        failures=(Failure("t", "s", "m", resolved=True),),
        unfinished=(OpenCall("i", "t", "s"),),
        plan=(PlanStep("p", PlanStepState.ACTIVE), PlanStep("q", PlanStepState.DROPPED)),
    )
    assert from_details(details_text(whole)) == whole


def test_invalid_details_lose_only_their_invalid_items() -> None:
    details: dict[str, object] = {
        "readFiles": [1, "a", None],
        "modifiedFiles": {},
        "commands": [{"text": "x", "outcome": [], "exitCode": "1", "runs": -2}, {"text": 3}, 4],
        "failures": [{"tool": "t", "subject": 4}],
        "unfinished": None,
        "plan": [{"text": "p", "state": 9}],
    }
    assert from_details(json.dumps(details)) == Operations(
        read=("a",), commands=(Command("x"),), failures=(Failure("t", "", ""),), plan=(PlanStep("p"),)
    )
    assert from_details("nonsense") == Operations()


@given(chains(), st.integers(0, 24))
def test_carrying_over_a_cut_loses_no_file_and_no_command(entries: list[Entry], cut: int) -> None:
    whole = operations_of(entries)
    first = from_details(details_text(operations_of(entries[:cut])))
    carried = operations_of(entries[cut:], first)
    assert {*whole.read, *whole.modified} <= {*carried.read, *carried.modified}
    assert {command.text for command in whole.commands} == {command.text for command in carried.commands}
    assert not set(carried.read) & set(carried.modified)


SAMPLES = Path(__file__).parents[4] / "../shared/samples"


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample sessions are not here")
def test_pi_s_own_session() -> None:
    """pi's figures, with the boundary corrected: 383 + 7 messages, 2 files read, 12 modified."""

    path = SAMPLES / "pi" / "before-compaction.jsonl"
    entries = [event for event in Pi().read(path, None) if isinstance(event, Entry)]
    plan = plan_compaction(Tree.from_entries(entries), len(entries) - 1)
    found = operations_of([entries[at] for at in (*plan.summarised, *plan.turn_prefix)])
    assert (len(found.read), len(found.modified)) == (2, 12)


def test_two_unfinished_calls_of_one_id_are_both_carried_over() -> None:
    entries = [says(call("1", "bash", command="pytest -q")), says(call("1", "edit", path="a"))]
    carried = operations_of([], from_details(details_text(operations_of(entries))))
    assert [command.text for command in carried.commands] == ["pytest -q"]
    assert [open.tool for open in carried.unfinished] == ["bash", "edit"]
