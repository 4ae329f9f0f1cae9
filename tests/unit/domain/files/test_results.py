from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.files.requests import FileAct, FileRequest
from stemmata.domain.files.results import LinesRead, lines_read
from stemmata.domain.tool_calls.shell_reads import ShellRead


def read(text: str, details: dict[str, Any] | None = None, **asked: Any) -> LinesRead | None:
    request = FileRequest(act=FileAct.READ, path="a", **asked)
    result = Entry(id="r", blocks=(Text(text),), details=json.dumps(details) if details else "")
    return lines_read(request, result)


def whole(text: str, total: int | None = None) -> LinesRead:
    return LinesRead(text, 1, total, is_whole=True)


def test_claude_code_tells_the_lines_beside_the_text() -> None:
    file = {"content": "a\r\nb", "startLine": 1, "totalLines": 2}
    assert read("", {"file": file}) == whole("a\nb", 2)
    assert read("", {"file": file | {"startLine": 4, "totalLines": 9}}) == LinesRead("a\nb", 4, 9)
    assert read("", {"file": file | {"totalLines": "x"}}) == LinesRead("a\nb", 1, None)
    assert read("", {"file": {"content": 7}}) is None
    assert read("", {"file": file | {"startLine": 0}}) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("     1→a\n     2→b", whole("a\nb", 2)),
        ("1\ta\n2\t", whole("a\n", 2)),
        ("1\ta\n\n<system-reminder>\nx\n</system-reminder>", whole("a", 1)),
        ("7\ta\n8\tb", LinesRead("a\nb", 7)),
        ("<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>", whole("a\nb", 2)),
        ("<path>/a</path>\n<type>file</type>\n<content>\n1: a\n2: b\n\n(File has more lines.)\n</content>",
         LinesRead("a\nb", 1)),
        ("1. a", whole("a", 1)),
        ("1\ta\n3\tb", LinesRead("a", 1)),
        ("1\ta\n2: b", LinesRead("a", 1)),
        ("no such file", None),
        ("", None),
        ("1\t" + "x" * 2_000, None),
        ("1\tabc (line truncated", None),
    ],
)  # fmt: skip
def test_numbered_lines_are_read(text: str, found: LinesRead | None) -> None:
    assert read(text, tool="Read") == found


def test_the_answer_of_cline_has_an_object_for_each_file() -> None:
    text = '{"query":"a","result":"1 | x\\n2 | y"}\n{"query":"b:3-3","result":"3 | z"}'
    assert read(text, tool="read_files") == whole("x\ny", 2)
    assert read(text.replace('"a"', '"c"'), tool="read_files") is None


def test_a_part_is_not_the_whole_file() -> None:
    assert read("1\ta\n2\tb", is_part=True) == LinesRead("a\nb", 1)
    assert read("\n".join(f"{at}\tx" for at in range(1, 2_001))) == LinesRead("\n".join(["x"] * 2_000), 1)


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("a\nb\n", {}, whole("a\nb\n")),
        ("a\nb", {"is_part": True, "first": 3}, LinesRead("a\nb", 3, 4)),
        ("a\nb\n\n[7 more lines in file. Use offset=3 to continue]", {"is_part": True}, LinesRead("a\nb", 1, 9)),
        ("a\n\n\n[7 more lines in file. Use offset=6 to continue]", {"first": 4}, LinesRead("a\n", 4, 12)),
        ("a\nb\n\n[Showing lines 1-2 of 9 (50.0KB limit). Use offset=3]", {}, LinesRead("a\nb", 1, 9)),
        ("a\nb\n\n[Showing lines 1-3 of 9 (50.0KB limit). Use offset=3]", {}, None),
        ("[Line 1 is 60.0KB, exceeds 50.0KB limit.]", {}, None),
    ],
)
def test_the_plain_text_of_pi_is_read(text: str, asked: dict[str, Any], found: LinesRead | None) -> None:
    assert read(text, tool="read", is_plain=True, **asked) == found


def test_the_plain_text_of_gemini_is_read() -> None:
    head = "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 9 total lines.\n"
    mark = "--- FILE CONTENT (truncated) ---\n"
    asked: dict[str, Any] = {"tool": "read_file", "is_plain": True}
    assert read(f"{head}{mark}a\nb\n", is_part=True, **asked) == LinesRead("a\nb", 3, 9)
    assert read("[File content truncated: showing lines 1-2 of 2 total lines.]\na\nb", **asked) == whole("a\nb", 2)
    assert read(f"{head}{mark}a\nb ... [truncated]", **asked) is None
    assert read("a\nb", **asked) == whole("a\nb")
    assert read("a\nb", is_part=True, **asked) is None


def test_what_a_command_printed_is_read_only_when_it_is_certain() -> None:
    part: dict[str, Any] = {"shell": ShellRead("a", first=3, count=2), "tool": "Bash"}
    assert read("c\nd\n", **part) == LinesRead("c\nd", 3)
    assert read("c\n", **part) is None  # the file may end there, or an empty line was removed
    assert read("a\nb\n", shell=ShellRead("a"), tool="exec_command") == whole("a\nb\n")
    assert read("a\nb", shell=ShellRead("a"), tool="Bash") is None
    assert read("…9 tokens truncated…", shell=ShellRead("a"), tool="exec_command") is None
    numbered: dict[str, Any] = {"shell": ShellRead("a", first=3, count=2, numbered=True), "tool": "bash"}
    assert read("     3\tc\n     4\td\n", **numbered) == LinesRead("c\nd", 3)
    assert read("     4\tc\n", **numbered) is None
    assert read("nothing", **numbered) is None


def test_a_picture_is_no_text() -> None:
    request = FileRequest(act=FileAct.READ, path="a", tool="Read")
    assert lines_read(request, Entry(id="r", blocks=(Image("image/png", "0"), Text("1\ta")))) is None


def test_a_read_ends_at_its_last_line() -> None:
    assert LinesRead("a\nb", 3).last == 4
