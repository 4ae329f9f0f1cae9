"""Claude Code transcripts for tests: writing them line by line, and reading them into something easy to compare."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.formats.claude_code.reader import ClaudeCode

Line = dict[str, Any]


@dataclass
class Found:
    """One session as the reader returned it."""

    info: SessionInfo
    resumed: bool
    entries: list[Entry] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    repaired: list[Repaired] = field(default_factory=list)
    raw: bytes = b""
    raw_start: int = 0
    end: End = field(default_factory=End)

    @property
    def parents(self) -> dict[str, str | None]:
        return {entry.id: entry.parent for entry in self.entries}

    @property
    def by_id(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.entries}

    @property
    def tree(self) -> Tree:
        return Tree.from_entries(self.entries)

    @property
    def leaves(self) -> list[str]:
        return [self.entries[leaf].id for leaf in self.tree.leaves]

    def record(self, id: str) -> Any:
        """The source record of an entry, parsed from the session's own bytes."""
        record = self.by_id[id].record
        assert record is not None
        return json.loads(self.raw[record.offset - self.raw_start :][: record.size])


def found_in(path: Path, since: Checkpoint | None = None) -> list[Found]:
    return collect(ClaudeCode().read(path, since))


def only(path: Path, since: Checkpoint | None = None) -> Found:
    (found,) = found_in(path, since)
    return found


def collect(events: Iterable[ReadEvent]) -> list[Found]:
    sessions: list[Found] = []
    for event in events:
        if isinstance(event, Begin):
            sessions.append(Found(event.info, event.offset > 0))
            continue
        session = sessions[-1]
        match event:
            case Entry():
                session.entries.append(event)
            case Blob():
                session.blobs[event.digest] = event.data
            case Skipped():
                session.skipped.append(event)
            case Repaired():
                session.repaired.append(event)
            case Raw():
                session.raw_start = session.raw_start if session.raw else event.offset
                assert event.offset == session.raw_start + len(session.raw)
                session.raw += event.data
            case End():
                session.end = event
    return sessions


def written(path: Path, lines: Iterable[Line | str]) -> Path:
    """Write a file of these lines; a string is written unchanged."""
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def at(minute: float) -> str:
    """A time of day as Claude Code writes it."""
    seconds = round(minute * 60)
    return f"2026-03-01T{10 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"


def line(kind: str, id: str, parent: str | None, minute: float, **more: Any) -> Line:
    return {
        "parentUuid": parent, "isSidechain": False, "sessionId": "s", "cwd": "/w", "version": "2.1.0", "type": kind,
        "uuid": id, "timestamp": at(minute), **more,
    }  # fmt: skip


def user(id: str, parent: str | None, minute: float, content: Any = "", **more: Any) -> Line:
    return line("user", id, parent, minute, message={"role": "user", "content": content or id}, **more)


def result(id: str, parent: str | None, minute: float, call: str, **more: Any) -> Line:
    return user(id, parent, minute, [{"type": "tool_result", "tool_use_id": call, "content": f"out {call}"}], **more)


def reply(id: str, parent: str | None, minute: float, message: str = "", **more: Any) -> Line:
    return part(id, parent, minute, message or f"msg_{id}", {"type": "text", "text": id}, **more)


def call(id: str, parent: str | None, minute: float, message: str, tool: str, **more: Any) -> Line:
    block = {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": id}}
    return part(id, parent, minute, message, block, **more)


def part(id: str, parent: str | None, minute: float, message: str, block: Line, **more: Any) -> Line:
    """One line of an API message. `output` is what it reports, `stop` its stop reason."""
    said = {
        "id": message,
        "role": "assistant",
        "model": "claude-opus-4-7",
        "content": [block],
        "stop_reason": more.pop("stop", None),
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": more.pop("output", 5)},
    }
    return line("assistant", id, parent, minute, message=said, **more)


def note(id: str, parent: str | None, minute: float, **more: Any) -> Line:
    return line("attachment", id, parent, minute, attachment={"type": "hook_success", "stdout": id}, **more)


def boundary(id: str, logical: str | None, minute: float, **metadata: Any) -> Line:
    return line(
        "system", id, None, minute, subtype="compact_boundary", logicalParentUuid=logical, content="Compacted",
        compactMetadata={"trigger": "auto", "preTokens": 150000, **metadata},
    )  # fmt: skip


def summary(id: str, parent: str | None, minute: float) -> Line:
    return user(id, parent, minute, f"Summary {id}", isCompactSummary=True)
