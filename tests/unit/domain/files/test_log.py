from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.files import log as logs
from stemmata.domain.files.log import (
    CheckResult,
    FileLog,
    FileStep,
    ReadingPlace,
    paths_of,
    reading_order,
    uses_of,
)
from stemmata.domain.files.requests import FileAct
from tests.fakes.conversation import assistant, result, user

WHOLE = "a\nb\nc\n"


def calls(id: str, tool: str, words: str = "", **arguments: Any) -> Entry:
    call = ToolCall(id, tool, json.dumps(arguments))
    return assistant(*([words] if words else []), call)


def edit(id: str, old: str, new: str, words: str = "", path: str = "a.py") -> Entry:
    return calls(id, "edit", words, path=path, oldText=old, newText=new)


def patch(id: str, text: str) -> Entry:
    return calls(id, "apply_patch", input=f"*** Begin Patch\n{text}\n*** End Patch")


def chained(entries: Iterable[tuple[str | None, Entry]]) -> list[Entry]:
    """Entries e0, e1, …, each below the one before it unless another is named."""
    return [
        replace(entry, id=f"e{at}", parent=parent or (f"e{at - 1}" if at else None), time=at)
        for at, (parent, entry) in enumerate(entries)
    ]


def logged(entries: list[Entry], end: int | None = None, only: frozenset[str] = frozenset()) -> FileLog:
    tree = Tree.from_entries(entries)
    log = FileLog("/w", only)
    places = [*reading_order(tree, len(tree) - 1 if end is None else end, bytearray(len(tree)))]
    for at, entry in enumerate(entries):
        if entry.role is Role.ASSISTANT:
            log.parse(at, entry)
    for place in places:
        log.enter(place)
        entry = entries[place.entry]
        if entry.role is Role.USER:
            log.prompt(entry.blocks[0].text if isinstance(entry.blocks[0], Text) else "")
        elif entry.role is Role.TOOL_RESULT and log.needs(entry.call):
            log.result(place.entry, entry)
        elif entry.role is Role.BASH_EXECUTION:
            log.command(entry)
        log.leave(place)
    return log


def told(step: FileStep) -> tuple[str, str, int, int | None]:
    return step.path, step.act.name, step.added, step.removed


FORKED = chained(
    [
        (None, user("Port it")),
        (None, calls("1", "read", path="a.py")),
        (None, result("1", WHOLE)),
        (None, edit("2", "b", "x", "Port the header")),  # 3
        (None, result("2", "ok", "edit")),
        (None, calls("3", "bash", command="pytest")),
        (None, result("3", "== 38 passed in 1.0s ==", "bash")),
        ("e4", edit("4", "c", "y\nz", "Wrap first")),  # 7, another branch
        (None, result("4", "ok", "edit")),
        (None, Entry(id="", role=Role.BASH_EXECUTION, name="npm test", blocks=(Text("Tests: 3 failed, 5 passed"),))),
        ("e6", edit("5", "a", "")),  # 10, the shown branch
        (None, result("5", "ok", "edit")),
    ]
)


def test_each_branch_starts_with_what_was_known_at_its_fork() -> None:
    log = logged(FORKED)
    assert [told(step) for step in log.steps] == [
        ("/w/a.py", "READ", 0, 0), ("/w/a.py", "EDIT", 1, 1), ("/w/a.py", "EDIT", 1, 1), ("/w/a.py", "EDIT", 2, 1),
    ]  # fmt: skip
    assert [step.before for step in log.steps] == [-1, 0, 1, 1]
    assert [step.entry for step in log.steps] == [1, 3, 10, 7]
    assert [step.title for step in log.steps] == ["Port it", "Port the header", "Port the header", "Wrap first"]
    assert log.steps[0].read == (1, 4)
    assert (log.steps[0].is_whole, log.steps[0].lines) == (True, 3)


def test_a_change_has_the_outcome_of_the_first_check_after_it() -> None:
    steps = logged(FORKED).steps
    assert [step.check for step in steps] == [None, CheckResult(True, 38, 0), None, CheckResult(False, 5, 3)]


def test_a_change_keeps_the_outcome_of_the_shown_branch() -> None:
    """The edit above the fork was checked on the shown branch first, then on the other one."""
    entries = [*FORKED[:5], *(replace(entry, id=f"e{5 + at}", parent=parent) for at, (parent, entry) in enumerate(
        [("e4", FORKED[9]), ("e4", FORKED[5]), ("e6", FORKED[6])]))]  # fmt: skip
    assert logged(entries).steps[1].check == CheckResult(True, 38, 0)
    assert logged(entries, 5).steps[1].check == CheckResult(False, 5, 3)


def test_the_words_before_a_call_may_be_in_a_message_of_their_own() -> None:
    entries = chained(
        [
            (None, assistant("I look")),
            (None, assistant(ToolCall("0", "bash", '{"command":"ls"}'))),
            (None, calls("1", "read", path="a.py")),
            (None, result("1", WHOLE)),
            (None, result("1", "again")),
        ]
    )
    [step] = logged(entries).steps
    assert step.title == "I look"


