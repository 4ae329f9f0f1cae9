"""What one line says of a tool call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.gui.cards.tool_line import argument_line, exit_code, outcomes, within
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
def test_the_argument_line(arguments: dict[str, Any], expected: str) -> None:
    assert argument_line(arguments) == expected


def test_a_long_argument_is_cut() -> None:
    assert len(argument_line({"command": "x" * 100_000})) == 400


def test_paths_read_from_inside_the_folder() -> None:
    assert within("/home/me/p", "/home/me/p/src/a.py") == "src/a.py"
    assert within("/home/me/p", "cd /home/me/p && npm test") == "npm test"
    assert within("/home/me/p", "/home/me/pq/a.py") == "/home/me/pq/a.py"
    assert within("", "/a") == "/a"


def test_a_call_without_result() -> None:
    assert words("read", call("read"), None) == [("no result yet", "faint")]


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
    argument_line({"path": value, "x": text})
