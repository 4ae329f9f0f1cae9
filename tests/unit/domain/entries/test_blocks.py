"""Blocks in the form in which the archive stores them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import (
    Image,
    Text,
    Thinking,
    ToolCall,
    UnknownBlock,
    arguments_of,
    command_line,
    decode,
    encode,
    main_argument,
    text_to_copy,
)


def test_a_block_of_a_later_version_is_kept() -> None:
    rows: list[list[Any]] = [["t", "before"], ["later", "é", None, [1]], ["t", "behind"]]
    before, unknown, behind = decode(rows)
    assert (before, behind) == (Text("before"), Text("behind"))
    assert isinstance(unknown, UnknownBlock)
    assert (unknown.type, json.loads(unknown.json)) == ("later", ["é", None, [1]])
    assert decode(encode([unknown])) == (unknown,)


def test_arguments_that_are_no_object_are_empty() -> None:
    assert arguments_of(ToolCall("c", "read", '{"path": "a"}')) == {"path": "a"}
    assert arguments_of(ToolCall("c", "read", '["a"]')) == {}
    assert arguments_of(ToolCall("c", "read", '{"path": ')) == {}
    assert arguments_of(ToolCall("c", "read", "[" * 100_000)) == {}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"command": " make -j "}, "make -j"),
        ({"workdir": "/w", "command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ({"command": ["grep", "two words", "a.py"]}, "grep 'two words' a.py"),
        ({"command": ["ls", 7], "path": "src"}, "src"),
        ({"command": [], "other": "told"}, "told"),
        ({"limit": 3, "path": "", "query": "who"}, "who"),
        ({"name": "by name", "file_path": "a.py"}, "a.py"),
        ({"limit": 3}, ""),
        ({}, ""),
    ],
)
def test_a_call_is_told_by_its_main_argument(arguments: dict[str, Any], expected: str) -> None:
    assert main_argument(arguments) == expected


def test_long_arguments_are_read_like_short_ones() -> None:
    given = {"edits": [{"old": "a" * 1000, "new": {"at": at}} for at in range(300)]}
    assert arguments_of(ToolCall("c", "edit", json.dumps(given))) == given


def test_the_text_of_an_entry_is_copied_or_what_it_has_instead() -> None:
    call = ToolCall("c", "bash", '{"command": "ls"}')
    assert text_to_copy([Thinking("hm"), Text("one"), call, Text("two")]) == "one\n\ntwo"
    assert text_to_copy([Thinking("hm"), Thinking(""), Text(" "), call]) == 'hm\n\nbash {"command": "ls"}'
    assert text_to_copy([UnknownBlock("later", "[1]"), Image("image/png", "b")]) == "[1]"
    assert text_to_copy([]) == ""


def test_a_list_of_commands_is_a_command_line_for_each() -> None:
    commands = ["ls", {"command": "pytest", "args": []}, {"commands": ["x"]}, 7, ""]
    assert command_line({"commands": commands}) == "ls\npytest"
    assert main_argument({"commands": ["ls"]}) == "ls"


def test_the_main_argument_of_a_call_names_its_files() -> None:
    assert main_argument({"files": [{"path": "a"}, "b", {"name": "c"}, 7]}) == "a, b"
    assert main_argument({"command": "view", "path": "/a.py"}) == "/a.py"
    assert main_argument({"search_term": "words", "explanation": "why"}) == "words"
    assert main_argument({"files": 7, "count": 2}) == ""
