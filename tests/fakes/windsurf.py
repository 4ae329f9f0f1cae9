"""Transcripts as Windsurf writes them for its hooks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.sources.reading import ReadEvent
from tests.fakes import cursor_cli

Record = dict[str, Any]


def step(type: str, status: str = "done", **fields: Any) -> Record:
    return {"status": status, "type": type, type: fields}


def asked(text: str) -> Record:
    return step("user_input", user_response=text)


def said(text: str) -> Record:
    return step("planner_response", response=text)


def talk() -> list[Record]:
    return [
        asked("Which tea?"),
        said("I look for tea."),
        step("view_file", path="file:///w/tea.txt", start_line=0, end_line=1, content="Sencha\n"),
        step("run_command", command="false", cwd="/w", exit_code=1, output="no tea", user_rejected=False),
        step("list_resources", "error", server_name="memory"),
        said("Sencha."),
    ]


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records)


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries and how many were skipped; and the lines that are neither."""
    return cursor_cli.kinds(data, events)
