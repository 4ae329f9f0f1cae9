"""A database as opencode 1.18 writes it, with the tables and columns that sessions need."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent, Skipped

START = 1_760_000_000_000  # ms since the epoch
_SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
CREATE TABLE session (
    id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, share_url text, summary_diffs text, cost real DEFAULT 0 NOT NULL,
    revert text, agent text, time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message (
    id text PRIMARY KEY, session_id text NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (
    id text PRIMARY KEY, message_id text NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text);
CREATE TABLE event (
    id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
CREATE TABLE session_message (
    id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq)
"""

Data = dict[str, Any]


def ms(at: int) -> int:
    """The time of second `at`."""
    return START + at * 1000


def text(said: str, **more: Any) -> Data:
    return {"type": "text", "text": said, **more}


def tool(call: str, output: str | None, *, name: str = "bash", at: int = 0, **state: Any) -> Data:
    """A call with its result; without an output it still runs."""
    told: Data = {"status": "running", "input": {"command": "ls"}, "time": {"start": ms(at)}}
    if output is not None:
        told |= {"status": "completed", "output": output, "title": "ls", "metadata": {"exit": 0}}
        told["time"] = {"start": ms(at), "end": ms(at) + 500}
    return {"type": "tool", "tool": name, "callID": call, "state": {**told, **state}}


def tokens(sent: int, output: int, *, thought: int = 0, read: int = 0, total: int | None = None) -> Data:
    counted = {"input": sent, "output": output, "reasoning": thought, "cache": {"read": read, "write": 0}}
    return {**counted, "total": sent + output + thought + read if total is None else total}


