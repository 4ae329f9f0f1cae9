"""A database of threads as Zed writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import zstandard

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent
from stemmata.formats.shared.values import parse_object
from tests.fakes.source_database import FakeDatabase

Record = dict[str, Any]
_SCHEMA = """
CREATE TABLE threads (
    id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL,
    parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT)"""
OLDER = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)"


def stamp(at: int) -> str:
    return f"2026-07-19T09:00:{at:02d}+00:00"


class Store(FakeDatabase):
    """An open database."""

    def __init__(self, path: Path, schema: str = _SCHEMA) -> None:
        super().__init__(path, schema)

    def thread(self, id: str, *messages: Any, at: int = 1, packed: bool = True, **more: Any) -> None:
        """A thread; `row` are columns of its row, other arguments belong to its document."""
        row = more.pop("row", {})
        document = {"version": "0.3.0", "title": "Tea", "messages": list(messages), **more}
        data = json.dumps(document).encode()
        facts: Record = {
            "id": id,
            "summary": "Tea",
            "updated_at": stamp(at),
            "data_type": "zstd" if packed else "json",
        }
        facts["data"] = zstandard.compress(data) if packed else data.decode()
        facts |= row
        self.add("threads", **facts)


def user(said: str, id: str = "", *more: Any) -> Record:
    return {"User": {"id": id or said, "content": [*more, {"Text": said}]}}


def agent(*content: Any, results: Record | None = None) -> Record:
    parts = [{"Text": one} if isinstance(one, str) else one for one in content]
    return {"Agent": {"content": parts, "tool_results": results or {}, "reasoning_details": None}}


def call(id: str, **asked: Any) -> Record:
    return {"ToolUse": {"id": id, "name": "read", "raw_input": json.dumps(asked), "input": asked}}


def result(id: str, *content: Any, **more: Any) -> Record:
    return {id: {"tool_use_id": id, "tool_name": "read", "is_error": False, "content": list(content), **more}}


def older(id: int, role: str, said: str, **more: Any) -> Record:
    """A message before version 0.3.0."""
    return {"id": id, "role": role, "segments": [{"type": "text", "text": said}], **more}


def packed() -> bytes:
    """The bytes of a database with threads of both forms, tools, and a subagent."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "threads.db"))
        thought = {"Thinking": {"text": "Hm.", "signature": None}}
        store.thread(
            "t", user("Which?"), agent(thought, "I look.", call("c", x=1), results=result("c", {"Text": "tea"})),
            agent("Sencha."), "Resume", model={"provider": "p", "model": "m"},
            request_token_usage={"Which?": {"input_tokens": 9, "output_tokens": 2}},
            row={"folder_paths": "/w/tea\n/w/b", "created_at": stamp(0)},
        )  # fmt: skip
        told = [{"tool_use_id": "c", "is_error": False, "content": "tea"}]
        store.thread(
            "o", older(1, "user", "Which?"),
            older(2, "assistant", "Sencha.", tool_uses=[{"id": "c", "name": "read"}]),
            older(3, "user", "", tool_results=told), packed=False, version="0.2.0",
        )  # fmt: skip
        store.thread("s", user("Look."), row={"parent_id": "t"})
        return store.packed()


def lost(events: Iterable[ReadEvent]) -> list[str]:
    """The threads in which the number of messages differs from that of the messages in the document."""
    out: list[str] = []
    name, expected, found = "", 0, set[str]()
    for event in [*events, None]:
        match event:
            case Begin() | None:
                out += [f"{name}: {len(found)} of {expected} messages"] if len(found) != expected else []
                name, expected, found = "" if event is None else event.info.source_id, 0, set()
            case Raw(offset, data) if offset:
                listed = parse_object(data).get("messages")
                expected = len(listed) if isinstance(listed, list) else 0
            case Entry(id=id):
                found.add(id.partition("#")[0])
    return out
