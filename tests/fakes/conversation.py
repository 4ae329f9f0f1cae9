"""Entries of a conversation in a few words, each under the one before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role


def user(text: str, **facts: Any) -> Entry:
    return Entry(id="", role=Role.USER, blocks=(Text(text),), **facts)


def assistant(*blocks: Block | str, **facts: Any) -> Entry:
    given = tuple(Text(block) if isinstance(block, str) else block for block in blocks)
    return Entry(id="", role=Role.ASSISTANT, blocks=given, **({"model": "sonnet", "provider": "anthropic"} | facts))


def call(id: str, tool: str = "read", arguments: str = '{"path":"a.py"}') -> ToolCall:
    return ToolCall(id, tool, arguments)


def result(id: str, text: str = "line one\nline two", tool: str = "read", **facts: Any) -> Entry:
    return Entry(id="", role=Role.TOOL_RESULT, call=id, tool=tool, blocks=(Text(text),), **facts)


def compaction(summary: str, target: str | None = None, **facts: Any) -> Entry:
    return Entry(id="", kind=Kind.COMPACTION, blocks=(Text(summary),), target=target, **facts)


def chain(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries with the ids e0, e1, …, each the child of the one before unless it names another parent."""
    out: list[Entry] = []
    for at, entry in enumerate(entries):
        parent = entry.parent or (f"e{at - 1}" if at else None)
        out.append(replace(entry, id=f"e{at}", parent=parent))
    return out


def talk(turns: int) -> list[Entry]:
    """Return turns of four entries: user, assistant with a call, its result, assistant."""
    out: list[Entry] = []
    for turn in range(turns):
        out += [
            user(f"Question {turn}: what does the file say?\n\nAnd why?"),
            assistant(f"I look at it, turn {turn}.", call(f"c{turn}")),
            result(f"c{turn}", f"content {turn}\n" * (turn % 7 + 1)),
            assistant("It says **this**:\n\n```python\nprint(1)\n```\n\n- one\n- two", flags=Flag.ENDS_TURN),
        ]
    return chain(out)
