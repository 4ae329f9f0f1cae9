"""Made-up sessions in the shape of a real archive: 33 sessions, 18,490 messages, 71.9 million characters.

One of them has an active branch of 14,179 entries: 596 messages of the user, 544 of the assistant, and the rest tool
results and thinking. The numbers are those of a week-long session that a person had and wrote about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

HEADLINE = 14_179
SESSIONS = 33
MESSAGES = 18_490
CHARACTERS = 71_900_000

_WORDS = (
    "session tree branch entry compaction context window tokens model tool result file path test error lane fork "
    "label summary transcript navigator archive import export search index query thread signal widget layout theme "
    "selector wrapping truncation keyboard selection because therefore however although the a of to in is that for"
).split()


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of one session. `characters` is the number of characters of all its entries together."""

    entries: int
    users: int
    assistants: int
    characters: int
    forks: int = 0


HEADLINE_SHAPE = Shape(HEADLINE, 596, 544, 52_000_000, forks=40)


def write_archive(folder: Path, scale: float = 1.0) -> list[Path]:
    """The 33 sessions as pi files, the headline session first; `scale` shortens them for a quick run."""
    folder.mkdir(parents=True, exist_ok=True)
    rest = SESSIONS - 1
    entries = (MESSAGES - HEADLINE) // rest
    characters = (CHARACTERS - HEADLINE_SHAPE.characters) // rest
    other = Shape(entries, max(1, entries // 8), max(1, entries // 4), characters, forks=4)
    shapes = [HEADLINE_SHAPE, *[other] * rest]
    return [write_session(folder / f"{at:02}.jsonl", _scaled(shape, scale), at) for at, shape in enumerate(shapes)]


def _scaled(shape: Shape, scale: float) -> Shape:
    def part(value: int) -> int:
        return max(1, int(value * scale))

    return Shape(
        max(4, part(shape.entries)), part(shape.users), part(shape.assistants), part(shape.characters), shape.forks
    )


def write_session(path: Path, shape: Shape, seed: int = 0) -> Path:
    """Write one pi v3 session; the same seed gives the same bytes. An existing file stays unchanged."""
    if not path.exists():
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for record in records(shape, seed):
                file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def write_claude_code_session(path: Path, shape: Shape, seed: int = 0) -> Path:
    """The same path as a transcript of Claude Code: results are messages of the user, and there are no forks."""
    if not path.exists():
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for record in records(replace(shape, forks=0), seed):
                if record["type"] == "message":
                    line = _claude_code_line(record, f"bench-{seed}")
                    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def write_codex_session(path: Path, shape: Shape, seed: int = 0) -> Path:
    """The same path as a rollout of Codex: thinking, text and calls are items of their own, a turn per prompt."""
    if not path.exists():
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for record in records(replace(shape, forks=0), seed):
                for line in _codex_lines(record):
                    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def _codex_lines(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    stamp = record["timestamp"]
    if record["type"] == "session":
        meta = {"id": record["id"], "timestamp": stamp, "cwd": record["cwd"], "originator": "codex_cli_rs"}
        yield {"timestamp": stamp, "type": "session_meta", "payload": meta | {"model_provider": "openai"}}
        return
    message = record["message"]
    if message["role"] == "user":
        turn = {"turn_id": f"turn-{record['id']}", "cwd": "/code/project", "model": "gpt-5-codex", "effort": "medium"}
        yield {"timestamp": stamp, "type": "turn_context", "payload": turn}
    for payload in _codex_items(message):
        yield {"timestamp": stamp, "type": "response_item", "payload": payload}
    if message["role"] == "assistant":
        usage = {
            "input_tokens": message["usage"]["input"], "cached_input_tokens": message["usage"]["cacheRead"],
            "output_tokens": message["usage"]["output"], "total_tokens": message["usage"]["totalTokens"],
        }  # fmt: skip
        info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 272_000}
        yield {"timestamp": stamp, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def _codex_items(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if message["role"] == "toolResult":
        output = message["content"][0]["text"]
        yield {"type": "function_call_output", "call_id": message["toolCallId"], "output": output}
        return
    kind = "input_text" if message["role"] == "user" else "output_text"
    for block in message["content"]:
        if block["type"] == "thinking":
            summary = [{"type": "summary_text", "text": block["thinking"]}]
            yield {"type": "reasoning", "summary": summary, "content": None, "encrypted_content": None}
        elif block["type"] == "toolCall":
            arguments = json.dumps(block["arguments"])
            yield {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": block["id"]}
        else:
            content = [{"type": kind, "text": block["text"]}]
            yield {"type": "message", "role": message["role"], "content": content}


def _claude_code_line(record: dict[str, Any], session: str) -> dict[str, Any]:
    message = record["message"]
    is_assistant = message["role"] == "assistant"
    line: dict[str, Any] = {
        "parentUuid": record["parentId"], "isSidechain": False, "userType": "external", "cwd": "/code/project",
        "sessionId": session, "version": "2.0.0", "type": "assistant" if is_assistant else "user",
        "uuid": record["id"], "timestamp": record["timestamp"],
    }  # fmt: skip
    if not is_assistant:
        content = message["content"]
        if message["role"] == "toolResult":
            content = [{"type": "tool_result", "tool_use_id": message["toolCallId"], "content": content}]
        return line | {"message": {"role": "user", "content": content}}
    usage = {
        "input_tokens": message["usage"]["input"], "output_tokens": message["usage"]["output"],
        "cache_read_input_tokens": message["usage"]["cacheRead"],
        "cache_creation_input_tokens": message["usage"]["cacheWrite"],
    }  # fmt: skip
    return line | {
        "requestId": f"req_{record['id']}",
        "message": {
            "id": f"msg_{record['id']}", "type": "message", "role": "assistant", "model": message["model"],
            "content": [_claude_code_block(block) for block in message["content"]], "usage": usage,
            "stop_reason": "end_turn" if message["stopReason"] == "stop" else "tool_use",
        },
    }  # fmt: skip


def _claude_code_block(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "thinking":
        return block | {"signature": ""}
    if block["type"] == "toolCall":
        return {"type": "tool_use", "id": block["id"], "name": "Read", "input": block["arguments"]}
    return block


def records(shape: Shape, seed: int) -> Iterator[dict[str, Any]]:
    """The header and the entries, parents first; forks leave the path and come back to it."""
    random = Random(seed)
    yield {
        "type": "session", "version": 3, "id": f"bench-{seed}-{shape.entries}",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": f"/code/project-{seed % 5}",
    }  # fmt: skip
    text = _Text(random, shape.characters // shape.entries)
    every_user, every_assistant = shape.entries / shape.users, shape.entries / (shape.users + shape.assistants)
    fork_every = shape.entries // (shape.forks + 1)
    parent: str | None = None
    for at in range(shape.entries):
        if at % every_user < 1:
            message = _user(text, at)
        elif at % every_assistant < 1:
            message = _assistant(text, at, with_text=True)
        elif at % 2:
            message = _assistant(text, at, with_text=False)
        else:
            message = _result(text, at)
        yield _entry(f"{at:08x}", parent, at, message)
        parent = f"{at:08x}"
        if shape.forks and at % fork_every == fork_every - 1:
            yield from _side_branch(text, parent, at)


def _side_branch(text: _Text, parent: str, at: int) -> Iterator[dict[str, Any]]:
    """Write two turns on a branch that is then abandoned."""
    above = parent
    for step in range(4):
        id = f"f{at:06x}{step}"
        message = _assistant(text, at, with_text=True) if step % 2 else _user(text, at)
        yield _entry(id, above, at, message)
        above = id


def _entry(id: str, parent: str | None, at: int, message: dict[str, Any]) -> dict[str, Any]:
    second = 1_767_225_600 + at * 7
    stamp = f"2026-01-{1 + at // 12000 % 28:02}T{at // 500 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.000Z"
    return {
        "type": "message", "id": id, "parentId": parent, "timestamp": stamp,
        "message": message | {"timestamp": second * 1000},
    }  # fmt: skip


def _user(text: _Text, at: int) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text.of(400)}]}


def _assistant(text: _Text, at: int, *, with_text: bool) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": text.of(text.mean // 2)}]
    if with_text:
        content.append({"type": "text", "text": text.markdown(900)})
    else:
        arguments = {"path": f"src/module_{at % 90}.py", "offset": at}
        content.append({"type": "toolCall", "id": f"call-{at}", "name": "read", "arguments": arguments})
    usage = {"input": 20, "output": 300, "cacheRead": 2000 + at * 9 % 150_000, "cacheWrite": 500}
    return {
        "role": "assistant", "content": content, "provider": "anthropic", "model": "claude-opus-4-5",
        "usage": usage | {"totalTokens": sum(usage.values())}, "stopReason": "stop" if with_text else "toolUse",
    }  # fmt: skip


def _result(text: _Text, at: int) -> dict[str, Any]:
    return {
        "role": "toolResult", "toolCallId": f"call-{at - 1}", "toolName": "read", "isError": False,
        "content": [{"type": "text", "text": text.of(int(text.mean * 1.9))}],
    }  # fmt: skip


class _Text:
    """Slices of one long text, so that making texts costs nothing. `mean` is the average length."""

    def __init__(self, random: Random, mean: int) -> None:
        self.mean = mean
        self._random = random
        lines = (" ".join(random.choices(_WORDS, k=11)) for _ in range(4000))
        self._pool = "\n".join(lines)

    def of(self, length: int) -> str:
        length = min(max(8, int(length * self._random.uniform(0.4, 1.6))), len(self._pool) - 1)
        start = self._random.randrange(len(self._pool) - length)
        return self._pool[start : start + length]

    def markdown(self, length: int) -> str:
        code = self.of(120).replace("`", "")
        return f"## {self.of(30).splitlines()[0]}\n\n{self.of(length)}\n\n- {self.of(40)}\n\n```python\n{code}\n```\n"
