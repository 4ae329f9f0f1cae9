"""A database of sessions as Hermes writes it, in its newest form and in an older one."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fakes.source_database import FakeDatabase

SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
    cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,
    billing_provider TEXT, estimated_cost_usd REAL, actual_cost_usd REAL, title TEXT, title_source TEXT,
    last_activity_at REAL);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT, timestamp REAL NOT NULL,
    token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
    codex_reasoning_items TEXT, codex_message_items TEXT, observed INTEGER DEFAULT 0,
    _compressed_summary INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT, display_metadata TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
"""
OLDER = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT, model TEXT, parent_session_id TEXT, started_at REAL, title TEXT);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT,
    timestamp REAL);
"""
AT = 1_784_282_400  # seconds


def call(id: str, name: str = "look", **arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


class Store(FakeDatabase):
    """An open database."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        super().__init__(path, schema)

    def session(self, id: str = "s", at: int = 0, **more: Any) -> None:
        self.add("sessions", id=id, **{"source": "cli", "model": "m", "started_at": AT + at, "title": "Tea", **more})

    def said(self, id: int, role: str, content: Any = None, *calls: Any, session: str = "s", **more: Any) -> None:
        row = {"timestamp": AT + id + 0.5, **more}
        if calls:
            row["tool_calls"] = json.dumps(calls)
        if role == "tool":
            row = {"tool_call_id": "c", **row}
        self.add("messages", id=id, session_id=session, role=role, content=content, **row)


def fill(store: Store) -> None:
    """Add a session with a call, an undone turn and a compaction, and the session of a subagent."""
    store.session(cwd="/w", billing_provider="p", output_tokens=9, actual_cost_usd=0.25)
    store.said(1, "user", "Which tea?", active=0, compacted=1)
    store.said(2, "assistant", "I look.", call("c", "delegate_task", goal="Look"), active=0, compacted=1)
    store.said(3, "tool", "Sencha", tool_name="delegate_task", active=0, compacted=1)
    store.said(4, "user", "And cake?", active=0)
    store.said(5, "assistant", "Cheesecake.", active=0)
    store.said(6, "assistant", "Take Sencha.", reasoning="Hm, green.", finish_reason="stop", active=0, timestamp=AT)
    store.said(7, "user", "[CONTEXT COMPACTION] They drink Sencha.", _compressed_summary=1)
    store.said(8, "assistant", "Take Sencha.", reasoning="Hm, green.", finish_reason="stop", timestamp=AT)
    store.said(9, "user", "Why green?")
    store.session("t", 2, source="subagent", parent_session_id="s", title="Look")
    store.said(10, "user", "Look for tea.", session="t")
    store.said(11, "assistant", "Found Sencha.", session="t")


def packed() -> bytes:
    """The bytes of a database as `fill` makes it."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "state.db"))
        fill(store)
        return store.packed()
