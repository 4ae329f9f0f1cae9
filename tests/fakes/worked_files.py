"""A pi session that works on files: two branches edit one file, and another session reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = "/code/app"
SELECTOR = "src/components/selector.ts"
TEXT = (
    'export class Selector {\n  colour = "cyan";\n\n  render(width) {\n    return wrap(this.text, width);\n  }\n}\n'
)


class WorkedSession:
    """The lines of a session, each tool call with its result, in the order in which they are added."""

    def __init__(self, id: str, folder: str = FOLDER) -> None:
        self._made = 0
        self.id = id
        self.lines: list[dict[str, Any]] = [
            {"type": "session", "version": 3, "id": id, "timestamp": self._stamp(), "cwd": folder}
        ]

    def _stamp(self) -> str:
        return f"2026-01-12T14:{self._made % 60:02}:00.000Z"

    def say(self, role: str, content: object, parent: str | None, **facts: Any) -> str:
        """Add a message and return its id."""
        self._made += 1
        id = f"{self.id}{self._made}"
        message: dict[str, Any] = {"role": role, "content": content, "timestamp": 0} | facts
        if role == "assistant":
            message |= {
                "provider": "p",
                "model": "m",
                "stopReason": "toolUse",
                "usage": {"input": 1, "totalTokens": 1},
            }
        line = {"type": "message", "id": id, "parentId": parent, "timestamp": self._stamp(), "message": message}
        self.lines.append(line)
        return id

    def use(self, parent: str, words: str, tool: str, result: str = "ok", **arguments: Any) -> str:
        """Add a call with its result, and return the result's id."""
        call = {"type": "toolCall", "id": f"c{self._made}", "name": tool, "arguments": arguments}
        said = [{"type": "text", "text": words}] if words else []
        reply = self.say("assistant", [*said, call], parent)
        answer = [{"type": "text", "text": result}]
        return self.say("toolResult", answer, reply, toolCallId=call["id"], toolName=tool, isError=False)

    def write(self, folder: Path) -> Path:
        """Write the session as a file and return its path."""
        path = folder / f"{self.id}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return path


def worked_session() -> WorkedSession:
    """Read and edit, fork, edit with a failing check on the other branch and with a passing one on the shown one."""
    made = WorkedSession("s")
    at = made.say("user", "Port the selector", None)
    at = made.use(at, "", "read", TEXT, path=SELECTOR)
    at = made.use(at, "", "read", "a\nb\n\n[90 more lines in file. Use offset=5 to continue]", path="docs/theme.md",
                  offset=3, limit=2)  # fmt: skip
    fork = at = made.use(at, "Port the colour", "edit", path=SELECTOR, oldText='"cyan"', newText="theme.accent")
    other = made.use(fork, "Wrap first", "edit", path=SELECTOR, oldText="wrap(", newText="pad(")
    other = made.use(other, "", "write", path="src/wrap.ts", content="export {};\n")
    made.use(other, "", "bash", "Tests:  3 failed, 1 passed", command="npm test")
    at = made.use(at, "Strip colours first", "edit", path=SELECTOR, oldText="wrap(this.text", newText="wrap(strip()")
    made.use(at, "", "bash", "Tests:  38 passed", command="npm test")
    return made


def reading_session() -> WorkedSession:
    """Another session that read the same file."""
    made = WorkedSession("o")
    made.use(made.say("user", "Selectors: first draft", None), "", "read", TEXT, path=SELECTOR)
    return made