def test_the_state_after_each_step_can_be_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    told = logged(FORKED).steps
    for most in (1_000, 0):
        monkeypatch.setattr(logs, "KEPT_TEXT", most)
        history = logged(FORKED, only=frozenset({"/w/a.py"})).history("/w/a.py", told, [-1] * len(told))
        assert [history.state(step).text for step in range(-1, 4)] == [
            "", WHOLE, "a\nx\nc\n", "\nx\nc\n", "a\nx\ny\nz\n",
        ]  # fmt: skip
        assert history.before(3).text == "a\nx\nc\n"
        assert history.steps[3].title == "Wrap first"


def test_calls_that_failed_or_have_no_result_change_nothing() -> None:
    entries = chained(
        [
            (None, edit("1", "a", "b")),
            (None, replace(result("1", "no match", "edit"), flags=Flag.FAILED)),
            (None, edit("2", "a", "b")),
            (None, result("9", "stray")),
            (None, calls("3", "bash", command="make test")),
            (None, replace(result("3", "Command was aborted", "bash"), flags=Flag.ABORTED)),
        ]
    )
    assert logged(entries).steps == []


def test_a_moved_file_keeps_its_text() -> None:
    entries = chained(
        [
            (None, patch("1", "*** Add File: a.py\n+a\n+b")),
            (None, result("1", "ok")),
            (None, patch("2", "*** Update File: a.py\n*** Move to: b.py\n@@\n-b\n+c")),
            (None, result("2", "ok")),
            (None, edit("3", "c", "d", path="b.py")),
            (None, result("3", "ok")),
            (None, patch("4", "*** Delete File: b.py")),
            (None, result("4", "ok")),
        ]
    )
    steps = logged(entries).steps
    assert [(step.path, step.act.name, step.moved) for step in steps] == [
        ("/w/a.py", "WRITE", ""), ("/w/a.py", "EDIT", "/w/b.py"), ("/w/b.py", "EDIT", ""), ("/w/b.py", "EDIT", ""),
        ("/w/b.py", "DELETE", ""),
    ]  # fmt: skip
    paths = paths_of("/w/b.py", steps)
    assert paths == {"/w/a.py", "/w/b.py"} == paths_of("/w/a.py", steps)
    assert paths_of("/w/c.py", steps) == {"/w/c.py"}
    history = logged(entries, only=paths).history("/w/b.py", steps, [-1] * len(steps))
    assert history.state(3).text == "a\nd\n"
    assert not history.state(4).exists


def test_files_are_listed_with_their_figures() -> None:
    entries = [
        *FORKED,
        *(
            replace(entry, id=f"e{12 + at}", parent=f"e{11 + at}" if at else "e9")
            for at, entry in enumerate(
                [calls("6", "write", path="o.py", content="1\n2\n"), result("6", "ok", "write"),
                 calls("7", "read", path="r.py"), result("7", "x")]
            )
        ),
    ]  # fmt: skip
    here = bytearray(len(entries))
    for entry in (0, 1, 2, 3, 4, 5, 6, 10, 11):
        here[entry] = 1
    one, other, read = uses_of(logged(entries, 11).steps, here)
    assert (one.path, one.edits, one.reads, one.added, one.removed, one.is_here, one.last) == (
        "/w/a.py", 2, 1, 2, 2, True, 10,
    )  # fmt: skip
    assert (other.path, other.is_here, other.removed_more, other.is_changed) == ("/w/o.py", False, True, True)
    assert (read.path, read.is_changed, read.reads) == ("/w/r.py", False, 1)


def test_reading_order_goes_the_shown_way_first_and_leaves_out_the_trash() -> None:
    entries = [replace(user("x"), id=id, parent=parent) for id, parent in
               (("0", None), ("1", "0"), ("2", "0"), ("3", "0"), ("4", None))]  # fmt: skip
    tree = Tree.from_entries(entries)
    out = bytearray(5)
    out[3] = 1
    assert [*reading_order(tree, 2, out)] == [
        ReadingPlace(0, -1, 2), ReadingPlace(2, 0, 0), ReadingPlace(1, 0, 0), ReadingPlace(4, -1, 0),
    ]  # fmt: skip
    assert [place.entry for place in reading_order(tree, None, out)] == [0, 1, 2, 4]


def test_a_long_chain_is_no_recursion() -> None:
    entries = chained((None, user("x")) for _ in range(5_000))
    assert logged(entries).steps == []


def test_an_empty_file_that_was_read_has_no_lines() -> None:
    entries = chained([(None, calls("1", "read", path="a.py")), (None, result("1", ""))])
    [step] = logged(entries).steps
    assert (step.act, step.lines) == (FileAct.READ, 0)
    entries = chained(
        [(None, calls("1", "read", path="a.py", offset=2)), (None, result("1", "b\n\n[7 more lines in file. x]"))]
    )
    [step] = logged(entries).steps
    assert (step.read, step.lines) == ((2, 2), 9)