class Store:
    """An open database of opencode's. Times are seconds after START; parts get the message's id and a number."""

    def __init__(self, path: Path, *, log: bool = False, events: bool = True) -> None:
        self.path = path
        self._has_events = events
        is_new = not path.exists()
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")
        if is_new:
            self.connection.execute(f"PRAGMA journal_mode = {'WAL' if log else 'DELETE'}")
            self.connection.executescript(_SCHEMA)
            if not events:
                self.connection.executescript(
                    "DROP TABLE event; DROP TABLE event_sequence; DROP TABLE session_message"
                )

    def close(self) -> None:
        self.connection.close()

    def session(self, id: str, at: int = 0, **columns: Any) -> None:
        row = {
            "id": id, "project_id": "p", "slug": "quick-tea", "directory": "/w/tea", "title": "Tea",
            "version": "1.18.33", "time_created": ms(at), "time_updated": ms(at), **columns,
        }  # fmt: skip
        self._insert("session", row)

    def change(self, table: str, id: str, **columns: Any) -> None:
        listed = ", ".join(f"{name} = ?" for name in columns)
        self.connection.execute(f"UPDATE {table} SET {listed} WHERE id = ?", (*columns.values(), id))

    def message(self, session: str, id: str, data: Data, *parts: Data, at: int, updated: int | None = None) -> None:
        later = ms(at if updated is None else updated)
        row = {"id": id, "session_id": session, "data": json.dumps(data)}
        self._insert("message", {**row, "time_created": ms(at), "time_updated": later})
        self.event(session, "message.updated.1", {"info": {**data, "id": id, "sessionID": session}})
        for number, part in enumerate(parts):
            self.part(session, id, f"{id}_{number}", part, at=at, updated=updated)

    def part(self, session: str, message: str, id: str, data: Data, *, at: int, updated: int | None = None) -> None:
        later = ms(at if updated is None else updated)
        row = {"id": id, "message_id": message, "session_id": session, "data": json.dumps(data)}
        self._insert("part", {**row, "time_created": ms(at), "time_updated": later})
        told = {**data, "id": id, "messageID": message, "sessionID": session}
        self.event(session, "message.part.updated.1", {"part": told, "time": later})

    def prompt(self, session: str, id: str, *parts: Data | str, at: int, **more: Any) -> None:
        model = {"providerID": "anthropic", "modelID": "m"}
        data = {"role": "user", "time": {"created": ms(at)}, "agent": "build", "model": model, **more}
        self.message(session, id, data, *(text(one) if isinstance(one, str) else one for one in parts), at=at)

    def reply(
        self, session: str, id: str, *parts: Data | str, at: int, done: bool = True, counted: Data | None = None,
        **more: Any,
    ) -> None:  # fmt: skip
        """A reply; the program writes on it unless it is done."""
        counted = counted or tokens(100, 7, read=20)
        data: Data = {
            "role": "assistant", "time": {"created": ms(at)}, "parentID": more.pop("above", "?"), "mode": "build",
            "agent": "build", "path": {"cwd": "/w/tea", "root": "/w/tea"}, "cost": 0, "modelID": "m",
            "providerID": "anthropic", "tokens": tokens(0, 0),
        }  # fmt: skip
        if done:
            data |= {"time": {"created": ms(at), "completed": ms(at) + 900}, "tokens": counted, "finish": "stop"}
        said = [text(one, time={"start": ms(at), "end": ms(at)}) if isinstance(one, str) else one for one in parts]
        if done:
            said.append({"type": "step-finish", "reason": "stop", "tokens": counted, "cost": more.get("cost", 0)})
        self.message(session, id, {**data, **more}, {"type": "step-start", "snapshot": "s"}, *said, at=at)

    def turn(self, session: str, number: int, *, at: int) -> None:
        """A prompt and its reply: `u1` and `a1` of the session."""
        self.prompt(session, f"{session}_u{number}", f"Question {number}?", at=at)
        self.reply(session, f"{session}_a{number}", f"Answer {number}.", at=at + 1, above=f"{session}_u{number}")

    def fork(self, source: str, id: str, before: str, at: int, **columns: Any) -> None:
        """Copy the messages before one into a new session, with new ids and their old times."""
        self.session(id, at, title="Tea (fork #1)", **columns)
        query = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
        for number, (message, created, data) in enumerate(self.connection.execute(query, (source,)).fetchall()):
            if message == before:
                break
            copy = json.loads(data)
            copy |= {"parentID": f"{id}_c{number - 1}"} if "parentID" in copy else {}
            listed = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
            parts = [json.loads(part) for (part,) in self.connection.execute(listed, (message,)).fetchall()]
            self.message(id, f"{id}_c{number}", copy, *parts, at=(created - START) // 1000, updated=at)

    def revert(self, session: str, message: str) -> None:
        told = {"messageID": message, "snapshot": "s", "diff": ""}
        self.change("session", session, revert=json.dumps(told))

    def remove(self, session: str, *messages: str) -> None:
        """Delete messages, as a prompt after a revert does."""
        for message in messages:
            self.connection.execute("DELETE FROM part WHERE message_id = ?", (message,))
            self.connection.execute("DELETE FROM message WHERE id = ?", (message,))
            self.event(session, "message.removed.1", {"messageID": message})
        self.change("session", session, revert=None)

    def compaction(self, session: str, id: str, summary: str, *, at: int, tail: str | None = None) -> None:
        """A compaction: `<id>u` asks for it, `<id>a` is its summary."""
        asked = {"type": "compaction", "auto": True} | ({"tail_start_id": tail} if tail else {})
        self.prompt(session, f"{id}u", asked, at=at)
        self.reply(session, f"{id}a", summary, at=at + 1, above=f"{id}u", mode="compaction", summary=True)

    def event(self, session: str, type: str, data: Data) -> None:
        if not self._has_events:
            return
        query = "SELECT count(*) FROM event WHERE aggregate_id = ?"
        ((seq,),) = self.connection.execute(query, (session,)).fetchall()
        told = json.dumps({"sessionID": session, **data})
        row = {"id": f"evt_{session}_{seq}", "aggregate_id": session, "seq": seq, "type": type, "data": told}
        self._insert("event", row)

    def _insert(self, table: str, row: Data) -> None:
        names = ", ".join(row)
        marks = ", ".join("?" * len(row))
        query = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"
        self.connection.execute(query, tuple(row.values()))


@contextmanager
def store(path: Path, *, log: bool = False, events: bool = True) -> Iterator[Store]:
    """Open or make a database, and close it again."""
    made = Store(path, log=log, events=events)
    try:
        yield made
    finally:
        made.close()


def unpacked(database: Path, storage: Path) -> dict[str, Path]:
    """Write the sessions of a database as the files of older versions; returns the files of the sessions by id."""
    out: dict[str, Path] = {}

    def put(path: Path, value: Data) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2))
        return path

    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT id, parent_id, title, directory, version, revert, time_created, time_updated FROM session"
        for id, parent, title, folder, version, revert, created, updated in connection.execute(query).fetchall():
            info = {"id": id, "version": version, "projectID": "p", "directory": folder, "title": title}
            info |= {"parentID": parent} if parent else {}
            info |= {"revert": json.loads(revert)} if revert else {}
            told = {**info, "time": {"created": created, "updated": updated}, "share": {"url": "https://x"}}
            out[id] = put(storage / "session" / "p" / f"{id}.json", told)
        for id, session, data in connection.execute("SELECT id, session_id, data FROM message").fetchall():
            put(storage / "message" / session / f"{id}.json", {**json.loads(data), "id": id, "sessionID": session})
        query = "SELECT id, message_id, session_id, data FROM part"
        for id, message, session, data in connection.execute(query).fetchall():
            told = {**json.loads(data), "id": id, "messageID": message, "sessionID": session}
            put(storage / "part" / message / f"{id}.json", told)
    return out


