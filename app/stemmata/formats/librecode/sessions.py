"""Read the sessions of librecode's database: rows of entries, arranged as the tree that they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Flag
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, ReadEvent, Repaired, Skipped, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.librecode.entries import entries_of
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseSessions
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.forest import placed
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.values import instant, mapping

NEEDED: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "cwd", "name", "created_at", "updated_at"}),
    "session_entries": frozenset(
        {"id", "session_id", "parent_id", "entry_type", "content", "data_json", "created_at"}
    ),
}
_COLUMNS = (
    "id", "parent_id", "entry_type", "role", "content", "provider", "model", "custom_type", "data_json", "summary",
    "created_at", "tool_name", "tool_status", "tool_args_json", "model_facing", "display",
    "compaction_first_kept_entry_id", "compaction_tokens_before", "branch_from_entry_id",
)  # fmt: skip
_PARTS = ("type", "text", "mime_type", "name", "data")
_SETTINGS = ("provider", "model", "thinking_level")


# the first row of entries whose session is missing
_DETACHED = """
    SELECT min(rowid), session_id FROM session_entries
    WHERE session_id NOT IN (SELECT id FROM sessions WHERE id NOT NULL)
    GROUP BY session_id ORDER BY 1"""


@dataclass(frozen=True, slots=True)
class _Session:
    """A session. `row` is its row; of one whose row `is_missing`, the first row of its entries."""

    row: int
    name: str
    cwd: str
    parent: str
    created: str
    updated: str
    is_missing: bool = False


class LibrecodeSessions(DatabaseSessions):
    """The sessions of a database. Older databases lack some tables and columns."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        there = database.columns("session_entries")
        self._columns = ", ".join(name if name in there else f"NULL AS {name}" for name in _COLUMNS)
        parent = "parent_session" if "parent_session" in database.columns("sessions") else "''"
        self._sessions: dict[str, _Session] = {}
        rows = database.rows(f"SELECT rowid, id, name, cwd, {parent}, created_at, updated_at FROM sessions")
        for row, id, *facts in rows:
            name, cwd, above, created, updated = map(plain, facts)
            self._sessions.setdefault(plain(id), _Session(row, name, cwd, above, created, updated))
        self._agents = self._spawned()
        self._has_parts = database.columns("session_message_parts") >= {"entry_id", "sequence", *_PARTS}
        self._has_settings = database.columns("runtime_documents") >= {"namespace", "document_key", "value_json"}

    def prints(self) -> Mapping[str, str]:
        """Return number and last row of the entries of each session, with its facts, the oldest session first."""
        rows = self._database.rows("SELECT session_id, count(*), max(rowid) FROM session_entries GROUP BY session_id")
        last = {plain(id): f"{number}/{row}" for id, number, row in rows}
        ordered = sorted(self._sessions.items(), key=lambda item: (instant(item[1].created), item[0]))
        return {id: f"{last.get(id, '')}/{one.updated}/{one.name}/{one.parent}" for id, one in ordered}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session."""
        return self._events(id, self._sessions[id])

    def _events(self, id: str, session: _Session) -> Iterator[ReadEvent]:
        source = ComposedSource()
        yield Begin(self._info(id, session))
        yield source.line({"session": id, "name": session.name, "cwd": session.cwd})[0]
        if session.is_missing:
            yield Repaired("The session of these entries is missing in the database.")
        rows, repeats = self._tree(session)
        yield from (Skipped(0, f"row {row}: has the id of an earlier entry") for row in repeats)
        parents = {one: parent for one, (_, parent) in rows.items()}
        taken = set(rows)
        for place in placed(parents, {}):
            if place.repair:
                yield Repaired(place.repair, place.id)
            row = self._row(rows[place.id][0])
            blobs, blocks = self._parts(place.id, row)
            raw, record = source.line({**row, "parts": [_told(block) for block in blocks]})
            yield raw
            yield from blobs
            above = place.parent
            for one in entries_of(row, blocks, record):
                entry = with_free_id(one, place.id, taken)
                flags = Flag.REPAIRED if place.repair and above is None else Flag.NONE
                yield replace(entry, parent=above, flags=entry.flags | flags)
                above = entry.id
        yield End(next(reversed(rows), None), leaf_known=True)

    def unlisted(self) -> Iterator[ReadEvent]:
        """Yield the sessions of which only entries are there, and the number of entries that name no session."""
        for row, id in list(self._database.rows(_DETACHED)):
            yield from self._events(plain(id), _Session(row, "", "", "", "", "", is_missing=True))
        (number,) = self._database.row("SELECT count(*) FROM session_entries WHERE session_id IS NULL")
        if number:
            yield UnusedPart(f"entries: {number}", "they name no session")

    def _tree(self, session: _Session) -> tuple[dict[str, tuple[int, str | None]], list[int]]:
        """Return row and parent of each entry, those written first before the others, and the rows that repeat an id.

        Times are compared as times: as texts they are not in order.
        """
        column = "session_id FROM session_entries" if session.is_missing else "id FROM sessions"
        query = (
            "SELECT rowid, id, parent_id, created_at FROM session_entries"
            f" WHERE session_id = (SELECT {column} WHERE rowid = ?)"
        )
        found = sorted(
            ((instant(plain(time)), row, plain(id), plain(parent) or None) for row, id, parent, time in
             self._database.rows(query, session.row)),
        )  # fmt: skip
        rows: dict[str, tuple[int, str | None]] = {}
        repeats = []
        for _, row, id, parent in found:
            if id in rows:
                repeats.append(row)
            else:
                rows[id] = (row, parent)
        return rows, repeats

    def _row(self, row: int) -> dict[str, str]:
        values = self._database.row(f"SELECT {self._columns} FROM session_entries WHERE rowid = ?", row)
        return {name: plain(value) for name, value in zip(_COLUMNS, values, strict=True)}

    def _parts(self, id: str, row: Mapping[str, str]) -> tuple[list[Blob], list[Text | Image]]:
        """Return the text and the pictures of an entry; only newer rows have them apart from the content."""
        query = f"SELECT {', '.join(_PARTS)} FROM session_message_parts WHERE entry_id = ? ORDER BY sequence"
        blobs: list[Blob] = []
        blocks: list[Text | Image] = []
        for type, said, media_type, name, data in self._database.rows(query, id) if self._has_parts else ():
            if plain(type) == "image" and isinstance(data, bytes):
                blobs.append(Blob(hashlib.sha256(data).hexdigest(), data))
                blocks.append(Image(plain(media_type), blobs[-1].digest, len(data), plain(name)))
            elif plain(said):
                blocks.append(Text(plain(said)))
        return blobs, blocks or ([Text(row["content"])] if row["content"] else [])

    def _info(self, id: str, session: _Session) -> SessionInfo:
        details = self._settings(id)
        if agent := self._agents.get(id):
            details["agent"] = agent
        parent = session.parent if session.parent != id else ""
        return SessionInfo(
            source="librecode", source_id=self._source_id(id), title=session.name, cwd=session.cwd,
            created_at=instant(session.created), parent_source_id=self._source_id(parent) if parent else "",
            details=compact_json(details) if details else "",
        )  # fmt: skip

    def _source_id(self, id: str) -> str:
        """Return the id of a session; a subagent's begins with the id of the user's session, even a deleted one."""
        at, seen = id, {id}
        while at in self._agents and (parent := self._sessions[at].parent) and parent not in seen:
            seen.add(parent)
            at = parent
        return id if at == id else f"{at}/{id}"

    def _spawned(self) -> dict[str, str]:
        """Return the sessions that a task of another one began, and the agent of each."""
        if not self._database.columns("agent_tasks") >= {"child_session_id", "agent_name"}:
            return {}
        rows = self._database.rows("SELECT child_session_id, agent_name FROM agent_tasks")
        return {plain(id): plain(agent) for id, agent in rows if plain(id) in self._sessions}

    def _settings(self, id: str) -> dict[str, Any]:
        if not self._has_settings:
            return {}
        query = "SELECT value_json FROM runtime_documents WHERE namespace = ? AND document_key = ?"
        found = [mapping(parsed(value)) for (value,) in self._database.rows(query, "terminal_session_settings", id)]
        return {
            name: one[name] for one in found for name in _SETTINGS if isinstance(one.get(name), str) and one[name]
        }


def _told(block: Text | Image) -> Any:
    """Return a part as the source has it; of a picture only its digest."""
    return {"image": block.blob, "type": block.media_type} if isinstance(block, Image) else {"text": block.text}
