"""A database of logs as llm 0.36 writes it, with the tables of older versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent

_SCHEMA = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);
CREATE TABLE responses (
    id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT,
    datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER, token_details TEXT, resolved_model TEXT,
    reasoning TEXT);
CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT, datetime_utc TEXT, source TEXT);
CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT, tool_call_id TEXT);
CREATE TABLE tool_results (
    id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, output TEXT, tool_call_id TEXT, exception TEXT);
CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT, provider_metadata TEXT);
CREATE TABLE parts (
    id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER, type TEXT, tool_name TEXT, text TEXT, payload TEXT);
CREATE TABLE threads (
    id TEXT PRIMARY KEY, name TEXT, tip_message_hash TEXT, forked_from TEXT, datetime_utc TEXT);
CREATE TABLE turns (
    id TEXT PRIMARY KEY, thread_id TEXT, parent_message_hash TEXT, tip_message_hash TEXT, model TEXT,
    resolved_model TEXT, input_tokens INTEGER, output_tokens INTEGER, token_details TEXT, datetime_utc TEXT)
"""


def stamp(at: int) -> str:
    return f"2026-01-01T00:{at // 60:02d}:{at % 60:02d}+00:00"


def stamp_ns(at: int) -> int:
    return (1_767_225_600 + at) * 1_000_000_000


def part(type: str, text: str | None = "", *, tool: str | None = None, **payload: Any) -> dict[str, Any]:
    return {"type": type, "text": text, "tool": tool, "payload": payload}


class Logs:
    """An open database. The ids of messages stand for their hashes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.executescript(_SCHEMA)

    def close(self) -> None:
        self.connection.close()

    def beside(self, table: str, **row: Any) -> None:
        names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))

    def thread(
        self, id: str, *, name: str = "", tip: str | None = None, forked_from: str | None = None, at: int = 0
    ) -> None:
        self.beside(
            "threads", id=id, name=name, tip_message_hash=tip, forked_from=forked_from, datetime_utc=stamp(at)
        )

    def say(self, id: str, role: str, parent: str | None, *parts: str | dict[str, Any]) -> str:
        """A message; returns its id."""
        self.beside("messages", hash=id, parent_hash=parent, role=role)
        for position, one in enumerate(parts):
            told = part("text", one) if isinstance(one, str) else one
            self.beside(
                "parts", message_hash=id, position=position, type=told["type"], tool_name=told["tool"],
                text=told["text"], payload=json.dumps(told["payload"]) if told["payload"] else None,
            )  # fmt: skip
        return id

    def turn(self, thread: str, *before: str, tip: str, at: int = 0, model: str = "m") -> None:
        """A request that sent messages up to the last of `before`, and ended with `tip`."""
        ((number,),) = self.connection.execute("SELECT count(*) FROM turns").fetchall()
        self.beside(
            "turns", id=f"turn{number:03}", thread_id=thread, parent_message_hash=before[-1], tip_message_hash=tip,
            model=model, input_tokens=14, output_tokens=18, datetime_utc=stamp(at),
            token_details='{"prompt_tokens_details": {"cached_tokens": 7}}',
        )  # fmt: skip
        self.connection.execute("UPDATE threads SET tip_message_hash = ? WHERE id = ?", (tip, thread))

    def conversation(self, id: str, name: str) -> None:
        self.beside("conversations", id=id, name=name, model="m")

    def response(self, id: str, conversation: str, prompt: str, said: str, *, at: int, **more: Any) -> None:
        row = {"model": "m", "prompt": prompt, "response": said, "datetime_utc": stamp(at), **more}
        self.beside("responses", id=id, conversation_id=conversation, **row)


def packed() -> bytes:
    """The bytes of a database with threads, a fork, tools, and a conversation of an older version."""
    with TemporaryDirectory() as folder:
        logs = Logs(Path(folder, "logs.db"))
        logs.thread("t", name="Tea", at=1)
        logs.say("s", "system", None, "Be brief.")
        logs.turn("t", logs.say("u", "user", "s", "Which?"), tip=logs.say("a", "assistant", "u", "Sencha."), at=2)
        call = part("tool_call", tool="up", name="up", arguments={"x": 1}, tool_call_id="c")
        logs.say("b", "assistant", "a", part("reasoning", "Hm."), call)
        result = part("tool_result", name="up", output="X", tool_call_id="c", attachments=[{"id": "p"}])
        logs.turn("t", logs.say("r", "tool", "b", result), tip=logs.say("d", "assistant", "r", "Done."), at=3)
        logs.beside("attachments", id="p", type="image/png", content=b"x")
        logs.thread("f", forked_from="t", tip="a", at=4)
        logs.conversation("c", "Old")
        logs.response("r1", "c", "Which?", "Sencha.", at=2, system="Be brief.", reasoning="Hm.", input_tokens=14)
        logs.beside("tool_calls", response_id="r1", tool_call_id="k", name="up", arguments='{"x":1}')
        logs.response("r2", "c", "", "Done.", at=3)
        logs.beside("tool_results", response_id="r2", tool_call_id="k", name="up", output="X")
        logs.close()
        return logs.path.read_bytes()


def lost(events: Iterable[ReadEvent]) -> list[str]:
    """The lines of sources that are no entry: all but the first of each session should be."""
    found: list[str] = []
    name = ""
    waiting: dict[int, str] = {}
    for event in events:
        match event:
            case Begin(info):
                found += waiting.values()
                waiting, name = {}, info.source_id
            case Raw(offset) if offset:
                waiting[offset] = f"{name}: the line at {offset} is nothing"
            case Entry(record=record) if record is not None:
                waiting.pop(record.offset, None)
    return [*found, *waiting.values()]
