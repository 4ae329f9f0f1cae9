"""The rows of opencode's database. Rows are found by their number, so that an id of any type does no harm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

from stemmata.formats.opencode.message import OpencodeMessage, message_of
from stemmata.formats.opencode.removed import removed_from, sessions_with_removed
from stemmata.formats.opencode.source import MessageRow, SessionRow, name_of
from stemmata.formats.shared.database import SourceDatabase, TooLargeError
from stemmata.formats.shared.values import instant

NEEDED = {"session": {"id"}, "message": {"id", "session_id", "data"}, "part": {"id", "message_id", "data"}}
_SESSION = (
    "id", "parent_id", "fork_session_id", "title", "directory", "project_id", "version", "slug", "agent",
    "share_url", "revert", "time_created", "time_updated", "time_archived",
)  # fmt: skip
_BITS = (1 << 40) - 1  # bits of a time that are used, so that a sum of many times fits SQLite's integers


def is_opencode(database: SourceDatabase) -> bool:
    """Return whether the database has opencode's tables."""
    return all(database.columns(table) >= columns for table, columns in NEEDED.items())


class Rows:
    """Reads rows. Older databases lack some columns, which count as NULL."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._columns = {table: database.columns(table) for table in (*NEEDED, "event", "session_message")}
        self._has_events = self._columns["event"] >= {"aggregate_id", "seq", "type", "data"}

    def has(self, table: str, column: str) -> bool:
        """Return whether the table has the column."""
        return column in self._columns[table]

    def sessions(self) -> list[SessionRow]:
        """Return all sessions, in the order in which they began."""
        listed = [self._column("session", name) for name in _SESSION]
        rows = self._database.rows(f"SELECT rowid, {', '.join(listed)} FROM session")
        found = [SessionRow(row, _facts(dict(zip(_SESSION, values, strict=True)))) for row, *values in rows]
        return sorted(found, key=lambda session: (session.created, session.id))

    def fingerprints(self, sessions: Sequence[SessionRow]) -> dict[str, str]:
        """Return a hash for each session, which changes when its rows do, by its id."""
        told: dict[Any, list[Any]] = {}
        for table in ("message", "part"):
            if not self.has(table, "session_id"):
                continue
            time = f"CAST({self._column(table, 'time_updated')} AS INTEGER) & {_BITS}"
            query = f"SELECT session_id, count(*), sum({time}), max({time}) FROM {table} GROUP BY +session_id"
            for id, *numbers in self._database.rows(query):
                told.setdefault(id, []).append([table, *numbers])
        if self._has_events:
            for id, number in self._database.rows("SELECT aggregate_id, count(*) FROM event GROUP BY aggregate_id"):
                told.setdefault(id, []).append(["event", number])
        return {session.id: _hash(session.facts, told.get(session.facts["id"])) for session in sessions}

    def messages(self, session: SessionRow) -> list[MessageRow]:
        """Return the messages of a session in order, also those that the program has deleted."""
        query = (
            f"SELECT m.rowid, m.id, {self._column('message', 'time_created', 'm.')} FROM session s"
            " JOIN message m ON m.session_id = s.id WHERE s.rowid = ?"
        )
        rows = self._database.rows(query, session.row)
        found = [MessageRow(row, name_of(id, row), instant(time), time) for row, id, time in rows]
        if self._has_events:
            there = {one.id for one in found}
            removed = removed_from(self._database, session.row)
            found += [MessageRow(0, id, one.created, removed=one) for id, one in removed.items() if id not in there]
        return sorted(found, key=lambda message: (message.created, message.id))

    def may_have_copied(self, one: MessageRow) -> frozenset[int]:
        """Return the numbers of the sessions that have a message of the same time, or have deleted some."""
        query = "SELECT s.rowid FROM message m JOIN session s ON s.id = m.session_id WHERE m.time_created = ?"
        return self._with_removed | {row for (row,) in self._database.rows(query, one.stamp)}

    @cached_property
    def _with_removed(self) -> frozenset[int]:
        return sessions_with_removed(self._database) if self._has_events else frozenset()

    def message(self, row: MessageRow) -> OpencodeMessage:
        """Return a message with its parts. Data that is too large counts as lost."""
        if row.removed is not None:
            return message_of(row.id, row.removed.info, sorted(row.removed.parts.items()), row.created)
        query = "SELECT p.rowid, p.id FROM message m JOIN part p ON p.message_id = m.id WHERE m.rowid = ?"
        listed = sorted((name_of(id, part), part) for part, id in self._database.rows(query, row.row))
        parts = [(name, self._data("part", part)) for name, part in listed]
        return message_of(row.id, self._data("message", row.row), parts, row.created)

    def data_of(self, row: MessageRow) -> OpencodeMessage:
        """Return a message without its parts."""
        return message_of(row.id, self._data("message", row.row), (), row.created)

    def updated(self, rows: Sequence[MessageRow]) -> int:
        """Return when one of these messages or their parts was written last, in ns; 0 when unknown."""
        latest = 0
        queries = [f"SELECT {self._column('message', 'time_updated')} FROM message WHERE rowid = ?"]
        if self.has("part", "time_updated"):
            queries.append(
                "SELECT p.time_updated FROM message m JOIN part p ON p.message_id = m.id WHERE m.rowid = ?"
            )
        for row in rows:
            for query in queries:
                times = (instant(time) for (time,) in self._database.rows(query, row.row))
                latest = max(latest, *times, 0)
        return latest

    def call_of(self, parent: SessionRow, child: SessionRow) -> Iterator[Any]:
        """Yield the data of the parent's parts that name the child."""
        if self.has("part", "session_id"):
            query = (
                "SELECT p.data FROM session s JOIN part p ON p.session_id = s.id"
                " WHERE s.rowid = ? AND instr(p.data, ?)"
            )
            yield from (data for (data,) in self._database.rows(query, parent.row, child.id))

    def strays(self) -> Iterator[tuple[int, str]]:
        """Yield the number of rows whose session or message is missing, and their kind."""
        for table, above, key in (("message", "session", "session_id"), ("part", "message", "message_id")):
            query = f"SELECT count(*) FROM {table} t WHERE NOT EXISTS (SELECT 1 FROM {above} a WHERE a.id = t.{key})"
            ((number,),) = self._database.rows(query)
            yield number, f"{table}s whose {above} is not in the database"
        if self._columns["session_message"]:
            ((number,),) = self._database.rows("SELECT count(*) FROM session_message")
            yield number, "messages in the table session_message, which no version of opencode in use writes"

    def _column(self, table: str, name: str, alias: str = "") -> str:
        return f"{alias}{name}" if self.has(table, name) else "NULL"

    def _data(self, table: str, row: int) -> Any:
        try:
            return self._database.row(f"SELECT data FROM {table} WHERE rowid = ?", row)[0]
        except TooLargeError:
            return None


def _facts(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a session with texts instead of bytes; its own id stays as it is."""
    for name, value in columns.items():
        if isinstance(value, bytes) and name != "id":
            is_id = name in ("parent_id", "fork_session_id")
            columns[name] = name_of(value, 0) if is_id and value else value.decode("utf-8", "replace")
    return columns


def _hash(*values: Any) -> str:
    return blake2b(repr(values).encode("utf-8", "replace"), digest_size=8).hexdigest()
