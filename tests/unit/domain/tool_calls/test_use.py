from __future__ import annotations

import pytest
from hypothesis import given

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry
from stemmata.domain.tool_calls.use import PlanStep, PlanStepState, step_state, tool_use
from tests.strategies import shapes
from tests.unit.domain.talk import call

PATCH = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old.py\n*** Move to: moved.py\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "read", "modified"),
    [
        ("read", {"path": "a"}, ("a",), ()),
        ("Read", {"file_path": "a"}, ("a",), ()),
        ("read_file", {"absolute_path": "a"}, ("a",), ()),
        ("read_many_files", {"paths": ["a", 3, "b", ""]}, ("a", "b"), ()),
        ("mcp__files__read_text_file", {"path": "a"}, ("a",), ()),
        ("write", {"path": "a"}, (), ("a",)),
        ("edit", {"path": "a"}, (), ("a",)),
        ("MultiEdit", {"file_path": "a"}, (), ("a",)),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, (), ("n.ipynb",)),
        ("create_file", {"filename": "a"}, (), ("a",)),
        ("str_replace_editor", {"command": "view", "path": "a"}, ("a",), ()),
        ("str_replace_editor", {"command": "str_replace", "path": "a"}, (), ("a",)),
        ("apply_patch", {"input": PATCH}, (), ("new.py", "old.py", "moved.py")),
        ("shell", {"workdir": 3, "command": ["apply_patch", PATCH]}, (), ("new.py", "old.py", "moved.py")),
        ("grep", {"path": "src/a.py", "pattern": "x"}, ("src/a.py",), ()),
        ("Grep", {"path": "src", "pattern": "x"}, (), ()),
        ("Glob", {"path": "src/*.py"}, (), ()),
        ("ls", {"path": "src/"}, (), ()),
        ("read", {"path": 3}, (), ()),
        ("read", {"path": ""}, (), ()),
        ("mystery", {"path": "a"}, (), ()),
        ("TodoWrite", {"todos": []}, (), ()),
        ("", {}, (), ()),
    ],
)
def test_files(name: str, arguments: dict[str, object], read: tuple[str, ...], modified: tuple[str, ...]) -> None:
    use = tool_use(call("1", name, **arguments))
    assert (use.read, use.modified) == (read, modified)


def test_a_patch_that_is_no_json() -> None:
    assert tool_use(ToolCall("1", "apply_patch", PATCH)).modified == ("new.py", "old.py", "moved.py")


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("bash", {"command": " ls -la\n"}, "ls -la"),
        ("Bash", {"command": "ls"}, "ls"),
        ("exec_command", {"cmd": "ls"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ("shell", {"command": ["grep", "a b", "c"]}, "grep 'a b' c"),
        ("run_shell_command", {"command": "ls"}, "ls"),
        ("bash", {"command": ["ls", 3]}, ""),
        ("bash", {"command": []}, ""),
        ("bash", {}, ""),
        ("read", {"command": "ls"}, ""),
    ],
)
def test_commands(name: str, arguments: dict[str, object], command: str) -> None:
    assert tool_use(call("1", name, **arguments)).command == command


@pytest.mark.parametrize(
    ("name", "arguments", "subject"),
    [
        ("bash", {"command": "ls"}, "ls"),
        ("edit", {"path": "a"}, "a"),
        ("Grep", {"pattern": "x+"}, "x+"),
        ("web_fetch", {"url": "https://example.org"}, "https://example.org"),
        ("ls", {"path": "src"}, "src"),
        ("mystery", {"n": 1}, ""),
    ],
)
def test_subject(name: str, arguments: dict[str, object], subject: str) -> None:
    assert tool_use(call("1", name, **arguments)).subject == subject


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("TodoWrite", {"todos": [{"content": "one", "status": "completed", "activeForm": "…"}, {"content": "two"}]}),
        ("update_plan", {"plan": [{"step": "one", "status": "completed"}, {"step": "two", "status": "pending"}]}),
        ("todowrite", {"todos": [{"title": "one", "done": True}, "two", {"content": 3}, 4, " "]}),
        ("write_todos", {"todos": [{"description": "one", "state": "done"}, {"description": "two", "status": []}]}),
    ],
)
def test_plans(name: str, arguments: dict[str, object]) -> None:
    assert tool_use(call("1", name, **arguments)).plan == (PlanStep("one", PlanStepState.DONE), PlanStep("two"))


def test_calls_that_set_no_plan() -> None:
    assert tool_use(call("1", "todo_read")).plan is None
    assert tool_use(call("1", "read", plan=["x"])).plan is None
    assert tool_use(call("1", "update_plan", plan=[])).plan == ()


def test_step_states() -> None:
    words = ("in_progress", "In-Progress", "completed", "blocked", "cancelled", "pending", "?", None)
    states = [step_state(word).text for word in words]
    assert states == ["active", "active", "done", "blocked", "dropped", "pending", "pending", "pending"]
    assert step_state(value=True) is PlanStepState.DONE
    assert step_state(value=False) is PlanStepState.PENDING


@given(shapes())
def test_any_call_can_be_classified(entry: Entry) -> None:
    for block in entry.blocks:
        if isinstance(block, ToolCall):
            use = tool_use(block)
            assert not set(use.read) & set(use.modified)
