"""Recognise claude.ai's exports and read their conversations, with all branches where messages name their parents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Entry, Flag, Record
from stemmata.domain.entries.session_facts import SessionInfo, with_changed_in_source
from stemmata.domain.entries.source_facts import Begin, Blob, End, ReadEvent, Repaired
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.claude_ai.message import entries_of
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.forest import Placed, placed
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import instant, text

_ROOT = "00000000-0000-4000-8000-000000000000"  # the parent of a first message
_PARENT = "parent_message_uuid"
_FACTS = ("summary", "model", "project_uuid", "is_starred")


class ClaudeAi(ExportFormat):
    """The reader of claude.ai's exports, and of single conversations as its web interface gets them."""

    name = "claude-ai"
    key = "chat_messages"
    start = re.compile(rb'\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"name"')
    bookkeeping: ClassVar[Mapping[str, str]] = {
        "projects.json": "the user's projects",
        "users.json": "the user's account",
    }

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one conversation."""
        id, messages = text(record.get("uuid")), record.get(self.key)
        if not isinstance(messages, list) or not id:
            raise NoConversationError("has no messages" if id else "has no id")
        if not messages:
            raise NoConversationError("is empty", damaged=False)
        yield Begin(_info(id, record))
        found = places(data, self.key)
        conversation = _Conversation()
        objects = 0
        for message in messages:
            is_object = isinstance(message, dict)
            conversation.add(message, Record(*found[objects]) if is_object and objects in found else None)
            objects += is_object
        yield from conversation.events(text(record.get("current_leaf_message_uuid")))


def _info(id: str, record: dict[str, Any]) -> SessionInfo:
    facts = {name: record[name] for name in _FACTS if record.get(name)}
    return SessionInfo(
        source=ClaudeAi.name,
        source_id=id,
        title=text(record.get("name")),
        created_at=instant(record.get("created_at")),
        details=with_changed_in_source(compact_json(facts) if facts else "", instant(record.get("updated_at"))),
    )


@dataclass
class _Conversation:
    """The messages of one conversation, by id. `ends` are the last entries of messages."""

    messages: dict[str, tuple[Any, Record | None]] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    latest: tuple[int, str] | None = None

    def add(self, message: Any, record: Record | None) -> None:
        """Add the next message. Without a parent it follows on the one before, as in exports until 2025."""
        given = message if isinstance(message, dict) else {}
        before = next(reversed(self.messages), None)
        id = text(given.get("uuid"))
        if not id or id in self.messages:
            id = f"{id}+{len(self.messages) + 1}"
        parent = text(given[_PARENT]) if _PARENT in given else before
        self.messages[id], self.parents[id] = (message, record), None if parent in ("", _ROOT) else parent

    def events(self, current: str) -> Iterator[ReadEvent]:
        """Yield the entries, their repairs, and the end."""
        for place in placed(self.parents, {}):
            if place.repair:
                yield Repaired(place.repair, place.id)
            yield from self._message(place)
        yield End(leaf=self.ends.get(current) or (self.latest and self.latest[1]), leaf_known=True)

    def _message(self, place: Placed) -> Iterator[Entry | Blob]:
        message, record = self.messages[place.id]
        above = None if place.parent is None else self.ends[place.parent]
        flags = Flag.REPAIRED if place.repair else Flag.NONE
        for one in entries_of(place.id, message):
            if isinstance(one, Blob):
                yield one
                continue
            yield replace(one, parent=above, record=record, flags=one.flags | flags)
            above, flags = one.id, Flag.NONE
            self.ends[place.id] = one.id
            if self.latest is None or one.time >= self.latest[0]:
                self.latest = (one.time, one.id)
