"""The header of a rollout: its leading `session_meta` records, the first of which is the file's own."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.codex.compressed import open_rollout
from stemmata.formats.codex.records import META, normalised
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.values import BadLineError, dump, instant, mapping, parse_object, text

_MOST_BYTES = 1 << 62  # more bytes than a file can have
_LOOKED_AT = 200  # lines that may come before the header of a damaged file
_NAME = re.compile(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(?:\.zst)?")
_UUID_NAME = re.compile(r"rollout-.*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(_[0-9a-f-]{36})?\.jsonl(\.zst)?")
_FACTS = {
    "originator": "originator", "cli_version": "version", "history_mode": "historyMode",
    "forked_from_id": "forkedFrom", "thread_source": "threadSource",
}  # fmt: skip
_AGENT = {"agent_nickname": "nickname", "agent_role": "role", "agent_path": "path", "depth": "depth"}


@dataclass(frozen=True, slots=True)
class Continuation:
    """The place at which a file that holds only its own lines continues another: `history_base`."""

    thread: str
    ordinal: int  # number of the first line of the other file that is not part of the history
    offset: int  # byte at which that line begins; 0 when the file does not say


@dataclass(frozen=True, slots=True)
class CodexHeader:
    """The header of a rollout file. `id` is the thread's id, `fields` are the header's values."""

    id: str
    fields: dict[str, Any]
    roots: tuple[str, ...] = ()  # ids of the further leading headers: the threads whose lines the file repeats

    @property
    def provider(self) -> str:
        """The provider of the model at the start."""
        return text(self.fields.get("model_provider"))

    @property
    def base(self) -> Continuation | None:
        """Where the file continues another one; None for a file that holds its whole history."""
        base = mapping(self.fields.get("history_base"))
        thread, ordinal = base.get("thread_id"), base.get("end_ordinal_exclusive")
        offset = base.get("end_byte_offset")
        if not isinstance(thread, str) or not isinstance(ordinal, int):
            return None
        return Continuation(thread, ordinal, offset if isinstance(offset, int) and 0 < offset < _MOST_BYTES else 0)

    @property
    def is_paginated(self) -> bool:
        """Whether Codex may have stored the thread in several files."""
        return self.fields.get("history_mode") == "paginated" or self.base is not None

    @property
    def seed(self) -> str:
        """The text from which the reader makes the ids of the file's entries.

        Files that repeat the same entries have the same seed, so that a repeated entry has the same id in all.
        """
        if self.base is not None:
            return f"{self.id}@{text(self.fields.get('timestamp'))}"
        return self.roots[-1] if self.roots else self.id

    @property
    def forked_from(self) -> str:
        """The id of the thread that this one was forked from; "" for none."""
        return text(self.fields.get("forked_from_id"))

    @property
    def spawned_by(self) -> str:
        """The id of the thread whose tool call began this one; "" unless it is a subagent's."""
        agent = mapping(self.fields.get("source")).get("subagent")
        parent = text(mapping(mapping(agent).get("thread_spawn")).get("parent_thread_id"))
        named = text(self.fields.get("parent_thread_id")) if self.fields.get("thread_source") == "subagent" else ""
        found = parent or named
        return found if found != self.id else ""

    @property
    def source_id(self) -> str:
        """The session's id: the thread's, and for a subagent `<root thread>/<thread>`."""
        return f"{self._root}/{self.id}" if self.spawned_by else self.id

    @property
    def _root(self) -> str:
        """The thread that began all others; older versions do not name it."""
        named = text(self.fields.get("session_id"))
        return named if named and named != self.id else self.spawned_by

    @property
    def parent_source_id(self) -> str:
        """The source id of the session from which this one came; "" for none."""
        if not self.spawned_by:
            return self.forked_from if self.forked_from != self.id else ""
        return self.spawned_by if self.spawned_by == self._root else f"{self._root}/{self.spawned_by}"

    def info(self, source: str, *, title: str, call: str) -> SessionInfo:
        """Return the session's properties. `call` is the id of the tool call that began a subagent."""
        spawn = mapping(mapping(mapping(self.fields.get("source")).get("subagent")).get("thread_spawn"))
        facts: dict[str, Any] = {name: self.fields[key] for key, name in _FACTS.items() if self.fields.get(key)}
        facts |= {name: spawn[key] for key, name in _AGENT.items() if spawn.get(key)}
        if isinstance(self.fields.get("source"), str):
            facts["client"] = self.fields["source"]
        git = {key: value for key, value in mapping(self.fields.get("git")).items() if value}
        facts |= ({"git": git} if git else {}) | ({"toolCall": call} if call else {})
        return SessionInfo(
            source=source,
            source_id=self.source_id,
            title=title or (text(spawn.get("agent_nickname")) if self.spawned_by else ""),
            named=bool(title),
            cwd=text(self.fields.get("cwd")),
            created_at=instant(self.fields.get("timestamp")),
            parent_source_id=self.parent_source_id,
            details=dump(facts) if facts else "",
        )


def header_of(path: Path) -> CodexHeader:
    """Return the file's header; a lost one is replaced by the id in the file name."""
    found: list[dict[str, Any]] = []
    with closing(iter(SourceLines(path, opener=open_rollout))) as parts:
        for part in parts:
            if isinstance(part, Line):
                if part.number > _LOOKED_AT:
                    break
                record = _record(part)
                if record is not None and record["type"] == META:
                    found.append(record["payload"])
                elif found and record is not None:
                    break
    return _header(found, thread_in(path.name), named=_UUID_NAME.fullmatch(path.name) is not None)


def _header(found: list[dict[str, Any]], thread: str, *, named: bool) -> CodexHeader:
    """Return the header among the leading records. `named`: the file name certainly holds the id `thread`."""
    ids = [text(fields.get("id")) for fields in found]
    own = ids.index(thread) if thread in ids else 0
    if not found or (named and ids[own] not in ("", thread)):  # the own header is lost, but not the repeated headers
        return CodexHeader(thread, {}, tuple(filter(None, ids)))
    return CodexHeader(ids[own] or thread, found[own], tuple(filter(None, ids[own + 1 :])))


def thread_in(name: str) -> str:
    """Return the thread's id in a file name, else the name without its ending."""
    match = _NAME.fullmatch(name)
    return match[1].partition("_")[0] if match else name.partition(".jsonl")[0]


def _record(line: Line) -> dict[str, Any] | None:
    try:
        return normalised(parse_object(line.data))
    except BadLineError:  # the reading reports the line
        return None
