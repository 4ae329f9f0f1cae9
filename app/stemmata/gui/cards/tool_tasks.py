"""The task list that an agent writes with a tool, such as Claude Code's TodoWrite or Codex' update_plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.tool_kinds import arguments_of
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_parts import first_text, plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 100  # tasks shown
LONGEST = 500  # characters of one
_LISTS = ("todos", "plan", "tasks", "items", "todoList")
_TEXTS = ("content", "step", "text", "title", "subject", "description")
_DONE, _OPEN = ("completed", "done", "complete", "x"), ("in_progress", "in-progress", "active", "~", "/", "-")
_WRITTEN = re.compile(r" {0,20}(?:\d{1,4}[.)] |[-*+] )?(#\d{1,6} )?\[([\w ~/-]{1,20})\] ?(.*)")
LONGEST_LIST = 50_000  # characters
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
    return _listed(arguments) or _single(arguments)


def _listed(arguments: Mapping[str, Any]) -> list[ToolTask]:
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


def headline(arguments: Mapping[str, Any]) -> str:
    """Return the text of the task in progress, else of the first open one, else of the last; "" without tasks."""
    tasks = tasks_of(arguments)
    texts = {task.mark: task.text for task in reversed(tasks)}
    return texts.get("◐") or texts.get("☐") or (tasks[-1].text if tasks else "")


def progress(arguments: Mapping[str, Any]) -> str:
    """Return the progress of a task list, such as `2 of 5 done`; "" without tasks."""
    tasks = _listed(arguments)
    done = sum(task.mark == "☑" for task in tasks)
    return tr("{done} of {count} done").format(done=done, count=len(tasks)) if tasks else ""


def pieces(style: CardStyle, _content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return a line for each task of the list that the call writes, or that its result tells."""
    tasks = tasks_of(arguments_of(call))
    if not tasks and answer is not None:
        tasks = written_tasks(plain_text(answer.body.blocks))
    out: list[Piece] = [
        plain(style, f"{task.mark} {task.text}", color="dim" if task.mark in "☑☒" else "text", gap=1, kind="hung")
        for task in tasks[:MOST]
    ]
    if len(tasks) > MOST:
        out.append(LinePiece(style, [Word(tr("%Ln more tasks", None, len(tasks) - MOST), "faint")], gap=1))
    return out


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
