"""A database of sessions as librecode writes it, in its newest form and in older ones."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fakes.source_database import FakeDatabase

_SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, cwd TEXT, name TEXT, parent_session TEXT DEFAULT '', created_at TEXT, updated_at TEXT);
CREATE TABLE session_entries (
    id TEXT PRIMARY KEY, session_id TEXT, parent_id TEXT, entry_type TEXT, role TEXT DEFAULT '',
    content TEXT DEFAULT '', provider TEXT DEFAULT '', model TEXT DEFAULT '', custom_type TEXT DEFAULT '',
    data_json TEXT DEFAULT '{}', summary TEXT DEFAULT '', created_at TEXT, tool_name TEXT DEFAULT '',
    tool_status TEXT DEFAULT '', tool_args_json TEXT DEFAULT '', token_estimate INTEGER DEFAULT 0,
    model_facing INTEGER DEFAULT 0, display INTEGER DEFAULT 1, compaction_first_kept_entry_id TEXT DEFAULT '',
    compaction_tokens_before INTEGER DEFAULT 0, branch_from_entry_id TEXT DEFAULT '');
CREATE TABLE session_message_parts (
    id TEXT PRIMARY KEY, session_id TEXT, entry_id TEXT, sequence INTEGER, type TEXT, text TEXT, mime_type TEXT,
    name TEXT, width INTEGER, height INTEGER, data BLOB);
CREATE TABLE runtime_documents (namespace TEXT, document_key TEXT, value_json TEXT, updated_at TEXT);
CREATE TABLE agent_tasks (task_id TEXT PRIMARY KEY, child_session_id TEXT UNIQUE, agent_name TEXT);
"""
OLDEST = """
CREATE TABLE sessions (id TEXT, cwd TEXT, name TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE session_entries (
    id TEXT, session_id TEXT, parent_id TEXT, entry_type TEXT, role TEXT, content TEXT, data_json TEXT, summary TEXT,
    created_at TEXT);
"""


def stamp(at: float) -> str:
    """A time as librecode writes it, without zeros at its end."""
    return f"2026-07-01T10:00:{f'{at:06.3f}'.rstrip('0').rstrip('.')}Z"


class Store(FakeDatabase):
    """An open database."""

    def __init__(self, path: Path, schema: str = _SCHEMA) -> None:
        super().__init__(path, schema)

    def session(self, id: str, at: float = 0, **more: Any) -> None:
        row = {"id": id, "cwd": "/w/tea", "name": "", "created_at": stamp(at), "updated_at": stamp(at), **more}
        self.add("sessions", **row)

    def entry(self, id: str, parent: str | None, type: str = "message", *, at: float = 1, **more: Any) -> None:
        """An entry of the session s; `data` is its data as an object."""
        data = more.pop("data", {})
        row = {"session_id": "s", "entry_type": type, "data_json": json.dumps(data), "created_at": stamp(at), **more}
        self.add("session_entries", id=id, parent_id=parent, **row)

    def said(self, id: str, parent: str | None, role: str, content: str, *, at: float = 1, **more: Any) -> None:
        is_sent = int(role in ("user", "assistant"))
        self.entry(id, parent, at=at, role=role, content=content, **{"model_facing": is_sent, **more})


TOOL = 'tool: read\ncall_id: c1\nparent_call_id: p\nsequence: 2\narguments:\n{"path":"a.py"}\noutput:\nerror:\ntea'


def packed() -> bytes:
    """The bytes of a database with branches, tools, a compaction, pictures, a detached root, and a subagent."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "librecode.db"))
        store.session("s", name="Tea")
        store.said("a", None, "user", "Which tea?", at=1)
        store.add("session_message_parts", id="p", entry_id="a", sequence=0, type="text", text="Which tea?")
        store.add(
            "session_message_parts", id="q", entry_id="a", sequence=1, type="image", mime_type="image/png",
            name="p.png", data=b"\x89",
        )  # fmt: skip
        store.said("b", "a", "thinking", "Hm.", at=2, provider="openai", model="m")
        store.said("c", "b", "toolResult", TOOL, at=3, tool_name="read")
        usage = {"context_window": 9, "context_tokens": 40, "input_tokens": 70, "output_tokens": 8}
        store.said("d", "c", "assistant", "Sencha.", at=4, provider="openai", model="m", data={"usage": usage})
        store.said("e", "a", "assistant", "Oolong.", at=5)
        store.entry(
            "f", "d", "compaction", at=6, summary="Tea.", compaction_first_kept_entry_id="d",
            compaction_tokens_before=90, data={"details": {"summarized_entries": 2}},
        )  # fmt: skip
        store.said("g", None, "toolResult", "tool: agent_result\noutput:\nDone", at=7)
        store.said("h", "g", "user", "And?", at=8)
        store.entry("i", "h", "session_info", at=9, data={"name": "Tea"})
        store.entry("j", "h", "label", at=9.5, data={"targetId": "a", "label": "here"})
        store.session("t", 5, parent_session="s")
        store.said("k", None, "user", "Look.", at=5, session_id="t")
        store.add("agent_tasks", task_id="1", child_session_id="t", agent_name="scout")
        return store.packed()
