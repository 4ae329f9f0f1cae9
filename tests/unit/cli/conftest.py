"""The command line run in this process against an archive of the test's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stemmata.bootstrap.commands import command_line


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Ran:
        code = command_line(["--store", str(tmp_path / "archive" / "a.db"), *map(str, arguments)])
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A pi session of two branches with tools, a label and a compaction far enough back."""
    long = "All of this must be kept in mind. " * 40
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "tale", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/tale"}
    ]

    def message(id: str, parent: str | None, role: str, text: str, **more: Any) -> None:
        body = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1767225600000} | more
        stamp = f"2026-01-01T00:00:{len(lines):02}.000Z"
        lines.append({"type": "message", "id": id, "parentId": parent, "timestamp": stamp, "message": body})

    reply = {"provider": "anthropic", "model": "claude-opus-4-5", "stopReason": "stop"}
    call = [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "src/a.py"}}]
    message("u1", None, "user", f"Start. {long}")
    message("a1", "u1", "assistant", "", **reply | {"content": call, "stopReason": "toolUse"})
    message("r1", "a1", "toolResult", long * 4, toolCallId="c1", toolName="read", isError=False)
    message("a2", "r1", "assistant", f"Read it. {long}", **reply)
    message("u2", "a2", "user", "The first way.")
    message("a3", "u2", "assistant", "That failed.", **reply)
    message("u3", "a2", "user", "The second way, then.")
    message("a4", "u3", "assistant", "That works.", **reply | {"usage": {"input": 900, "totalTokens": 2500}})
    stamp = "2026-01-01T00:01:00.000Z"
    lines.append(
        {"type": "label", "id": "l1", "parentId": "a4", "timestamp": stamp, "targetId": "a4", "label": "good"}
    )
    path = tmp_path / "tale.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
