"""Recognise claude.ai's exports and read their conversations, with all branches where messages name their parents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Begin, ReadEvent, Repaired
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.claude_ai.message import entries_of
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.json_elements import hidden_places, places
from stemmata.formats.shared.message_tree import tree_events
from stemmata.formats.shared.values import instant, mapping, parse_object, text

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
        id, listed = text(record.get("uuid")), record.get(self.key)
        if not isinstance(listed, list) or not id:
            raise NoConversationError(Phrase("has no messages") if id else Phrase("has no id"))
        found = places(data, self.key)
        hidden = hidden_places(data, self.key) or ([] if listed else list(found.items()))
        earlier = list(_earlier(data, [place for _, place in hidden], listed))
        messages = [*earlier, *_placed(listed, found)]
        if not messages:
            raise NoConversationError(Phrase("is empty"), damaged=False)
        times = instant(record.get("created_at")), instant(record.get("updated_at"))
        yield Begin(self.info(id, record.get("name"), *times, {name: record.get(name) for name in _FACTS}))
        if earlier:
            what = "1 message is" if len(earlier) == 1 else f"{len(earlier)} messages are"
            yield Repaired(
                f"The conversation has several lists of messages. {what} only in an earlier one, and kept."
            )
        by_id = _by_id(messages)
        yield from tree_events(
            {id: one.parent for id, one in by_id.items()},
            {},
            lambda id: entries_of(id, by_id[id].message, by_id[id].record),
            text(record.get("current_leaf_message_uuid")),
        )


class _Message(NamedTuple):
    """A message, the id of its parent, and its place in the bytes of its conversation."""

    message: Any
    parent: str | None
    record: Record | None


def _earlier(
    data: bytes, hidden: Sequence[tuple[int, int]], listed: Sequence[Any]
) -> Iterator[tuple[Any, Record | None]]:
    """Yield the messages of earlier lists of a conversation that the last list, which JSON readers take, lacks.

    `hidden` has offset and size of each message of an earlier list.
    """
    last = {json.dumps(message, sort_keys=True) for message in listed} if hidden else set()
    for offset, size in hidden:
        message = parse_object(data[offset : offset + size])
        if json.dumps(message, sort_keys=True) not in last:
            yield message, Record(offset, size)


def _placed(listed: Sequence[Any], found: Mapping[str | int, tuple[int, int]]) -> Iterator[tuple[Any, Record | None]]:
    """Yield the messages of a list with their places, which `found` has for each object, by its number among them."""
    objects = 0
    for message in listed:
        is_object = isinstance(message, dict)
        yield message, Record(*found[objects]) if is_object and objects in found else None
        objects += is_object


def _by_id(messages: Iterable[tuple[Any, Record | None]]) -> dict[str, _Message]:
    """Return the messages by their ids. A message without an id is named by its number in the list.

    A message that names no parent follows the previous message, as in exports until 2025.
    """
    out: dict[str, _Message] = {}
    for message, record in messages:
        given = mapping(message)
        id = text(given.get("uuid"))
        if not id or id in out:
            id = free_id(f"{id}+{len(out) + 1}", out)
        parent = text(given[_PARENT]) if _PARENT in given else next(reversed(out), None)
        out[id] = _Message(message, None if parent in ("", _ROOT) else parent, record)
    return out
