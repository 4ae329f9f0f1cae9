"""A database of sessions as Crush writes it, in its newest form and in an older one."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent
from tests.fakes.source_database import FakeDatabase

Json = dict[str, Any]
SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL DEFAULT 0.0,
    updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT,
    is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT, version INTEGER);
"""
OLDER = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    cost REAL, updated_at INTEGER, created_at INTEGER, summary_message_id TEXT);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER, updated_at INTEGER);
"""
AT = 1_784_282_400  # seconds
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def part(type: str, **data: Any) -> Json:
    return {"type": type, "data": data}


def text(said: str, **more: Any) -> Json:
    return part("text", text=said, **more)


def finish(reason: str = "end_turn", **more: Any) -> Json:
    return part("finish", reason=reason, time=AT, **more)


def call(id: str, given: str = "{}", name: str = "view") -> Json:
    return part("tool_call", id=id, name=name, input=given, provider_executed=False, finished=True)


def result(id: str, content: str, **more: Any) -> Json:
    return part("tool_result", tool_call_id=id, name="view", content=content, metadata="", is_error=False) | more


def attached(name: str, kind: str, data: bytes) -> Json:
    return part("binary", Path=f"/w/{name}", MIMEType=kind, Data=base64.b64encode(data).decode())


class Store(FakeDatabase):
    """An open database."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        super().__init__(path, schema)

    def session(self, id: str | None = "s", at: int = 0, **more: Any) -> None:
        row = {"title": "Tea", "prompt_tokens": 0, "completion_tokens": 0, "cost": 0, **more}
        self.add("sessions", id=id, created_at=AT + at, updated_at=AT + at, **row)

    def said(self, id: str, role: str, *parts: Any, at: int = 0, session: str = "s", **more: Any) -> None:
        """A message. A text counts as a whole message: a reply of it is over."""
        listed = [text(one) if isinstance(one, str) else one for one in parts]
        if role == "assistant" and all(isinstance(one, str) for one in parts):
            listed.append(finish())
        row = {"parts": json.dumps(listed), "model": "m", "updated_at": AT + at, **more}
        self.add("messages", id=id, session_id=session, role=role, created_at=AT + at, **row)


def fill(store: Store) -> None:
    """Add sessions with tools, a summary, and a subagent."""
    store.session("s", prompt_tokens=90, completion_tokens=5, cost=0.25, summary_message_id="e")
    store.said("a", "user", "Which tea?", at=1)
    thought = part("reasoning", thinking="Hm.", signature="x")
    asked = call("c", '{"prompt":"Look."}', "agent")
    store.said("b", "assistant", thought, text("I look."), asked, finish("tool_use"), at=2, provider="p")
    store.said("c", "tool", result("c", "Sencha"), at=3)
    store.said("d", "assistant", "Sencha.", at=4)
    store.said("e", "assistant", "They like Sencha.", at=5, is_summary_message=1)
    store.said("f", "user", "Why?", part("shell_command", command="ls", output="tea", exit_code=1), at=6)
    store.said("g", "assistant", "It is green.", at=7)
    store.session("b$$c", 2, parent_session_id="s", title="Look")
    store.said("h", "user", "Look.", at=2, session="b$$c")
    store.said("i", "assistant", "Sencha", at=2, session="b$$c")


def packed() -> bytes:
    """The bytes of a database as `fill` makes it."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "crush.db"))
        fill(store)
        return store.packed()


def versions() -> list[bytes]:
    """The bytes of a database while a reply is written, its call is run, and after its end."""
    out = []
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "crush.db"))
        store.session()
        store.said("a", "user", "Which?")
        replies: list[tuple[Json, ...]] = [(), (text("I"),), (text("I look."), call("c"))]
        for parts in replies:
            store.said("b", "assistant", *parts, part("none"), at=1, updated_at=1 << 33)
            out.append(store.path.read_bytes())
        store.said("c", "tool", result("c", "tea"), at=2, updated_at=1 << 33)
        out.append(store.path.read_bytes())
        store.said("b", "assistant", *replies[-1], finish("tool_use"), at=1)
        out.append(store.path.read_bytes())
        for at, said in enumerate(("Sencha.", "Summary.")):
            store.said(said, "assistant", said, at=3 + at, is_summary_message=at)
            store.session(at=5 + at, summary_message_id=said if at else None)
            out.append(store.path.read_bytes())
        store.close()
    return out


def lost(events: Iterable[ReadEvent]) -> list[str]:
    """The messages that are no entry, were not skipped, and do not belong to a reply that is still written."""
    out: list[str] = []
    lines: dict[int, Json] = {}
    made: set[int] = set()
    for event in events:
        match event:
            case Begin():
                lines, made = {}, set()
            case Raw(offset, data) if offset:
                lines[offset] = json.loads(data)
            case Entry(record=record) if record is not None:
                made.add(record.offset)
            case End():
                out += [str(line) for line in _missing(lines, made)]
    return out


def _missing(lines: dict[int, Json], made: set[int]) -> list[Json]:
    read = {at: line for at, line in lines.items() if isinstance(line["parts"], list)}
    last = max((at for at, line in read.items() if line["role"] == "assistant"), default=0)
    ends = (isinstance(one, dict) and one.get("type") == "finish" for one in read.get(last, {"parts": []})["parts"])
    held = last if last and not any(ends) else max(read, default=0) + 1
    return [line for at, line in read.items() if at not in made and at < held]
