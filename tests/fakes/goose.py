"""A database of sessions as Goose writes it, in its newest form and in an older one, and a file of older versions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent, Skipped
from stemmata.formats.goose.log import is_header
from stemmata.formats.shared.values import BadLineError, parse
from tests.fakes.source_database import FakeDatabase

Json = dict[str, Any]
SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', user_set_name BOOLEAN,
    session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
    parent_session_id TEXT, provider_name TEXT, model_config_json TEXT, schedule_id TEXT, total_tokens INTEGER,
    input_tokens INTEGER, output_tokens INTEGER);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
CREATE TABLE usage_ledger (
    session_id TEXT, created_timestamp INTEGER, model TEXT, input_tokens INTEGER, output_tokens INTEGER,
    total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT,
    is_compaction INTEGER DEFAULT 0);
"""
OLDER = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, description TEXT NOT NULL, working_dir TEXT NOT NULL, created_at TIMESTAMP,
    updated_at TIMESTAMP, total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL);
"""
AT = 1_784_282_400  # seconds
GO_ON = (
    "Your context was compacted. The previous message contains a summary of the conversation so far.\n"
    "Do not mention that you read a summary or that conversation summarization occurred."
)
UNSEEN, HIDDEN = {"userVisible": True, "agentVisible": False}, {"userVisible": False, "agentVisible": True}
GONE = {"userVisible": False, "agentVisible": False}


def stamp(at: int) -> str:
    return f"2026-07-17 10:00:{at:02d}"


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def call(id: str, **arguments: Any) -> Json:
    value = {"name": "developer__shell", "arguments": arguments}
    return {"type": "toolRequest", "id": id, "toolCall": {"status": "success", "value": value}}


def response(id: str, *content: Json, **more: Any) -> Json:
    value = {"content": list(content), "isError": False, **more}
    return {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": value}}


class Store(FakeDatabase):
    """An open database."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        super().__init__(path, schema)

    def session(self, id: str | None = "s", at: int = 0, **more: Any) -> None:
        self.add("sessions", id=id, working_dir="/w/tea", created_at=stamp(at), updated_at=stamp(at), **more)

    def said(self, id: str, role: str, *content: Any, at: int = 0, session: str = "s", **more: Any) -> None:
        """A message; `seen` is its metadata."""
        items = [text(one) if isinstance(one, str) else one for one in content]
        row = {"message_id": id, "content_json": json.dumps(items), **more}
        if "seen" in row:
            row["metadata_json"] = json.dumps(row.pop("seen"))
        self.add("messages", session_id=session, role=role, created_timestamp=AT + at, **row)

    def spent(self, at: int, sent: int, written: int, **more: Any) -> None:
        row = {"session_id": "s", "model": "m", "total_tokens": sent + written, "cost": 0.5, **more}
        self.add("usage_ledger", created_timestamp=AT + at, input_tokens=sent, output_tokens=written, **row)


def fill(store: Store) -> None:
    """Add sessions with tools, a compaction, notices, a fork and a subagent."""
    store.session("s", name="Tea", provider_name="p", model_config_json='{"model_name": "m"}')
    store.said("a", "user", "Which tea?", at=1, seen=UNSEEN)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    store.said("b", "assistant", thought, "I look.", call("c"), at=2, seen=UNSEEN)
    store.said("d", "user", response("c", text("Sencha")), at=3, seen=UNSEEN)
    store.said("e", "assistant", "Sencha.", at=4, seen=UNSEEN)
    note = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compaction complete"}
    store.said("f", "assistant", note, at=5, seen=UNSEEN)
    store.said("g", "user", "They like Sencha.", at=6, seen=HIDDEN)
    store.said("h", "assistant", GO_ON, at=6, seen=HIDDEN)
    store.said("i", "user", "Why?", at=7)
    store.said("j", "assistant", "It is green.", at=8)
    store.spent(2, 90, 5, cache_read_tokens=60)
    store.spent(8, 40, 4)
    store.session("t", 9)
    store.said("a", "user", "Which tea?", at=1, session="t")
    store.said("k", "user", "Another?", at=9, session="t")
    store.session("u", 9, session_type="sub_agent", parent_session_id="s")
    store.said("l", "user", "Look.", at=9, session="u")


def packed() -> bytes:
    """The bytes of a database as `fill` makes it."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "sessions.db"))
        fill(store)
        return store.packed()


def versions() -> list[bytes]:
    """The bytes of a database after each message, and after a compaction."""
    out = []
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "sessions.db"))
        store.session()
        talk = [
            ("user", "Which?"),
            ("assistant", call("c")),
            ("user", response("c", text("tea"))),
            ("assistant", "A"),
        ]
        for at, (role, said) in enumerate(talk):
            store.said(f"m{at}", role, said, at=at)
            store.spent(at, at + 1, 1)
            out.append(store.path.read_bytes())
        store.connection.execute("UPDATE messages SET metadata_json = ?", (json.dumps(UNSEEN),))
        store.said("s", "user", "Summary.", at=9, seen=HIDDEN)
        store.said("g", "assistant", GO_ON, at=9, seen=HIDDEN)
        store.spent(9, 5, 1, is_compaction=1)
        out.append(store.path.read_bytes())
        store.said("u", "user", "And?", at=10)
        out.append(store.path.read_bytes())
        store.close()
    return out


def lost(events: Iterable[ReadEvent]) -> list[str]:
    """The sessions in which the lines behind the first are not as many as the messages and what was skipped."""
    out, name, count = [], "", 0
    for event in events:
        match event:
            case Begin(info):
                name, count = info.source_id, 0
                made: set[int] = set()
            case Raw(offset):
                count += bool(offset)
            case Entry(record=record) if record is not None:
                made.add(record.offset)
            case Skipped():
                count -= 1
            case End():
                out += [f"{name}: {count - len(made)} lines are nothing"] if count != len(made) else []
    return out


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines of a file are entries and how many were skipped; and the lines that are neither, nor facts."""
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    made = {event.record.offset for event in read if isinstance(event, Entry) and event.record is not None}
    lost, start = [], 0
    for number, whole in enumerate(data.split(b"\n"), 1):
        one = whole if start else whole.removeprefix(b"\xef\xbb\xbf")
        is_known = not one.strip() or number in skipped or start + len(whole) - len(one) in made
        with suppress(BadLineError):
            is_known = is_known or is_header(parse(one))
        lost += [] if is_known else [f"line {number} is nothing"]
        start += len(whole) + 1
    return Counter(entry=len(made), skipped=len(skipped)), lost


def header(**more: Any) -> Json:
    facts = {"description": "Tea", "working_dir": "/w/tea", "message_count": 2, "created_at": "2025-07-24T10:00:00Z"}
    return {**facts, **more}


def line(role: str, said: str, at: int = 0, **more: Any) -> Json:
    return {"role": role, "created": AT + at, "content": [text(said)], **more}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def log() -> bytes:
    return lines(header(), line("user", "Which tea?"), line("assistant", "Sencha.", 1, id="b"), line("user", "x", 1))
