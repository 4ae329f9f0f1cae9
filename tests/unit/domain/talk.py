"""Short functions that make the entries of these tests."""

from __future__ import annotations

import json
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role


def user(text: str, **facts: Any) -> Entry:
    return Entry(id="u", role=Role.USER, blocks=(Text(text),), **facts)


def says(*blocks: Block | str, ends: bool = False, flags: Flag = Flag.NONE) -> Entry:
    listed = tuple(Text(block) if isinstance(block, str) else block for block in blocks)
    return Entry(id="a", role=Role.ASSISTANT, blocks=listed, flags=flags | (Flag.ENDS_TURN if ends else Flag.NONE))


def call(id: str, name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id, name, json.dumps(arguments, ensure_ascii=False))


def result(id: str, text: str = "ok", *, failed: bool = False, tool: str = "", details: object = None) -> Entry:
    return Entry(
        id="r",
        role=Role.TOOL_RESULT,
        call=id,
        tool=tool,
        blocks=(Text(text),),
        flags=Flag.FAILED if failed else Flag.NONE,
        details="" if details is None else json.dumps(details),
    )


def shell(command: str, output: str = "", flags: Flag = Flag.NONE, **details: object) -> Entry:
    return Entry(
        id="b",
        role=Role.BASH_EXECUTION,
        name=command,
        blocks=(Text(output),),
        details=json.dumps(details),
        flags=flags,
    )


def branch_summary(text: str, details: object = None) -> Entry:
    blocks = (Text(text),) if text else ()
    return Entry(id="s", kind=Kind.BRANCH_SUMMARY, blocks=blocks, details=json.dumps(details) if details else "")


def ran(id: str, command: str, text: str = "ok", *, failed: bool = False) -> tuple[Entry, Entry]:
    return says(call(id, "bash", command=command)), result(id, text, failed=failed)