def packed() -> bytes:
    """The bytes of a database with everything that a session can have."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "opencode.db")
        with store(path) as made:
            made.session("s")
            made.turn("s", 1, at=2)
            made.prompt("s", "u", "List.", text("Called Read", synthetic=True), at=4)
            thought = {"type": "reasoning", "text": "Hm."}
            made.reply("s", "a", thought, tool("c", "a.py", at=5), tool("d", None, status="error"), at=5)
            made.compaction("s", "k", "Tea.", at=8, tail="u")
            made.turn("s", 3, at=12)
            made.fork("s", "f", "u", at=20)
            made.turn("f", 1, at=21)
            made.remove("s", "s_u3", "s_a3")
            made.turn("s", 4, at=30)
            made.revert("s", "s_u4")
            made.session("t", 40, parent_id="s")
            made.turn("t", 1, at=41)
        return path.read_bytes()


def lost(path: Path, events: Iterable[ReadEvent]) -> list[str]:
    """What is neither an entry, nor a part of one, nor reported: lines of a source, and messages in the table."""
    found: list[str] = []
    lines, name = 0, ""
    starts: dict[int, int] = {}  # offset of a line → its number
    told: dict[str, int] = {}
    for event in events:
        match event:
            case Begin(info):
                found += [f"{name}: line {number} is nothing" for number in starts.values()]
                starts, lines, name = {}, 0, info.source_id.rpartition("/")[2]
                told[name] = 0
            case Raw(offset):
                lines += 1
                told[name] += lines > 1
                starts |= {offset: lines} if lines > 1 else {}
            case Entry(record=record) if record is not None:
                starts.pop(record.offset, None)
            case Skipped(number, reason):
                starts = {offset: line for offset, line in starts.items() if line != number}
                told[name] += int(reason.partition(" ")[0]) if "still being written" in reason else 0
    found += [f"{name}: line {number} is nothing" for number in starts.values()]
    if path.suffix != ".db":
        return found
    query = (
        "SELECT count(*) FROM session s NOT INDEXED JOIN message m NOT INDEXED ON m.session_id = s.id WHERE s.id = ?"
    )
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        connection.text_factory = bytes
        for id, number in told.items():
            ((rows,),) = connection.execute(query, (id,)).fetchall()
            found += [f"{id}: {rows} messages, {number} are told"] if rows > number else []
    return found
