"""What a tool does, told by its name, for agents give their tools much the same ones; and what it was called with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from stemmata.domain.entries import blocks

MOST_READ = 200_000  # characters of arguments, or of details: more takes too long at each look


class ToolKind(Enum):
    """Tools whose calls are shown in a way of their own; all others are OTHER."""

    OTHER = auto()
    TASKS = auto()  # writes down what is to be done
    WEB = auto()  # reads a page, or looks for pages
    SEARCH = auto()  # looks for files, or in them
    AGENT = auto()  # has another agent do something
    WRITE = auto()  # writes a whole file


_NAMES = {
    ToolKind.TASKS: ("todowrite", "todo_write", "todo", "update_plan", "updateplan", "write_todos"),
    ToolKind.WEB: ("webfetch", "web_fetch", "fetch", "websearch", "web_search", "google_web_search"),
    ToolKind.SEARCH: ("grep", "glob", "find", "search", "grep_search", "file_search", "list_files", "ls"),
    ToolKind.AGENT: ("task", "agent", "subagent", "spawn_agent", "sessions_spawn", "delegate"),
    ToolKind.WRITE: ("write", "write_file", "create_file", "writefile", "create"),
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names}


def kind_of(tool: str) -> ToolKind:
    """Return the kind of a tool by its name, in any case."""
    return _KINDS.get(tool.lower(), ToolKind.OTHER)


def arguments_of(call: blocks.ToolCall) -> Mapping[str, Any]:
    """The call's arguments as a mapping; empty when they are not a JSON object, and when they are very long."""
    return blocks.arguments_of(call) if len(call.arguments) <= MOST_READ else {}
