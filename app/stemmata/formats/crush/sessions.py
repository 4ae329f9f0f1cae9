"""Read the rows of Crush's database: sessions, those of their subagents, and their messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stemmata.domain.entries.entry import Entry, Kind, Role, Usage
from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, ReadEvent, Skipped, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.crush.messages import CrushMessage, entries_of
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import (
    DatabaseSessions,
    SessionRow,
    messages_without_session,
    session_rows,
)
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.values import count, seconds

SOURCE = "crush"
NEEDED: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "parent_session_id", "title", "prompt_tokens", "completion_tokens", "cost"}),
    "messages": frozenset({"id", "session_id", "role", "parts", "model", "created_at", "updated_at"}),
}
ABANDONED = 3600 * 1_000_000_000  # ns without a change, after which an incomplete reply is read, too
_FOLDER = ".crush"  # folder of the database in a project
_FACTS = (
    "id", "parent_session_id", "title", "prompt_tokens", "completion_tokens", "cost", "created_at", "updated_at",
    "summary_message_id", "todos",
)  # fmt: skip
_LATER = ("provider", "is_summary_message")  # columns that older databases lack
_CALL = "$$"  # in the id of a subagent's session, between the message and the call that began it
_UNNAMED = re.compile(r"|New Session|Untitled Session")


class CrushSessions(DatabaseSessions):
    """The sessions of a database. `now` is the time, in ns since the epoch."""

    def __init__(self, database: SourceDatabase, now: int) -> None:
        self._database = database
        self._now = now
        self._due: dict[str, int] = {}
        self._sessions = session_rows(database, _FACTS)
        columns = database.columns("messages")
        self._later = ", ".join(name if name in columns else "NULL" for name in _LATER)

    def prints(self) -> Mapping[str, str]:
        """Return number, last row and last change of each session's messages and its facts, the oldest first."""
        query = "SELECT session_id, count(*), max(rowid), max(updated_at) FROM messages GROUP BY session_id"
        last = {plain(id): "/".join(map(plain, found)) for id, *found in self._database.rows(query)}
        ordered = sorted(self._sessions.items(), key=lambda item: (seconds(item[1].facts["created_at"]), item[0]))
        names = ("updated_at", "title", "summary_message_id", "parent_session_id")
        return {id: "/".join((last.get(id, ""), *(one[name] for name in names))) for id, one in ordered}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session."""
        session = self._sessions[id]
        source = ComposedSource()
        yield Begin(self._info(id, session))
        yield source.line({name: plain(value) for name, value in session.facts.items() if value is not None})[0]
        messages: list[CrushMessage] = []
        for found in self._messages(id, source):
            if isinstance(found, CrushMessage):
                messages.append(found)
            else:
                yield found
        leaf: str | None = None
        for event in self._talk(session, self._settled(id, messages)):
            if isinstance(event, Entry):
                event, leaf = replace(event, parent=leaf), event.id
            yield event
        yield End(leaf, leaf_known=True)

    def due(self, id: str) -> int:
        """Return when the reply that was held back counts as abandoned, in ns; 0 when none was."""
        return self._due.get(id, 0)

    def unlisted(self) -> Iterator[UnusedPart]:
        """Return the number of messages whose session is missing."""
        return messages_without_session(self._database)

    def _messages(self, id: str, source: ComposedSource) -> Iterator[CrushMessage | ReadEvent]:
        session = self._sessions[id]
        query = (
            f"SELECT id, role, parts, model, created_at, updated_at, {self._later} FROM messages WHERE session_id ="
            " (SELECT id FROM sessions WHERE rowid = ?) ORDER BY created_at, rowid"
        )
        for own, role, content, model, created, updated, provider, is_summary in self._database.rows(
            query, session.row
        ):
            parts, name = parsed(content), plain(own)
            told = {"id": name, "role": plain(role), "provider": plain(provider), "model": plain(model)}
            is_read = isinstance(parts, list)
            raw, record = source.line(
                {**told, "created_at": plain(created), "parts": parts if is_read else plain(content)}
            )
            yield raw
            if not is_read:
                yield Skipped(0, f"message {name}: its parts are not valid JSON")
                continue
            sums_up = bool(is_summary) or name == session["summary_message_id"]
            yield CrushMessage(
                name, plain(role), parts, plain(provider), plain(model), created, updated, sums_up, record
            )

    def _settled(self, id: str, messages: Sequence[CrushMessage]) -> Sequence[CrushMessage]:
        """Return the messages before a reply that Crush still writes, with the results that it has so far."""
        last = next((at for at in reversed(range(len(messages))) if messages[at].role == "assistant"), None)
        if last is None or not messages[last].is_open:
            return messages
        due = max(seconds(one.updated) for one in messages[last:]) + ABANDONED
        if due <= self._now:
            return messages
        self._due[id] = due
        return messages[:last]

    def _talk(self, session: SessionRow, messages: Sequence[CrushMessage]) -> Iterator[Entry | Blob]:
        """Yield the entries. Crush knows only the tokens of the last request, which brought the last reply."""
        sent, written = count(session.facts["prompt_tokens"]), count(session.facts["completion_tokens"])
        taken = {message.id for message in messages}
        for at, message in enumerate(messages):
            blobs: list[Blob] = []
            entries = [with_free_id(one, message.id, taken) for one in entries_of(message, blobs)]
            yield from blobs
            is_last = at == len(messages) - 1 and (sent or written)
            for entry in entries:
                is_reply = entry.kind is Kind.MESSAGE and entry.role is Role.ASSISTANT
                yield replace(entry, usage=Usage(sent, written)) if is_last and is_reply else entry

    def _info(self, id: str, session: SessionRow) -> SessionInfo:
        cost = session.facts["cost"]
        call = id.partition(_CALL)[2]
        told = {"cost": cost if isinstance(cost, int | float) and cost > 0 else None, "toolCall": call}
        details = {name: value for name, value in told.items() if value}
        above = self._above(id, session.parent)
        folder, title = Path(self._database.path).parent, session["title"]
        return SessionInfo(
            source=SOURCE, source_id=f"{above[0]}/{id}" if above else id,
            title="" if _UNNAMED.fullmatch(title) else title,
            cwd=str(folder.parent) if folder.name == _FOLDER else "",
            created_at=seconds(session.facts["created_at"]),
            parent_source_id="/".join(dict.fromkeys((above[0], above[-1]))) if above else "",
            details=with_changed_in_source(
                compact_json(details) if details else "", seconds(session.facts["updated_at"])
            ),
        )  # fmt: skip

    def _above(self, id: str, parent: str) -> list[str]:
        """Return the sessions above the session of a subagent, the user's session first."""
        above: list[str] = []
        while parent and parent != id and parent not in above:
            above.append(parent)
            parent = self._sessions[parent].parent if parent in self._sessions else ""
        return above[::-1]
