"""What one line says of a tool call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.gui.cards.tool_changes import FileChange, changes_of, diff_lines, patch_changes
from stemmata.gui.cards.tool_line import exit_code, main_argument, outcomes, within
from stemmata.gui.core.pages import LoadedEntry
from tests.fakes.pages import FakePages


def answer(text: str = "", tool: str = "read", details: Any = None, **facts: Any) -> LoadedEntry:
    blocks = facts.pop("blocks", (Text(text),))
    written = details if isinstance(details, str) else json.dumps(details) if details is not None else ""
    entry = Entry(id="a", role=Role.TOOL_RESULT, tool=tool, call="c", blocks=blocks, details=written, **facts)
    pages = FakePages([entry])
    return LoadedEntry(pages.rows([0])[0], pages.bodies([0])[0])


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall("c", tool, json.dumps(arguments))


def words(tool: str, made: ToolCall | None, given: LoadedEntry | None) -> list[tuple[str, str]]:
    return [(outcome.text, outcome.tone) for outcome in outcomes(tool, made, given)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "src/a.ts", "limit": 5}, "src/a.ts"),
        ({"limit": 5, "file_path": "b.py"}, "b.py"),
        ({"command": "cd x &&\n  ls", "timeout": 3}, "cd x && ls"),
        ({"odd": 1, "words": "found"}, "found"),
        ({"n": 1}, '{"n": 1}'),
        ({}, ""),
        ({"path": 7, "other": ""}, '{"path": 7, "other": ""}'),
    ],
)
def test_the_main_argument(arguments: dict[str, Any], expected: str) -> None:
    assert main_argument(arguments) == expected


def test_a_long_argument_is_cut() -> None:
    assert len(main_argument({"command": "x" * 100_000})) == 400


def test_paths_read_from_inside_the_folder() -> None:
    assert within("/home/me/p", "/home/me/p/src/a.py") == "src/a.py"
    assert within("/home/me/p", "cd /home/me/p && npm test") == "npm test"
    assert within("/home/me/p", "/home/me/pq/a.py") == "/home/me/pq/a.py"
    assert within("", "/a") == "/a"


def test_a_call_without_result() -> None:
    assert words("read", call("read"), None) == [("no result", "faint")]


def test_lines_read() -> None:
    assert words("read", call("read"), answer("a\nb\nc")) == [("3 lines", "dim")]


def test_other_results_say_their_size() -> None:
    assert words("recall", None, answer("x" * 40, tool="recall")) == [("≈ 10 tokens", "dim")]
    assert words("recall", None, answer("", tool="recall")) == []


def test_an_image() -> None:
    assert words("read", None, answer(blocks=(Image("image/png", "ab"),))) == [("image", "dim")]


@pytest.mark.parametrize(
    ("text", "details", "flags", "expected"),
    [
        ("fine", None, Flag.NONE, ("exit 0", "good")),
        ("x\n\nCommand exited with code 2", None, Flag.FAILED, ("exit 2", "bad")),
        ("Exit code 127\nnot found", None, Flag.FAILED, ("exit 127", "bad")),
        ("odd", None, Flag.FAILED, ("error", "bad")),
        ("odd", {"exitCode": 3}, Flag.FAILED, ("exit 3", "bad")),
        ("odd", {"exit_code": 0}, Flag.NONE, ("exit 0", "good")),
    ],
)
def test_commands_say_how_they_ended(text: str, details: Any, flags: Flag, expected: tuple[str, str]) -> None:
    assert words("bash", call("bash", command="x"), answer(text, "bash", details, flags=flags)) == [expected]


def test_only_shells_have_exit_codes() -> None:
    assert exit_code(answer("exited with code 3", "read"), "exited with code 3") is None


def test_an_error_of_another_tool() -> None:
    edit = call("edit", oldText="a", newText="b")
    assert words("edit", edit, answer("no match", "edit", flags=Flag.FAILED)) == [("error", "bad")]


def test_what_was_written_is_told_in_lines() -> None:
    write = call("write", path="a.py", content="one\ntwo\n")
    assert words("write", write, answer("Wrote 2 lines", "write")) == [("2 lines", "dim")]
    assert words("write", write, answer("no", "write", flags=Flag.FAILED)) == [("error", "bad")]


def test_one_token_is_one() -> None:
    assert words("odd", call("odd"), answer("ok", "odd")) == [("≈ 1 token", "dim")]


def test_changes_are_counted() -> None:
    given = answer("ok", "edit", {"diff": " 1 a\n-2 b\n+2 c\n+3 d"})
    assert words("edit", call("edit"), given) == [("+2", "good"), ("−1", "bad")]


def lines_of(edit: ToolCall | None, given: LoadedEntry | None) -> str:
    return "\n".join(change.text for change in changes_of(edit, given))


def numbered(change: FileChange) -> list[tuple[str, int, str]]:
    return [(line.sign, line.number, line.text) for line in change.lines]


def test_lines_of_changes_have_the_numbers_of_the_file() -> None:
    pi = " ...\n  63 \tfor x in y:\n- 64 \t\told\n+ 64 \t\tnew\n  65 \n"
    (change,) = changes_of(call("edit", path="a.py"), answer("ok", "edit", {"diff": pi}))
    assert numbered(change) == [
        ("…", 0, ""), (" ", 63, "\tfor x in y:"), ("-", 64, "\t\told"), ("+", 64, "\t\tnew"), (" ", 65, ""),
    ]  # fmt: skip
    assert (change.path, change.counts) == ("a.py", (1, 1))
    hunks = [
        {"oldStart": 8, "newStart": 9, "lines": [" a", "-b", "+c", "+d", " e", "\\ No newline at end of file"]},
        {"oldStart": "x", "newStart": 0, "lines": ["+f"]},
    ]
    (change,) = changes_of(None, answer("ok", "Edit", {"structuredPatch": hunks}))
    assert [line.number for line in change.lines] == [9, 9, 10, 11, 12, 0, 0]
    unified = "Index: a\n===\n--- a\n+++ a\n@@ -3,2 +3,2 @@\n x\n-y\n+z\n@@ -9 +9 @@ def f\n-q\n"
    (change,) = changes_of(None, answer("ok", "edit", {"metadata": {"diff": unified}}))
    assert numbered(change) == [(" ", 3, "x"), ("-", 4, "y"), ("+", 4, "z"), ("…", 0, ""), ("-", 9, "q")]
    assert changes_of(None, answer("ok", "edit", {"diff": "+ 1 x"}))[0].numbers == [1]


def test_a_patch_is_a_change_of_each_of_its_files() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn main() {\n let a;\n-let b;\n"
        "+let c;\n@@\n-x\n"
        "*** Add File: n.md\n+# N\n*** Delete File: o.txt\n*** End of File\n*** End Patch\nrest"
    )
    first, second, third = changes_of(call("apply_patch", input=patch), answer("Done!", "apply_patch"))
    assert (first.path, first.moved, first.verb, first.text, first.numbers) == (
        "a.rs", "b.rs", "", " fn main() {\n let a;\n-let b;\n+let c;\n…\n-x", (),
    )  # fmt: skip
    assert (second.path, second.verb, second.text) == ("n.md", "Add", "+# N")
    assert (third.path, third.verb, third.counts) == ("o.txt", "Delete", (0, 0))
    assert words("apply_patch", call("apply_patch", input=patch), answer("Done!", "apply_patch")) == [
        ("+2", "good"), ("−2", "bad"),
    ]  # fmt: skip
    assert patch_changes("*** Begin Patch\nodd") == []


@given(st.text(alphabet="+- @0123456789,.\n*…ab"))
def test_any_difference_is_read(text: str) -> None:
    assert len(diff_lines(text)) <= text.count("\n") + 2
    patch_changes("*** Begin Patch\n*** Add File: x\n" + text)


def test_changes_of_a_patch() -> None:
    given = answer("ok", "Edit", {"structuredPatch": [{"lines": [" a", "-b", "+c"]}, {"lines": "odd"}, "odd"]})
    assert lines_of(None, given) == " a\n-b\n+c"


@pytest.mark.parametrize(
    "arguments",
    [
        {"oldText": "a\nb\nc", "newText": "a\nB\nc"},
        {"old_string": "a\nb\nc", "new_string": "a\nB\nc"},
        {"edits": [{"old_str": "a\nb\nc", "new_str": "a\nB\nc"}, "odd", {}]},
    ],
)
def test_changes_from_the_arguments(arguments: dict[str, Any]) -> None:
    lines = lines_of(call("edit", **arguments), answer("ok", "edit")).splitlines()
    assert lines == [" a", "-b", "+B", " c"]


def test_changes_at_several_places_are_kept_apart() -> None:
    text = [str(number) for number in range(20)]
    other = ["x", *text[1:-1], "y"]
    edit = call("edit", oldText="\n".join(text), newText="\n".join(other))
    assert lines_of(edit, None).splitlines() == ["-0", "+x", " 1", " 2", "…", " 17", " 18", "-19", "+y"]
    two = call("edit", edits=[{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}])
    assert lines_of(two, None).splitlines() == ["-a", "+b", "…", "-c", "+d"]


def test_very_long_changes_are_counted_only() -> None:
    edit = call("edit", oldText="a\n" * 2000, newText="b\n" * 1500)
    assert words("edit", edit, answer("ok", "edit")) == [("+1500", "good"), ("−2000", "bad")]


@given(
    st.text(),
    st.recursive(st.none() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)),
)
def test_anything_at_all_is_survived(text: str, value: Any) -> None:
    for details in (text, value, {"structuredPatch": value, "diff": value, "exitCode": value}):
        given_answer = answer(text, "bash", details)
        outcomes("bash", ToolCall("c", "bash", text), given_answer)
        outcomes("edit", ToolCall("c", "edit", json.dumps({"edits": value, "oldText": value})), given_answer)
    main_argument({"path": value, "x": text})
