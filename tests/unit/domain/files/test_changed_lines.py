"""The lines that a call changed: from what its result reports, from a patch, and from its arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.files.changed_lines import (
    MOST_COMPARED,
    FileChange,
    changes_of,
    diff_lines,
    difference,
    patch_changes,
)
from stemmata.domain.tool_calls.kinds import MOST_READ


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall("c", tool, json.dumps(arguments))


def lines_of(edit: ToolCall | None, details: str = "") -> str:
    return "\n".join(change.text for change in changes_of(edit, details))


def numbered(change: FileChange) -> list[tuple[str, int, str]]:
    return [(line.sign, line.number, line.text) for line in change.lines]


def test_lines_of_changes_have_the_numbers_of_the_file() -> None:
    pi = " ...\n  63 \tfor x in y:\n- 64 \t\told\n+ 64 \t\tnew\n  65 \n"
    (change,) = changes_of(call("edit", path="a.py"), json.dumps({"diff": pi}))
    assert numbered(change) == [
        ("…", 0, ""), (" ", 63, "\tfor x in y:"), ("-", 64, "\t\told"), ("+", 64, "\t\tnew"), (" ", 65, ""),
    ]  # fmt: skip
    assert (change.path, change.counts) == ("a.py", (1, 1))
    hunks = [
        {"oldStart": 8, "newStart": 9, "lines": [" a", "-b", "+c", "+d", " e", "\\ No newline at end of file"]},
        {"oldStart": "x", "newStart": 0, "lines": ["+f"]},
    ]
    (change,) = changes_of(None, json.dumps({"structuredPatch": hunks}))
    assert [line.number for line in change.lines] == [9, 9, 10, 11, 12, 0, 0]
    unified = "Index: a\n===\n--- a\n+++ a\n@@ -3,2 +3,2 @@\n x\n-y\n+z\n@@ -9 +9 @@ def f\n-q\n"
    (change,) = changes_of(None, json.dumps({"metadata": {"diff": unified}}))
    assert numbered(change) == [(" ", 3, "x"), ("-", 4, "y"), ("+", 4, "z"), ("…", 0, ""), ("-", 9, "q")]
    assert changes_of(None, json.dumps({"diff": "+ 1 x"}))[0].numbers == [1]


def test_a_patch_is_a_change_of_each_of_its_files() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn main() {\n let a;\n-let b;\n"
        "+let c;\n@@\n-x\n"
        "*** Add File: n.md\n+# N\n*** Delete File: o.txt\n*** End of File\n*** End Patch\nrest"
    )
    first, second, third = changes_of(call("apply_patch", input=patch))
    assert (first.path, first.moved, first.verb, first.text, first.numbers) == (
        "a.rs", "b.rs", "", " fn main() {\n let a;\n-let b;\n+let c;\n…\n-x", (),
    )  # fmt: skip
    assert (second.path, second.verb, second.text) == ("n.md", "Add", "+# N")
    assert (third.path, third.verb, third.counts) == ("o.txt", "Delete", (0, 0))
    assert [change.counts for change in (first, second)] == [(1, 2), (1, 0)]
    assert patch_changes("*** Begin Patch\nodd") == []


@given(st.text(alphabet="+- @0123456789,.\n*…ab"))
def test_any_difference_is_read(text: str) -> None:
    assert len(diff_lines(text)) <= text.count("\n") + 2
    patch_changes("*** Begin Patch\n*** Add File: x\n" + text)


def test_changes_of_a_patch() -> None:
    details = json.dumps({"structuredPatch": [{"lines": [" a", "-b", "+c"]}, {"lines": "odd"}, "odd"]})
    assert lines_of(None, details) == " a\n-b\n+c"
    hunks = [{"lines": ["-a"]}, {"lines": ["+b"]}]
    assert lines_of(None, json.dumps({"structuredPatch": hunks})) == "-a\n…\n+b"


@pytest.mark.parametrize(
    "arguments",
    [
        {"oldText": "a\nb\nc", "newText": "a\nB\nc"},
        {"old_string": "a\nb\nc", "new_string": "a\nB\nc"},
        {"edits": [{"old_str": "a\nb\nc", "new_str": "a\nB\nc"}, "odd", {}]},
    ],
)
def test_changes_from_the_arguments(arguments: dict[str, Any]) -> None:
    lines = lines_of(call("edit", **arguments)).splitlines()
    assert lines == [" a", "-b", "+B", " c"]


def test_changes_at_several_places_are_kept_apart() -> None:
    text = [str(number) for number in range(20)]
    other = ["x", *text[1:-1], "y"]
    edit = call("edit", oldText="\n".join(text), newText="\n".join(other))
    assert lines_of(edit).splitlines() == ["-0", "+x", " 1", " 2", "…", " 17", " 18", "-19", "+y"]
    two = call("edit", edits=[{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}])
    assert lines_of(two).splitlines() == ["-a", "+b", "…", "-c", "+d"]


def test_no_change_is_told() -> None:
    assert changes_of(None) == []
    assert changes_of(call("edit", path="a.py")) == []
    assert changes_of(call("edit", oldText="a", newText="a")) == [], "the texts are equal"
    assert changes_of(None, json.dumps({"diff": "+x" + " " * MOST_READ})) == [], "too long to be read at each layout"


def test_a_difference_without_numbers_keeps_gaps_and_context() -> None:
    assert [tuple(line) for line in diff_lines("+a\n…\nodd\n-b")] == [
        ("+", 0, "a"), ("…", 0, ""), (" ", 0, "odd"), ("-", 0, "b"),
    ]  # fmt: skip


def test_texts_that_take_too_long_to_compare_follow_each_other() -> None:
    old, new = ("\n".join(f"{side}{at}" for at in range(300)) for side in "ab")
    assert difference(old, new).split("\n") == [f"-a{at}" for at in range(300)] + [f"+b{at}" for at in range(300)]
    assert difference(f"same\n{old}\nend", f"same\n{old}\nmore\nend").count("+") == 1, "only the middle differs"
    many = "a\n" * MOST_COMPARED
    assert difference(many, "b") == "\n".join(["-a"] * MOST_COMPARED + ["+b"])


def test_replacements_of_one_call_are_changes_of_their_files() -> None:
    edits = [
        {"filePath": "a", "oldString": "1", "newString": "2"},
        {"filePath": "b", "oldString": "3", "newString": "4"},
        {"filePath": "a", "old_text": "5", "new_text": "6"},
        {"filePath": "a", "newString": "6"},
        "x",
    ]
    found = changes_of(call("multi", replacements=edits))
    assert [(change.path, change.text) for change in found] == [("a", "-1\n+2\n…\n-5\n+6"), ("b", "-3\n+4")]


@pytest.mark.parametrize(
    ("diff", "text"),
    [
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "-a\n+b"),
        ("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n\n------- SEARCH\nc\n=======\n+++++++ REPLACE\n",
         "-a\n+b\n…\n-c"),
        ("<<<<<<< SEARCH\n:start_line:7\n-------\na\n=======\nb\n>>>>>>> REPLACE", "-a\n+b"),
        ("--- a\n+++ b\n@@ -4 +4 @@\n-a\n+b", "-a\n+b"),
    ],
)  # fmt: skip
def test_a_difference_in_an_argument_is_a_change(diff: str, text: str) -> None:
    [found] = changes_of(call("apply_diff", path="x", diff=diff))
    assert (found.path, found.text) == ("x", text)


@pytest.mark.parametrize("diff", ["words", "<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE"])
def test_other_differences_in_an_argument_are_no_change(diff: str) -> None:
    assert changes_of(call("apply_diff", path="x", diff=diff)) == []
