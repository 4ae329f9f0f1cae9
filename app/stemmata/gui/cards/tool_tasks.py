"""The pieces of a task list that an agent writes with a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.tool_calls.kinds import arguments_of
from stemmata.domain.tool_calls.tasks import listed_tasks, tasks_of, written_tasks
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_parts import plain
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

MOST = 100  # tasks shown


def headline(arguments: Mapping[str, Any]) -> str:
    """Return the text of the task in progress, else of the first open one, else of the last; "" without tasks."""
    tasks = tasks_of(arguments)
    texts = {task.mark: task.text for task in reversed(tasks)}
    return texts.get("◐") or texts.get("☐") or (tasks[-1].text if tasks else "")


def progress(arguments: Mapping[str, Any]) -> str:
    """Return the progress of a task list, such as `2 of 5 done`; "" without tasks."""
    tasks = listed_tasks(arguments)
    done = sum(task.mark == "☑" for task in tasks)
    return tr("{done} of {count} done").format(done=done, count=len(tasks)) if tasks else ""


def pieces(style: CardStyle, _content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return a line for each task of the list in the call, or in its result."""
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
