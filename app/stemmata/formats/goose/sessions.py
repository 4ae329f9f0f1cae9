"""Read the rows of Goose's database: sessions, their messages, and the tokens of their requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.entry import Usage
from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, End, ReadEvent, Skipped, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.goose.talk import GooseMessage, Spent, Talk
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import (
    DatabaseSessions,
    SessionRow,
    messages_without_session,
    session_rows,
)
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.values import count, instant, mapping, millionths, seconds, text

SOURCE = "goose"
NEEDED: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "working_dir", "created_at", "updated_at"}),
    "messages": frozenset({"id", "session_id", "role", "content_json", "created_timestamp"}),
}
_NAMED = "user_set_name"  # whether a person gave the name
_FACTS = (
    "id", "working_dir", "created_at", "updated_at", "name", "description", "session_type", "parent_session_id",
    "provider_name", "model_config_json", "schedule_id", "total_tokens", "input_tokens", "output_tokens",
    _NAMED,
)  # fmt: skip
_SPENT = (
    "created_timestamp", "model", "input_tokens", "output_tokens", "total_tokens", "cache_read_tokens",
    "cache_write_tokens", "cost", "is_compaction",
)  # fmt: skip
_SUBAGENT = "sub_agent"
_UNNAMED = re.compile(r"|CLI Session|New Chat|New session( \d+)?|ACP Session")


class GooseSessions(DatabaseSessions):
    """The sessions of a database. Older databases lack some columns and the table of tokens."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._sessions = session_rows(database, _FACTS)
        columns = database.columns("messages")
        self._own_id = "message_id" if "message_id" in columns else "NULL"
        self._seen_by = "metadata_json" if "metadata_json" in columns else "NULL"
        self._has_spent = database.columns("usage_ledger") >= {"session_id", *_SPENT}

    def prints(self) -> Mapping[str, str]:
        """Return number and last row of each session's messages, its facts and times, the oldest session first."""
        query = "SELECT session_id, count(*), max(id), sum(created_timestamp) FROM messages GROUP BY session_id"
        last = {plain(id): "/".join(map(plain, found)) for id, *found in self._database.rows(query)}
        if self._has_spent:
            rows = self._database.rows("SELECT session_id, count(*) FROM usage_ledger GROUP BY session_id")
            last |= {plain(id): f"{last.get(plain(id), '')}/{number}" for id, number in rows}
        ordered = sorted(self._sessions.items(), key=lambda item: (instant(item[1]["created_at"]), item[0]))
        return {id: _fingerprint(last.get(id, ""), one) for id, one in ordered}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session."""
        session = self._sessions[id]
        source = ComposedSource()
        yield Begin(self._info(id, session))
        listed = ((name, value) for name, value in session.facts.items() if name != _NAMED)
        facts = {name: plain(value) for name, value in listed if value is not None}
        seen_by = self._metadata(session)
        yield source.line({**facts, "metadata": seen_by})[0]
        messages: list[GooseMessage] = []
        for found in self._messages(id, source, seen_by):
            if isinstance(found, GooseMessage):
                messages.append(found)
            else:
                yield found
        spent = list(self._spent(id)) or _last_request(session, messages)
        config = mapping(parsed(session.facts["model_config_json"]))
        talk = Talk(messages, spent, session["provider_name"], text(config.get("model_name")))
        yield from talk
        yield End(talk.leaf, leaf_known=True)

    def unlisted(self) -> Iterator[UnusedPart]:
        """Return the number of messages whose session is missing."""
        return messages_without_session(self._database)

    def _metadata(self, session: SessionRow) -> dict[str, Any]:
        """Return by row whether the user and the model see each message.

        This is separate from the messages because it changes.
        """
        query = (
            f"SELECT id, {self._seen_by} FROM messages WHERE session_id = (SELECT id FROM sessions WHERE rowid = ?)"
            f" AND {self._seen_by} IS NOT NULL ORDER BY id"
        )
        return {plain(row): parsed(metadata) for row, metadata in self._database.rows(query, session.row)}

    def _messages(
        self, id: str, source: ComposedSource, seen_by: Mapping[str, Any]
    ) -> Iterator[GooseMessage | ReadEvent]:
        """Yield the messages of a session in the order in which Goose sends them, and their lines in the source.

        Goose numbers messages without an id in this way, too, when it brings the database to a newer version.
        """
        query = (
            f"SELECT id, role, created_timestamp, content_json, {self._own_id} FROM messages WHERE session_id ="
            " (SELECT id FROM sessions WHERE rowid = ?) ORDER BY created_timestamp, id"
        )
        seen, taken = Counter[str](), set[str]()
        for row, role, created, content, own in self._database.rows(query, self._sessions[id].row):
            said, name = parsed(content), plain(own) or f"msg_{id}_{row}"
            seen[name] += 1
            name = free_id(f"{name}/{seen[name]}" if seen[name] > 1 else name, taken)
            taken.add(name)
            time = created if isinstance(created, int) else plain(created)
            facts = {"id": name, "role": plain(role), "created": time}
            raw, record = source.line({**facts, "content": plain(content) if said is None else said})
            yield raw
            if said is None:
                yield Skipped(0, f"message {name}: its content is not valid JSON")
                continue
            yield GooseMessage(name, plain(role), created, said, seen_by.get(plain(row)), record)

    def _spent(self, id: str) -> Iterator[Spent]:
        if not self._has_spent:
            return
        query = f"SELECT {', '.join(_SPENT)} FROM usage_ledger WHERE session_id = ? ORDER BY created_timestamp, rowid"
        for time, model, *numbers, cost, is_compaction in self._database.rows(query, id):
            sent, written, total, read, made = map(count, numbers)
            if total and total == sent + written:  # the cached tokens are part of the input
                read = min(read, sent)
                made = min(made, sent - read)
                sent -= read + made
            usage = Usage(sent, written, read, made, cost=millionths(cost))
            yield Spent(seconds(time), plain(model), usage, bool(is_compaction))

    def _info(self, id: str, session: SessionRow) -> SessionInfo:
        name = session["name"] or session["description"]
        details = {"type": session["session_type"], "schedule": session["schedule_id"]}
        kept = {key: value for key, value in details.items() if value and value != "user"}
        parent = session.parent if session.parent != id else ""
        return SessionInfo(
            source=SOURCE, source_id=self._source_id(id), title="" if _UNNAMED.fullmatch(name) else name,
            named=_is_named(session),
            cwd=session["working_dir"], created_at=instant(session["created_at"]),
            parent_source_id=self._source_id(parent) if parent else "",
            details=with_changed_in_source(compact_json(kept) if kept else "", instant(session["updated_at"])),
        )  # fmt: skip

    def _source_id(self, id: str) -> str:
        """Return the id of a session; the id of a subagent's session begins with the id of the user's session."""
        at, seen = id, {id}
        while (session := self._sessions.get(at)) and session["session_type"] == _SUBAGENT and session.parent:
            if session.parent in seen:
                break
            at = session.parent
            seen.add(at)
        return id if at == id else f"{at}/{id}"


def _is_named(session: SessionRow) -> bool:
    """Return whether a person gave the name; a database of an older version does not say so."""
    return bool(session.facts[_NAMED])


def _fingerprint(last: str, session: SessionRow) -> str:
    """Return the fingerprint of a session; `last` is the part for its messages. A name that the user gave gives
    another fingerprint, so that a session that was imported without this fact is read again.
    """
    parts = (last, session["updated_at"], session["name"], session["total_tokens"], session.parent)
    return "/".join((*parts, "named") if _is_named(session) else parts)


def _last_request(session: SessionRow, messages: list[GooseMessage]) -> list[Spent]:
    """Return the tokens of the last request, which older databases know only, if the last message is a reply."""
    sent, written = count(session.facts["input_tokens"]), count(session.facts["output_tokens"])
    if not (sent or written) or not messages or messages[-1].role != "assistant":
        return []
    config = mapping(parsed(session.facts["model_config_json"]))
    usage = Usage(sent, written, total=count(session.facts["total_tokens"]))
    return [Spent(messages[-1].time, text(config.get("model_name")), usage, is_compaction=False)]
