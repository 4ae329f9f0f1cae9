"""The task list that an agent writes with a tool, such as Claude Code's TodoWrite or Codex' update_plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import ToolCall
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
_LISTS = ("todos", "plan", "tasks", "items")
_TEXTS = ("content", "step", "text", "title", "subject", "description")
_DONE, _OPEN = ("completed", "done", "complete"), ("in_progress", "in-progress", "active")
_DROPPED = ("cancelled", "canceled", "deleted")


@dataclass(frozen=True, slots=True)
class ToolTask:
    """A task of a task list. `mark` shows its state."""

    text: str
    mark: str  # ☐ ◐ ☑ ☒


def tasks_of(arguments: Mapping[str, Any]) -> list[ToolTask]:
    """Return the tasks in a call's arguments; invalid ones are left out."""
    lists = (value for name in _LISTS if isinstance(value := arguments.get(name), list))
    found: list[object] = next(lists, [])
    return [task for item in found if (task := _task(item)) is not None]


def headline(arguments: Mapping[str, Any]) -> str:
    """Return the text of the task in progress, else of the first open one, else of the last; "" without tasks."""
    tasks = tasks_of(arguments)
    texts = {task.mark: task.text for task in reversed(tasks)}
    return texts.get("◐") or texts.get("☐") or (tasks[-1].text if tasks else "")


def progress(arguments: Mapping[str, Any]) -> str:
    """Return the progress of a task list, such as `2 of 5 done`; "" without tasks."""
    tasks = tasks_of(arguments)
    done = sum(task.mark == "☑" for task in tasks)
    return tr("{done} of {count} done").format(done=done, count=len(tasks)) if tasks else ""


def pieces(style: CardStyle, _content: CardContent, call: ToolCall, _answer: LoadedEntry | None) -> list[Piece]:
    """Return a line for each task of the list."""
    tasks = tasks_of(arguments_of(call))
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
    status = str(item.get("status", "")).lower()
    mark = "☑" if status in _DONE else "◐" if status in _OPEN else "☒" if status in _DROPPED else "☐"
    return ToolTask(text[:LONGEST], mark) if text else None
