"""The kind of a tool, recognised by its name, since agents name their tools alike; and the arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from stemmata.domain.entries import blocks

MOST_READ = 200_000  # characters of arguments or details; more would take too long to parse at each layout


class ToolKind(Enum):
    """The kinds of tools whose calls have their own presentation; calls of all other tools are OTHER."""

    OTHER = auto()
    TASKS = auto()  # writes a task list
    WEB = auto()  # reads a web page or searches the web
    SEARCH = auto()  # searches for files or in files
    AGENT = auto()  # gives a task to another agent
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
    """Return a call's arguments as a mapping; empty when they are not a JSON object or longer than MOST_READ."""
    return blocks.arguments_of(call) if len(call.arguments) <= MOST_READ else {}
