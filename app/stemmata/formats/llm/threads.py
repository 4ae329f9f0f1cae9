"""Read the threads of llm: each thread names its last message, and each message the previous one.

A message's id is a hash of its content and of those before it, so threads share the messages of their beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, Raw, ReadEvent, Repaired
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.llm.parts import Parts, usage_of
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.reply_parts import split_at_results
from stemmata.formats.shared.values import dump, instant

SOURCE = "llm"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.USER}
_TURN = (
    "thread_id", "parent_message_hash", "tip_message_hash", "model", "resolved_model", "input_tokens",
    "output_tokens", "token_details", "datetime_utc",
)  # fmt: skip


_STRAYS = """
    WITH RECURSIVE up (hash) AS (
        SELECT tip_message_hash FROM threads UNION SELECT tip_message_hash FROM turns
        UNION SELECT messages.parent_hash FROM up JOIN messages ON messages.hash = up.hash)
    SELECT count(*) FROM messages WHERE NOT EXISTS (SELECT 1 FROM up WHERE up.hash = messages.hash)"""


@dataclass(frozen=True, slots=True)
class _Thread:
    name: str
    tip: str
    forked_from: str
    time: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """A request to a model. `before` is the last message that it sent, `tip` the last that came of it."""

    thread: str
    before: str
    tip: str
    model: str
    usage: Usage | None
    time: int


class LlmThreads:
    """Reads the threads of a database. Their facts and those of the turns are held in memory, messages are not."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._threads: dict[str, _Thread] = {}
        self._turns: dict[str, list[_Turn]] = {}  # thread → its turns
        self._first: dict[str, _Turn] = {}  # message → the first turn that sent it or ended with it
        self._is_there = self.are_in(database)
        if self._is_there:
            self._load()
        self._parts = Parts(database)

    @staticmethod
    def are_in(database: SourceDatabase) -> bool:
        """Return whether the database has tables of threads."""
        return (
            database.columns("threads") >= {"id", "name", "tip_message_hash", "forked_from", "datetime_utc"}
            and database.columns("turns") >= {"id", *_TURN}
            and database.columns("messages") >= {"hash", "parent_hash", "role"}
            and database.columns("parts")
            >= {"id", "message_hash", "position", "type", "tool_name", "text", "payload"}
        )

    def has(self, id: str) -> bool:
        """Return whether there is a thread with this id."""
        return id in self._threads

    def prints(self) -> dict[str, str]:
        """Return the fingerprint of each thread, by the thread's id."""
        return {
            id: f"{thread.tip}/{len(self._turns.get(id, ()))}/{thread.name}" for id, thread in self._threads.items()
        }

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a thread."""
        thread = self._threads[id]
        facts = {"forkedFrom": thread.forked_from} if thread.forked_from else {}
        yield Begin(
            SessionInfo(
                source=SOURCE, source_id=id, title=thread.name, created_at=thread.time,
                parent_source_id=thread.forked_from if thread.forked_from != id else "",
                details=compact_json(facts) if facts else "",
            )
        )  # fmt: skip
        header = compact_json({"thread": id}).encode() + b"\n"
        yield Raw(0, header)
        offset = len(header)
        ends: dict[str, str | None] = {}
        taken = set[str]()
        for tip in (*(turn.tip for turn in self._turns.get(id, ())), thread.tip):
            for message in self._chain(tip, ends):
                found = self._message(message)
                line = compact_json({"hash": message, **found}).encode() + b"\n"
                yield Raw(offset, line)
                record = Record(offset, len(line) - 1)
                offset += len(line)
                above = ends.get(found["parent"])
                is_root = bool(found["parent"]) and found["parent"] not in ends
                if is_root:
                    yield Repaired(f"The message {found['parent']} before it is missing.", message)
                for event in self._entries(message, found, record):
                    if isinstance(event, Blob):
                        yield event
                        continue
                    flags = event.flags | (Flag.REPAIRED if is_root and above is None else Flag.NONE)
                    entry_id = free_id(event.id, taken)
                    taken.add(entry_id)
                    yield replace(event, id=entry_id, parent=above, flags=flags)
                    above = entry_id
                ends[message] = above
        yield End(ends.get(thread.tip), leaf_known=thread.tip in ends)

    def strays(self) -> int:
        """Return how many messages no thread and no turn leads to."""
        if not self._is_there:
            return 0
        ((number,),) = self._database.rows(_STRAYS)
        return int(number)

    def _load(self) -> None:
        rows = self._database.rows("SELECT id, name, tip_message_hash, forked_from, datetime_utc FROM threads")
        for id, name, tip, forked_from, time in rows:
            self._threads[plain(id)] = _Thread(plain(name), plain(tip), plain(forked_from), instant(time))
        rows = self._database.rows(f"SELECT {', '.join(_TURN)} FROM turns ORDER BY id")
        for id, before, tip, model, resolved, sent, written, details, time in rows:
            usage = usage_of(sent, written, details)
            turn = _Turn(plain(id), plain(before), plain(tip), plain(resolved or model), usage, instant(time))
            self._turns.setdefault(turn.thread, []).append(turn)
            self._first.setdefault(turn.before, turn)
            self._first.setdefault(turn.tip, turn)

    def _chain(self, tip: str, known: dict[str, str | None]) -> list[str]:
        """Return the messages up to `tip` that are not known, the first one first."""
        chain: dict[str, None] = {}
        at = tip
        while at and at not in known and at not in chain:
            rows = list(self._database.rows("SELECT parent_hash FROM messages WHERE hash = ?", at))
            if not rows:
                break
            chain[at] = None
            at = plain(rows[0][0])
        return list(chain)[::-1]

    def _message(self, id: str) -> dict[str, Any]:
        """Return role, parent and parts of a message."""
        parent, role = self._database.row("SELECT parent_hash, role FROM messages WHERE hash = ?", id)
        query = (
            "SELECT position, type, tool_name, text, payload FROM parts WHERE message_hash = ? ORDER BY position, id"
        )
        names = ("position", "type", "tool_name", "text")
        parts = []
        for *told, payload in self._database.rows(query, id):
            part = {name: plain(value) for name, value in zip(names, told, strict=True)} | {
                "payload": parsed(payload)
            }
            parts.append({**part, "text": self._parts.text_of(part)})
        return {"parent": plain(parent), "role": plain(role), "parts": parts}

    def _entries(self, id: str, message: dict[str, Any], record: Record) -> Iterator[Entry | Blob]:
        """Yield the entries of a message without their parents, its blobs before them."""
        turn = self._first.get(id)
        role = _ROLES.get(message["role"], Role.NONE)
        is_reply = role is Role.ASSISTANT and turn is not None and turn.tip == id
        blobs: list[Blob] = []
        parts = list(self._parts.of(id, message["parts"], blobs))
        calls = any(part["type"] == "tool_call" for part in message["parts"])
        flags = Flag.HIDDEN if role is Role.SYSTEM else Flag.NONE
        whole = Entry(
            id=id, role=role, time=turn.time if turn is not None else 0, record=record,
            model=turn.model if turn is not None and role is Role.ASSISTANT else "",
            usage=turn.usage if turn is not None and is_reply else None,
            flags=Flag.ENDS_TURN if role is Role.ASSISTANT and not calls else flags,
        )  # fmt: skip
        yield from blobs
        if role is Role.NONE:
            yield replace(whole, kind=Kind.UNKNOWN, flags=Flag.HIDDEN, details=dump(message))
        else:
            yield from split_at_results(whole, parts)
