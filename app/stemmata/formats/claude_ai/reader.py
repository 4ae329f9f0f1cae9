"""Recognise claude.ai's exports and read their conversations, with all branches where messages name their parents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Begin, ReadEvent
from stemmata.formats.claude_ai.message import entries_of
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.message_tree import tree_events
from stemmata.formats.shared.values import instant, mapping, text

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
        times = instant(record.get("created_at")), instant(record.get("updated_at"))
        yield Begin(self.info(id, record.get("name"), *times, {name: record.get(name) for name in _FACTS}))
        found = _by_id(messages, places(data, self.key))
        yield from tree_events(
            {id: one.parent for id, one in found.items()},
            {},
            lambda id: entries_of(id, found[id].message, found[id].record),
            text(record.get("current_leaf_message_uuid")),
        )


class _Message(NamedTuple):
    """A message, the id of its parent, and its place in the bytes of its conversation."""

    message: Any
    parent: str | None
    record: Record | None


def _by_id(messages: list[Any], found: Mapping[str | int, tuple[int, int]]) -> dict[str, _Message]:
    """Return the messages by their ids; one without an id of its own gets that of its number.

    A message that names no parent follows the previous message, as in exports until 2025. `found` has offset and size
    of each message that is an object, by its number among them.
    """
    out: dict[str, _Message] = {}
    objects = 0
    for message in messages:
        given = mapping(message)
        id = text(given.get("uuid"))
        if not id or id in out:
            id = free_id(f"{id}+{len(out) + 1}", out)
        parent = text(given[_PARENT]) if _PARENT in given else next(reversed(out), None)
        is_object = isinstance(message, dict)
        record = Record(*found[objects]) if is_object and objects in found else None
        objects += is_object
        out[id] = _Message(message, None if parent in ("", _ROOT) else parent, record)
    return out
