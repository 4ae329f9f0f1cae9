"""The task list that an agent writes with a tool, such as Claude Code's TodoWrite or Codex' update_plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import first_text

LONGEST = 500  # characters of a task
LONGEST_LIST = 50_000  # characters of a list in a text
_LISTS = ("todos", "plan", "tasks", "items", "todoList")
_TEXTS = ("content", "step", "text", "title", "subject", "description")
_DONE = ("completed", "done", "complete", "x")
_OPEN = ("in_progress", "in-progress", "active", "~", "/", "-")
_WRITTEN = re.compile(r" {0,20}(?:\d{1,4}[.)] |[-*+] )?(#\d{1,6} )?\[([\w ~/-]{1,20})\] ?(.*)")
_DROPPED = ("cancelled", "canceled", "deleted")


@dataclass(frozen=True, slots=True)
class ToolTask:
    """A task of a task list. `mark` shows its state."""

    text: str
    mark: str  # ☐ ◐ ☑ ☒


def tasks_of(arguments: Mapping[str, Any]) -> list[ToolTask]:
    """Return the tasks in a call's arguments: the tasks of a list, else the task that is made or changed.

    Invalid tasks are left out.
    """
    return listed_tasks(arguments) or _single(arguments)


def listed_tasks(arguments: Mapping[str, Any]) -> list[ToolTask]:
    """Return the tasks of a list in a call's arguments; [] without a list."""
    found = next((value for name in _LISTS if isinstance(value := arguments.get(name), list | str)), [])
    if isinstance(found, str):
        return written_tasks(found)
    return [task for item in found if (task := _task(item)) is not None]


def _single(arguments: Mapping[str, Any]) -> list[ToolTask]:
    """Return the task that Claude Code's TaskCreate makes, or TaskUpdate changes."""
    number = arguments.get("taskId")
    name = f"#{number[:LONGEST]}" if isinstance(number, str) else ""
    text = " ".join(filter(None, (name, first_text(arguments, ("subject",))[:LONGEST])))
    return [ToolTask(text, _mark(arguments.get("status")))] if text else []


def written_tasks(text: str) -> list[ToolTask]:
    """Return the tasks of a list in a text, such as `- [x] Look`, `1. [completed] Look` or `#1 [completed] Look`."""
    lines = (_WRITTEN.match(line) for line in text[:LONGEST_LIST].split("\n"))
    return [
        ToolTask(((found[1] or "") + found[3])[:LONGEST], _mark(found[2])) for found in lines if found is not None
    ]


def _task(item: object) -> ToolTask | None:
    if isinstance(item, str):
        return ToolTask(item[:LONGEST], "☐")
    if not isinstance(item, dict):
        return None
    text = first_text(item, _TEXTS)
    return ToolTask(text[:LONGEST], _mark(item.get("status"))) if text else None


def _mark(status: object) -> str:
    status = str(status).lower()
    return "☑" if status in _DONE else "◐" if status in _OPEN else "☒" if status in _DROPPED else "☐"
