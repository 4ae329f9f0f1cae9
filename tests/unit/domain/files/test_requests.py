from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.files import requests
from stemmata.domain.files.requests import FileAct, FileRequest, Replacement, file_path, requests_of
from stemmata.domain.files.state import Hunk
from stemmata.domain.tool_calls.shell_reads import ShellRead, printed, shell_read


def asked(tool: str, **arguments: Any) -> list[FileRequest]:
    return [*requests_of(ToolCall("c", tool, json.dumps(arguments)), "/w")]


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("a.py", "/w", "/w/a.py"),
        ("./x/../a.py", "/w/", "/w/a.py"),
        ("/t/a.py", "/w", "/t/a.py"),
        ("a.py", "", "a.py"),
        ("~/a.py", "/w", "~/a.py"),
        ("x\\a.py", "C:\\w", "C:/w/x/a.py"),
        ("C:\\w\\a.py", "", "C:/w/a.py"),
        ("a\\b", "/w", "/w/a\\b"),
        (" ", "/w", ""),
    ],
)
def test_a_path_has_one_form(path: str, folder: str, found: str) -> None:
    assert file_path(path, folder) == found


@pytest.mark.parametrize(
    ("tool", "arguments", "act", "edits"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}, FileAct.EDIT,
         (Replacement("x", "y", True),)),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y\r\n"}, 7, {}]},
         FileAct.EDIT, (Replacement("x", "y\n"),)),
        ("edit", {"path": "a", "oldText": "x", "newText": "y"}, FileAct.EDIT, (Replacement("x", "y"),)),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}, FileAct.EDIT, (Replacement("x", "y"),)),
        ("replace", {"file_path": "a", "old_string": "x", "new_string": "y", "expected_replacements": 2},
         FileAct.EDIT, (Replacement("x", "y", True),)),
        ("str_replace_editor", {"path": "a", "command": "str_replace", "old_str": "x", "new_str": "y"},
         FileAct.EDIT, (Replacement("x", "y"),)),
        ("Write", {"file_path": "a", "content": "t"}, FileAct.WRITE, ()),
        ("write_file", {"file_path": "a", "content": "t"}, FileAct.WRITE, ()),
        ("create", {"path": "a", "file_text": "t"}, FileAct.WRITE, ()),
        ("edit", {"path": "a", "command": "create", "file_text": "t"}, FileAct.WRITE, ()),
        ("edit", {"filePath": "a", "content": "t"}, FileAct.OTHER, ()),
        ("NotebookEdit", {"notebook_path": "a", "new_source": "x"}, FileAct.OTHER, ()),
        ("delete_file", {"path": "a"}, FileAct.DELETE, ()),
        ("Read", {"file_path": "a"}, FileAct.READ, ()),
        ("view", {"path": "a", "view_range": [1, 2]}, FileAct.READ, ()),
    ],
)  # fmt: skip
def test_the_tools_of_all_agents_are_understood(
    tool: str, arguments: dict[str, Any], act: FileAct, edits: tuple[Replacement, ...]
) -> None:
    [request] = asked(tool, **arguments)
    assert (request.path, request.act, request.edits) == ("/w/a", act, edits)
    assert request.text == ("t" if act is FileAct.WRITE else "")
    assert request.act.is_change is (act is not FileAct.READ)


def test_lines_are_inserted_at_a_number() -> None:
    [request] = asked("edit", path="a", command="insert", insert_line=2, insert_text="x\ny\n")
    assert request.hunks == (Hunk(3, (), ("x", "y")),)
    [request] = asked("edit", path="a", insert_line=-1, new_str="x")
    assert request.hunks == ()


def test_a_read_tells_whether_it_is_of_a_part_and_plain() -> None:
    [pi] = asked("read", path="a", offset=3, limit=2)
    assert (pi.is_part, pi.first, pi.is_plain) == (True, 3, True)
    [gemini] = asked("mcp__files__read_file", path="a")
    assert (gemini.is_part, gemini.first, gemini.is_plain) == (False, None, True)
    [opencode] = asked("read", filePath="a")
    assert not opencode.is_plain


def test_a_patch_names_its_files() -> None:
    patch = ("*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n"
             "@@\n-x\n+y\n*** Update File:  \n*** End Patch")  # fmt: skip
    for arguments in ({"input": patch}, {"command": ["apply_patch", patch, 7]}):
        add, delete, update = asked("apply_patch", **arguments)
        assert (add.act, add.path, add.text) == (FileAct.WRITE, "/w/a", "x\n")
        assert (delete.act, delete.path) == (FileAct.DELETE, "/w/b")
        assert (update.act, update.path) == (FileAct.EDIT, "/w/c")
        assert update.patch is not None
        assert update.patch.moved == "/w/d"


def test_a_command_that_prints_a_file_reads_it() -> None:
    [read] = asked("exec_command", cmd="cd sub && sed -n '3,5p' a.py", workdir="x")
    assert (read.path, read.act, read.is_part) == ("/w/x/sub/a.py", FileAct.READ, True)
    [read] = asked("bash", command="cat a.py")
    assert (read.path, read.is_part) == ("/w/a.py", False)
    assert asked("bash", command="make") == []


def test_a_call_without_a_file_asks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked("web_search", query="x") == []
    assert asked("Read", file_path=" ") == []
    assert asked("bash", command="cat ' '") == []
    monkeypatch.setattr(requests, "MOST_ARGUMENTS", 5)
    assert asked("Read", file_path="a") == []


@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("cat a.py", ShellRead("a.py")),
        ("bat -p ~/a.py", ShellRead("~/a.py")),
        ("cd src && cat 'my file.py'", ShellRead("my file.py", "src")),
        ("cat -n a", ShellRead("a", numbered=True)),
        ("nl -ba a", ShellRead("a", numbered=True)),
        ("sed -n 7p a", ShellRead("a", first=7, count=1)),
        ("sed -n '7,9p' a", ShellRead("a", first=7, count=3)),
        ("head -n 5 a", ShellRead("a", count=5)),
        ("head -5 a", ShellRead("a", count=5)),
        ("nl -ba a | sed -n '7,9p'", ShellRead("a", first=7, count=3, numbered=True)),
        *(
            (command, None)
            for command in (
                "cat", "cat a b", "cat -A a", "cat a; rm a", "cat a > b", "cat a && ls", "sed -n '9,7p' a",
                "sed -n '/x/p' a", "sed -i s/a/b/ a", "cat *.py", "cat 'a", "cat a | sed -n 1p", "nl -ba a | wc -l",
                "nl -ba a | sed -n '9,7p'", "head -x a", "cat " + "a" * 2_000, "echo $(cat a)", "sed -n 0p a",
            )
        ),
    ],
)  # fmt: skip
def test_only_commands_that_print_a_file_and_nothing_else_are_reads(command: str, read: ShellRead | None) -> None:
    assert shell_read(command) == read


def test_what_a_command_printed_is_told_without_the_lines_of_codex() -> None:
    head = "Command: /bin/zsh -lc ls\nChunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
    assert printed(f"{head}a\nb\n") == "a\nb\n"
    assert printed("a\n") == "a\n"
    assert printed("a\n…120 tokens truncated…\nb") is None
