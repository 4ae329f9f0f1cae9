"""Results of tools are taken apart: lines, their numbers, and the words of the tool around them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.tool_calls.results import (
    MOST_CHARACTERS,
    MOST_LINES,
    ResultForm,
    ToolResult,
    first_line,
    found_lines,
    last_line,
    literals,
    numbered_lines,
    path_of,
    tool_result,
)

CODEX = "Chunk ID: 1a2b3c\nWall time: 0.2 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n"


def lines(found: ToolResult) -> list[tuple[int, str]]:
    return list(zip(found.numbers, found.text.split("\n"), strict=True))


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("Read", "     7→def f():\n     8→\tpass"),  # Claude Code until 2025
        ("Read", "7\tdef f():\n8\t\tpass"),
        ("bash", "     7\tdef f():\n     8\t\tpass"),  # cat -n
        ("read", "<file>\n00007| def f():\n00008| \tpass\n</file>"),  # opencode until 2025
        ("read", "<path>/a.py</path>\n<type>file</type>\n<content>\n7: def f():\n8: \tpass\n</content>"),
        ("view", "7. def f():\n8. \tpass"),  # Copilot CLI
        ("read_file", "def f():\n\tpass"),  # pi, Gemini: without numbers
    ],
)
def test_the_numbers_of_a_tool_become_the_numbers_of_the_lines(tool: str, text: str) -> None:
    found = tool_result(tool, {"file_path": "/a.py", "offset": 7, "command": "nl -ba /a.py"}, text)
    assert found.form is ResultForm.FILE
    assert lines(found) == [(7, "def f():"), (8, "\tpass")]
    assert found.path == "/a.py"
    assert (found.before, found.after) == ("", "")


def test_words_of_the_tool_stand_apart_from_the_file() -> None:
    read = "1\ta\n2\tb\n\n<system-reminder>\nLook out.\n</system-reminder>"
    assert tool_result("Read", {}, read).after == "Look out."
    cut = "a\nb\n\n[3 more lines in file. Use offset=3 to continue.]"
    found = tool_result("read", {"path": "x"}, cut)
    assert (found.text, found.after) == ("a\nb", "[3 more lines in file. Use offset=3 to continue.]")
    gemini = (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 9 total lines.\n"
        "Action: Read on.\n\n--- FILE CONTENT (truncated) ---\nc\nd"
    )
    found = tool_result("read_file", {"start_line": 3}, gemini)
    assert lines(found) == [(3, "c"), (4, "d")]
    assert found.before.splitlines()[::2] == ["IMPORTANT: The file content has been truncated.", "Action: Read on."]


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("Read", "File unchanged since last read."),
        ("read", " \n"),
        ("edit", "1. Only one line"),
        ("grep", "No matches found"),
        ("glob", ""),
    ],
)
def test_a_message_of_a_tool_is_no_file(tool: str, text: str) -> None:
    found = tool_result(tool, {}, text)
    assert (found.form, found.text, found.numbers) == (ResultForm.OUTPUT, text, ())


def test_a_failed_result_is_output() -> None:
    assert tool_result("Read", {}, "1\ta\n2\tb", failed=True).form is ResultForm.OUTPUT


def test_lines_whose_numbers_do_not_rise_by_one_are_no_lines_of_a_file() -> None:
    found = numbered_lines("1\ta\n2\tb\n9\tc")
    assert found is not None
    assert (found.text, found.after) == ("a\nb", "9\tc")
    assert numbered_lines("1. a\n3. b") is None
    assert numbered_lines("Steps\n1. a\n2. b") is None
    assert numbered_lines("0\ta") is None
    assert numbered_lines("\n" * 20) is None


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({}, 1, 0), ({"offset": 0}, 1, 0), ({"offset": 10, "limit": 5}, 10, 14), ({"offset": True}, 1, 0),
        ({"startLine": 3, "endLine": 9}, 3, 9), ({"view_range": [4, 8]}, 4, 8), ({"view_range": [4, "x"]}, 4, 0),
        ({"view_range": []}, 1, 0), ({"offset": 10**12}, 1, 0), ({"limit": -3}, 1, 0),
        ({"view_range": [4, -1]}, 4, 0),
    ],
)  # fmt: skip
def test_the_part_of_a_file_that_is_read(arguments: dict[str, Any], first: int, last: int) -> None:
    assert (first_line(arguments), last_line(arguments)) == (first, last)


def test_the_file_of_a_call() -> None:
    assert path_of({"path": 3, "filePath": "/b"}) == "/b"
    assert path_of({}) == ""


def test_a_text_that_is_too_long_keeps_its_lines() -> None:
    text = "x\r\n" * MOST_CHARACTERS
    found = tool_result("read", {"path": "a.py", "offset": 5}, text)
    assert (found.form, found.numbers, found.path) == (ResultForm.FILE, range(5, MOST_CHARACTERS + 6), "a.py")
    assert "\r" not in found.text
    for tool, long in (("Read", "1\tx\n" * MOST_CHARACTERS), ("bash", text)):
        assert tool_result(tool, {}, long).form is ResultForm.OUTPUT
    coloured = "\x1b[31mred\x1b[0m\n" * (MOST_CHARACTERS // 8)
    assert tool_result("bash", {}, coloured).text == "red\n" * (MOST_CHARACTERS // 8)
    assert "\x1b" in tool_result("bash", {}, coloured * 4).text, "so long that removing them takes a frame"


def test_a_text_of_very_many_lines_is_not_taken_apart() -> None:
    text = "a:1:x\n" * (MOST_LINES + 1)
    assert tool_result("Grep", {}, text) == ToolResult(ResultForm.OUTPUT, text)
    assert tool_result("Grep", {}, text[6:]).form is ResultForm.MATCHES
    assert tool_result("WebFetch", {}, "x\n" * (MOST_LINES + 1)).form is ResultForm.PROSE
    assert tool_result("WebFetch", {}, "x\n" * (MOST_LINES + 1), failed=True).form is ResultForm.OUTPUT


# -- commands ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("cat a/b.py", 1), ("cat 'a/b.py'", 1), ('cat "a/b.py"', 1), ("sed -n '5,9p' a/b.py", 5),
        ("sed -n 5p a/b.py", 5),
        ("head -n 20 a/b.py", 1), ("head -20 a/b.py", 1), ("nl -ba a/b.py", 1), ("cd /x && cat a/b.py", 1),
        ('cd "/x y" ; cat a/b.py', 1), ("bat -p a/b.py", 1),
    ],
)  # fmt: skip
def test_a_command_that_prints_a_file_shows_the_file(command: str, first: int) -> None:
    found = tool_result("exec_command", {"cmd": command}, f"{CODEX}a\nb\n")
    assert (found.form, found.path) == (ResultForm.FILE, "a/b.py")
    assert lines(found) == [(first, "a"), (first + 1, "b")]
    assert found.before == CODEX.removesuffix("\nOutput:\n")


def test_numbers_that_a_command_prints_are_used() -> None:
    arguments = {"command": ["bash", "-lc", "nl -ba a.c | sed -n '3,4p'"]}
    assert lines(tool_result("shell", arguments, "     3\tx\n     4\ty\n")) == [(3, "x"), (4, "y")]


@pytest.mark.parametrize("command", ["cat a b", "cat a | wc -l", "cat $HOME/x", "make", "", "sed -n '1p;3p' a"])
def test_the_output_of_other_commands_has_numbers_of_its_own(command: str) -> None:
    found = tool_result("bash", {"command": command}, "\x1b[32mok\x1b[0m\n10 %\r20 %\nend\n")
    assert found.form is ResultForm.OUTPUT
    assert list(found.numbers) == [1, 2, 3]
    assert found.text.startswith("ok\n20 %\nend")


def test_what_an_agent_writes_around_an_output_stands_apart() -> None:
    gemini = tool_result("run_shell_command", {"command": "x"}, "Output: a\nb\nExit Code: 1\nProcess Group PGID: 7")
    assert (gemini.text, gemini.after) == ("a\nb", "Exit Code: 1\nProcess Group PGID: 7")
    copilot = tool_result("bash", {"command": 3}, "a\n<shellId: 0 completed with exit code 0>")
    assert (copilot.text, copilot.after) == ("a", "<shellId: 0 completed with exit code 0>")
    assert tool_result("bash", {"command": ["ls", "-l"]}, "Exit Code: 1").text == "Exit Code: 1"


@pytest.mark.parametrize(
    ("text", "form"),
    [('{"a": 1}\n', ResultForm.JSON), ('{"a": 1}\n{"b": 2}', ResultForm.OUTPUT), ("[x]", ResultForm.OUTPUT)],
)
def test_json_is_told_from_other_output(text: str, form: ResultForm) -> None:
    for tool in ("bash", "mcp__db__query_rows"):
        found = tool_result(tool, {}, text)
        assert found.form is form
    assert tool_result("WebFetch", {}, "# Title").form is ResultForm.PROSE


# -- searches ------------------------------------------------------------------------------------------------------


def test_matches_stand_below_the_names_of_their_files() -> None:
    text = "a.py:3:import x\na.py-4-\na.py-5-y-6-z\n--\nC:\\b c.py:12:\timport x\nodd\n\n[Results truncated]"
    found = tool_result("Grep", {"pattern": "import", "path": "/p"}, text)
    assert found.form is ResultForm.MATCHES
    assert lines(found) == [
        (0, "a.py"), (3, "import x"), (4, ""), (5, "y-6-z"), (0, ""),
        (0, "C:\\b c.py"), (12, "\timport x"), (0, "odd"),
    ]  # fmt: skip
    assert found.heads == {0, 5}
    assert (found.path, found.words, found.after) == ("", ("import",), "[Results truncated]")


def test_the_name_of_a_file_may_look_like_a_number() -> None:
    found = found_lines("b-2-c.py:1:x\nb-2-c.py-3-y\nb-2-d.py-4-z")
    assert found is not None
    assert lines(found) == [(0, "b-2-c.py"), (1, "x"), (3, "y"), (0, "b-2-d.py-4-z")]


def test_matches_in_one_file_belong_to_it() -> None:
    found = tool_result("Grep", {"pattern": "x+", "path": "/p/a.py"}, "3:xx\n4-y\n--\n9:x")
    assert lines(found) == [(3, "xx"), (4, "y"), (0, ""), (9, "x")]
    assert (found.path, found.words, found.heads) == ("/p/a.py", (), frozenset())


@pytest.mark.parametrize(
    "text",
    [
        'Found 3 matches for pattern "x" in path ".":\n---\nFile: a.ts\nL3: x\nL9: xy\n---\nFile: b.ts\nL1: x\n---',
        "Found 3 matches\na.ts:\n  Line 3: x\n  Line 9: xy\n\nb.ts:\n  Line 1: x",
    ],
)
def test_matches_as_gemini_and_opencode_print_them(text: str) -> None:
    found = found_lines(text)
    assert found is not None
    assert lines(found) == [(0, "a.ts"), (3, "x"), (9, "xy"), (0, ""), (0, "b.ts"), (1, "x")]
    assert found.after.startswith("Found 3 matches")


def test_commands_that_search_are_searches() -> None:
    found = tool_result("bash", {"command": "cd /p && grep -rn 'x' src/a.py"}, "3:x\n7:xx\n")
    assert (found.form, found.path) == (ResultForm.MATCHES, "src/a.py")
    assert tool_result("bash", {"command": "rg -n x | head"}, "a:1:x\n").heads == {0}
    assert tool_result("bash", {"command": "grep x log"}, "10:30:11 x\n").form is ResultForm.OUTPUT
    assert tool_result("bash", {"command": "rg -n x log"}, "2026-01-02\n2026-01-02\n").form is ResultForm.OUTPUT
    assert tool_result("bash", {"command": "find . -name x | sort"}, "./a\n").form is ResultForm.OUTPUT
    assert tool_result("bash", {"command": "find . -name x"}, "./a\n./b\n").form is ResultForm.PATHS


def test_names_of_files() -> None:
    found = tool_result("list_directory", {}, "Directory listing for /p:\n[DIR] src\na.py (65 bytes)")
    assert (found.form, found.before, found.text) == (
        ResultForm.PATHS, "Directory listing for /p:", "[DIR] src\na.py (65 bytes)",
    )  # fmt: skip
    assert tool_result("Grep", {}, "src/a.py\nsrc/b.py").form is ResultForm.PATHS
    assert tool_result("glob", {}, "No files found").form is ResultForm.OUTPUT


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("foo", ("foo",)), ("a|b|a", ("a", "b")), (r"x\.y\(", ("x.y(",)), (r"\bword\b", ("word",)), ("a.c", ()),
        (r"\d+", ()), ("", ()), (None, ()), ("x" * 201, ()), ("a|(b", ()), ("|", ()),
    ],
)  # fmt: skip
def test_only_plain_words_of_a_pattern_are_marked(pattern: object, words: tuple[str, ...]) -> None:
    assert literals(pattern) == words


# -- anything ------------------------------------------------------------------------------------------------------

ODD = st.text(alphabet="a1:-\n\r\t→|. <>/{}[]\"'\\\x1b", max_size=80)


@given(st.sampled_from(["Read", "bash", "grep", "ls", "WebFetch", "x"]), ODD, ODD)
def test_any_result_has_a_number_for_each_line_or_none(tool: str, text: str, argument: str) -> None:
    arguments = {"path": argument, "pattern": argument, "command": argument, "cmd": f"rg -n {argument}"}
    found = tool_result(tool, arguments, text)
    if found.numbers and found.form is not ResultForm.OUTPUT:
        assert len(found.numbers) == found.text.count("\n") + 1
    assert tool_result(tool, {}, text, failed=True).form in (ResultForm.OUTPUT, ResultForm.JSON, ResultForm.MATCHES,
                                                              ResultForm.PATHS)  # fmt: skip


def test_hostile_results_take_no_time() -> None:
    hostile = ("a" * 190_000, ":" * 190_000, "a-1-" * 47_000, "x:1:\n" * 38_000, "1\t\n" * 60_000, "(" * 190_000,
               "<system-reminder>" * 11_000, "\n\n[" * 60_000, "Line 1\n" * 27_000, " " * 190_000)  # fmt: skip
    for tool, command in (
        ("read", ""),
        ("grep", ""),
        ("ls", ""),
        ("bash", "rg -n x"),
        ("bash", "cat " + "'" * 9_000),
    ):
        for text in hostile:
            begun = time.process_time()
            tool_result(tool, {"command": command, "pattern": "(" * 200, "path": text[:400]}, text)
            assert time.process_time() - begun < 1, (tool, text[:8])


# -- envelopes -----------------------------------------------------------------------------------------------------

CLINE = '{"query":"/app/a.py:7-8","result":"7 | def f():\\n8 | \\tpass","success":true}'


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("read_files", {"files": [{"path": "/a.py", "start_line": 7}]}, CLINE),
        ("read_file", {"filePath": "/a.py", "startLine": 7}, "```python\ndef f():\n\tpass\n```"),  # VS Code
        (
            "read_file",
            {"filePath": "/a.py", "offset": 7},
            "File: `/a.py`. Lines 7 to 8\n```python\ndef f():\n\tpass\n```",
        ),
        ("Read", {"filepath": "/a.py", "offset": 7}, "Content of /a.py:\ndef f():\n\tpass"),  # Continue
        ("builtin_read_file", {"filepath": "/a.py", "offset": 7}, "def f():\n\tpass"),
        ("read_file_v2", {"targetFile": "/a.py", "offset": 7}, '{"contents": "def f():\\n\\tpass"}'),  # Cursor
        ("text_editor", {"command": "view", "path": "/a.py"}, "### /a.py\n```python\n7: def f():\n8: \tpass\n```\n"),
        ("view", {"file_path": "/a.py"}, "<file>\n     7|def f():\n     8|\tpass\n</file>"),  # Crush
        (
            "read_file",
            {"path": "/a.py"},
            '<files><file><path>/a.py</path><content lines="7-8">\n7 | def f():\n8 | \tpass\n'
            "</content></file></files>",
        ),
    ],
)
def test_a_file_is_taken_out_of_what_its_tool_puts_around_it(tool: str, arguments: dict[str, Any], text: str) -> None:
    found = tool_result(tool, arguments, text)
    assert found.form is ResultForm.FILE
    assert lines(found) == [(7, "def f():"), (8, "\tpass")]
    assert found.path == "/a.py"


def test_several_files_stand_below_their_names() -> None:
    one = '{"query":"a.py","result":"1 | x\\n2 | y"}\n{"query":"b.py:4-4","result":"z"}'
    found = tool_result("read_files", {"files": [{"path": "a.py"}, {"path": "b.py"}]}, one)
    assert found.form is ResultForm.MATCHES
    assert lines(found) == [(0, "a.py"), (1, "x"), (2, "y"), (0, ""), (0, "b.py"), (4, "z")]
    assert found.heads == {0, 4}
    assert found.path == "a.py"
    gemini = tool_result("read_many_files", {"paths": ["a.py", "b.c"]}, "--- a.py ---\n\nx\n\n--- b.c ---\n\ny\n")
    assert lines(gemini) == [(0, "a.py"), (1, "x"), (0, ""), (0, "b.c"), (1, "y")]
    assert gemini.path == "", "two languages"


def test_commands_of_one_call_stand_below_each_other() -> None:
    text = '[{"query":"ls","result":"a\\nb"},{"query":"","result":"done","exit_code":1}]'
    found = tool_result("run_commands", {"commands": ["ls", "false"]}, text)
    assert lines(found) == [(0, "ls"), (1, "a"), (2, "b"), (0, ""), (1, "done")]
    assert sorted(found.heads) == [0]
    assert found.after == "exit_code: 1"
    failed = tool_result("run_commands", {}, text, failed=True)
    assert failed.text == found.text


@pytest.mark.parametrize(
    ("text", "shown", "before"),
    [
        ('{"output":"ok\\n","metadata":{"exit_code":0,"seconds":0.1}}', "ok\n", "exit_code: 0 · seconds: 0.1"),
        ('{"stdout":"a\\n","stderr":"b","exitCode":2}', "a\nb", "exitCode: 2"),
        ('{"output":"x","success":true,"note":null}', "x", "note: null"),
    ],
)  # fmt: skip
def test_the_output_of_a_command_is_taken_out_of_json(text: str, shown: str, before: str) -> None:
    found = tool_result("shell", {"command": "make"}, text)
    assert (found.form, found.text, found.before) == (ResultForm.OUTPUT, shown, before)


@pytest.mark.parametrize(
    "text",
    [
        '{"output":["a"]}',
        '{"output":"a","files":[1,2]}',
        '{"output":"a","metadata":{"title":"words"}}',
        '{"output":"a","long":"' + "x" * 300 + '"}',
        '["a"]',
        '{"output":',
        '{"output": }',
        "[" * 5000 + "]" * 5000,
        "[]",
    ],
)
def test_json_that_is_more_than_an_envelope_stays_as_it_is(text: str) -> None:
    assert tool_result("shell", {"command": "make"}, text).text == text


def test_a_file_of_json_is_shown_as_it_is() -> None:
    found = tool_result("read", {"path": "a.json"}, '{"content": "a", "version": 3}')
    assert (found.form, found.text) == (ResultForm.FILE, '{"content": "a", "version": 3}')


def test_json_of_an_unknown_tool_stays_json() -> None:
    found = tool_result("mcp__x__lookup", {}, '{"result":"a"}')
    assert (found.form, found.text) == (ResultForm.JSON, '{"result":"a"}')


def test_a_message_in_place_of_a_file_has_no_numbers() -> None:
    said = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    assert tool_result("Read", {"file_path": "a"}, said).form is ResultForm.OUTPUT


def test_matches_in_tags_and_in_sections() -> None:
    tags = (
        '2 matches<match path="/a.ts" line=3>\n\none\ntwo\n</match>\n<match path="/b.ts" line=7>\nthree\n</match>\n'
    )
    found = tool_result("grep_search", {"query": "o"}, tags)
    assert lines(found) == [(0, "/a.ts"), (3, "one"), (4, "two"), (0, ""), (0, "/b.ts"), (7, "three")]
    assert (found.after, found.words) == ("2 matches", ("o",))
    zed = (
        "Found 2 matches:\n\n## Matches in a.rs\n\n### fn f › L12-13\n```\nfn f() {\n```\n\n### L30\n```\nf();\n```\n"
    )
    found = tool_result("grep", {"regex": "f"}, zed)
    assert lines(found) == [(0, "a.rs"), (12, "fn f() {"), (0, ""), (30, "f();")]
    assert found.after == "Found 2 matches:"
