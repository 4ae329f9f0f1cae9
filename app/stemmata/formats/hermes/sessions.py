"""Read the rows of Hermes' database: sessions, those of subagents and continuations, and their messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, ReadEvent, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.hermes.messages import HermesMessage, entry_of
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import (
    DatabaseSessions,
    SessionRow,
    messages_without_session,
    session_rows,
)
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.values import mapping, millionths, seconds

SOURCE = "hermes"
NEEDED: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "source", "model", "started_at", "parent_session_id"}),
    "messages": frozenset({"id", "session_id", "role", "content", "tool_calls", "tool_call_id", "timestamp"}),
}
_FACTS = (
    "id", "source", "model", "billing_provider", "model_config", "system_prompt", "parent_session_id", "started_at",
    "ended_at", "end_reason", "last_activity_at", "title", "title_source", "cwd", "git_branch", "input_tokens",
    "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "estimated_cost_usd",
    "actual_cost_usd",
)  # fmt: skip
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
_COLUMNS = (
    "id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "effect_disposition", "timestamp",
    "token_count", "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
    "codex_message_items", "observed", "_compressed_summary", "active", "compacted", "display_kind",
    "display_metadata",
)  # fmt: skip
_PRINTED = ("title", "parent_session_id", "model", "end_reason", "cwd", "output_tokens", "actual_cost_usd")
# how a session ends that another one continues, which is no subagent of it
_CONTINUED = frozenset(
    ("compression", "branched", "session_reset", "session_switch", "idle", "daily", "suspended",
     "resume_pending_expired")
)  # fmt: skip


class HermesSessions(DatabaseSessions):
    """The sessions of a database."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._sessions = session_rows(database, _FACTS)
        there = database.columns("messages")
        self._columns = ", ".join(name if name in there else "NULL" for name in _COLUMNS)
        marks = [name for name in ("active", "compacted") if name in there]
        self._marks = "".join(f", sum({name})" for name in marks)

    def prints(self) -> Mapping[str, str]:
        """Return number, last row and marks of each session's messages and its facts, the oldest first."""
        query = f"SELECT session_id, count(*), max(rowid){self._marks} FROM messages GROUP BY session_id"
        last = {plain(id): "/".join(map(plain, found)) for id, *found in self._database.rows(query)}
        ordered = sorted(self._sessions.items(), key=lambda item: (seconds(item[1].facts["started_at"]), item[0]))
        return {id: "/".join((last.get(id, ""), *(one[name] for name in _PRINTED))) for id, one in ordered}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session."""
        session = self._sessions[id]
        source = ComposedSource()
        yield Begin(self._info(id, session))
        yield source.line({name: plain(value) for name, value in session.facts.items() if value is not None})[0]
        messages: list[HermesMessage] = []
        query = (
            f"SELECT {self._columns} FROM messages WHERE session_id ="
            " (SELECT id FROM sessions WHERE rowid = ?) ORDER BY rowid"
        )
        for row in self._database.rows(query, session.row):
            columns = dict(zip(_COLUMNS, row, strict=True))
            raw, record = source.line({name: plain(value) for name, value in columns.items() if value is not None})
            yield raw
            messages.append(HermesMessage(plain(columns["id"]), columns, record))
        leaf: str | None = None
        for message, above, is_undone in _placed(messages):
            blobs: list[Blob] = []
            entry = entry_of(message, session["model"], session["billing_provider"], blobs)
            yield from blobs
            yield replace(entry, parent=above)
            leaf = leaf if is_undone else message.id
        yield End(leaf, leaf_known=True)

    def unlisted(self) -> Iterator[UnusedPart]:
        """Return the number of messages whose session is missing."""
        return messages_without_session(self._database)

    def _info(self, id: str, session: SessionRow) -> SessionInfo:
        facts = session.facts
        cost = facts["actual_cost_usd"] or facts["estimated_cost_usd"]
        told: dict[str, Any] = {"platform": session["source"], "gitBranch": session["git_branch"]}
        told |= {name: facts[name] for name in _TOKENS if isinstance(facts[name], int) and facts[name] > 0}
        told["cost"] = cost if millionths(cost) else None
        told["kind"] = "subagent" if self._is_agent(session) else None
        details = {name: value for name, value in told.items() if value}
        changed = max(seconds(facts[name]) for name in ("last_activity_at", "ended_at", "started_at"))
        return SessionInfo(
            source=SOURCE, source_id=id, title=session["title"],
            named=session["title_source"] == "user", cwd=session["cwd"], created_at=seconds(facts["started_at"]),
            parent_source_id=self._origin(id, session),
            details=with_changed_in_source(compact_json(details) if details else "", changed),
        )  # fmt: skip

    def _is_agent(self, session: SessionRow) -> bool:
        """Return whether a session is that of a subagent, and no continuation or branch of its parent."""
        if not session.parent or session.parent == session["id"]:
            return False
        config = mapping(parsed(session.facts["model_config"]))
        if config.get("_branched_from") or config.get("_reset_from"):
            return False
        parent = self._sessions.get(session.parent)
        return bool(config.get("_delegate_from")) or parent is None or parent["end_reason"] not in _CONTINUED

    def _origin(self, id: str, session: SessionRow) -> str:
        """Return the session that a session names as its parent; "" for none, and in a circle of parents."""
        parent, seen = session.parent, {id}
        while session.parent and session.parent not in seen:
            seen.add(session.parent)
            found = self._sessions.get(session.parent)
            if found is None:
                break
            session = found
        return "" if session.parent == id else parent


def _placed(messages: Sequence[HermesMessage]) -> Iterator[tuple[HermesMessage, str | None, bool]]:
    """Yield the messages, each with the id of its parent, and whether Hermes undid it.

    Undone messages are a branch below the message before them. A message that a compaction has copied behind its
    summary counts as undone, too, but belongs to the path before the summary.
    """
    kept = {message.same for message in messages if not message.is_undone}
    above: str | None = None  # the last message of the path
    before, was_undone = above, False
    for message in messages:
        is_undone = message.is_undone and message.same not in kept
        yield message, before if is_undone and was_undone else above, is_undone
        before, was_undone = message.id, is_undone
        above = above if is_undone else message.id
