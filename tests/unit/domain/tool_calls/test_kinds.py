"""Tools are recognised by their names."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.tool_calls.kinds import LONGEST_NAME, MOST_READ, ToolKind, arguments_of, kind_of


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Read", ToolKind.READ), ("read_file", ToolKind.READ), ("mcp__files__read_file", ToolKind.READ),
        ("list_directory", ToolKind.FILES), ("Glob", ToolKind.FILES), ("search_file_content", ToolKind.SEARCH),
        ("rg", ToolKind.SEARCH), ("run_shell_command", ToolKind.SHELL), ("exec_command", ToolKind.SHELL),
        ("apply_patch", ToolKind.PATCH), ("replace_string_in_file", ToolKind.EDIT), ("MultiEdit", ToolKind.EDIT),
        ("web-fetch", ToolKind.WEB), ("spawn_agent", ToolKind.AGENT), ("TodoWrite", ToolKind.TASKS),
        ("write_file", ToolKind.WRITE), ("frobnicate", ToolKind.OTHER), ("", ToolKind.OTHER),
    ],
)  # fmt: skip
def test_the_kind_of_a_tool(tool: str, kind: ToolKind) -> None:
    assert kind_of(tool) is kind


@pytest.mark.parametrize(
    ("tool", "command", "kind"),
    [
        ("builtin_read_file", "", ToolKind.READ), ("edit_file_v2", "", ToolKind.EDIT),
        ("browser.search", "", ToolKind.WEB),
        ("str_replace_based_edit_tool", "view", ToolKind.READ), ("text_editor", "write", ToolKind.WRITE),
        ("text_editor", "str_replace", ToolKind.EDIT), ("bash", "view", ToolKind.SHELL),
    ],
)  # fmt: skip
def test_the_kind_of_a_call(tool: str, command: str, kind: ToolKind) -> None:
    assert kind_of(tool, {"command": command}) is kind


def test_a_name_that_is_too_long_is_of_no_known_tool() -> None:
    assert kind_of("x" * (LONGEST_NAME - 6) + "__read") is ToolKind.READ
    assert kind_of("x" * LONGEST_NAME + "__read") is ToolKind.OTHER


def test_arguments_that_are_too_long_are_not_read() -> None:
    assert arguments_of(ToolCall("c", "x", '{"a": 1}')) == {"a": 1}
    assert arguments_of(ToolCall("c", "x", '{"a": "' + "b" * MOST_READ + '"}')) == {}
