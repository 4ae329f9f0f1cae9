"""Recognise ChatGPT's exports and read their conversations: the whole `mapping`, not only the visible path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Entry, Flag, Record
from stemmata.domain.sources.reading import Begin, End, ReadEvent, Repaired, Skipped
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.chatgpt.message import CallInReach, call_of, message_fields, seconds
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.forest import Placed, placed
from stemmata.formats.shared.hidden_messages import hidden_messages
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import mapping, text, untaken

_FACTS = (
    "default_model_slug",
    "gizmo_id",
    "is_archived",
    "is_starred",
    "conversation_origin",
    "voice",
    "memory_scope",
)


class ChatGPT(ExportFormat):
    """The reader of ChatGPT's exports."""

    name = "chatgpt"
    key = "mapping"
    start = re.compile(rb'\{\s*"(title|id|conversation_id)"\s*:')
    bookkeeping: ClassVar[Mapping[str, str]] = {
        "user.json": "the user's account",
        "message_feedback.json": "ratings of replies",
        "shared_conversations.json": "links to shared conversations",
        "model_comparisons.json": "comparisons of models",
        "chat.html": "the conversations as a web page",
    }

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one conversation."""
        nodes = {id: node for id, node in mapping(record.get("mapping")).items() if isinstance(node, dict)}
        hidden = list(hidden_messages(data, self.key, mapping(record.get("mapping"))))
        nodes |= {one.id: one.fields for one in hidden}
        given = text(record.get("conversation_id") or record.get("id"))
        if "mapping" not in record:
            raise NoConversationError(Phrase("has no messages"))
        first = next((id for id, node in nodes.items() if node.get("message")), "")
        id = given or first
        if not first:
            raise NoConversationError(Phrase("is empty"), damaged=False)
        times = seconds(record.get("create_time")), seconds(record.get("update_time"))
        info = self.info(id, record.get("title"), *times, {name: record.get(name) for name in _FACTS})
        origin = next(filter(None, map(_origin, nodes.values())), "")
        yield Begin(replace(info, parent_source_id=origin if origin != id else "", first_entry=first))
        if not given:  # an export names it behind its messages, where it may be cut
            yield Repaired("The conversation has no id. It is named by its first message.")
        for name, node in mapping(record["mapping"]).items():
            if name not in nodes and node is not None:
                yield Skipped(0, f"message {name}: not a JSON object")
            elif untaken(node, "message", "parent", "children"):
                yield Skipped(0, f"message {name}: a JSON object without a message")
        yield from (one.repair for one in hidden)
        found = places(data, self.key) | {one.id: one.place for one in hidden}
        yield from _Conversation(nodes, found).events(text(record.get("current_node")))


@dataclass
class _Conversation:
    """The nodes of one conversation. A node without a message only holds its children together.

    `places` has the offset and the size of each node in the bytes of the conversation.
    """

    nodes: dict[str, dict[str, Any]]
    places: Mapping[str | int, tuple[int, int]]
    stands_for: dict[str, str | None] = field(default_factory=dict)  # node → entry, or the entry above
    calls: dict[str, CallInReach] = field(default_factory=dict)  # node → the tool call that a result answers
    latest: tuple[int, str] | None = None

    def events(self, current: str) -> Iterator[ReadEvent]:
        """Yield the entries, their repairs, and the end."""
        for place in placed(
            {id: _parent(node) for id, node in self.nodes.items()},
            {id: _children(node) for id, node in self.nodes.items()},
        ):
            record = Record(*self.places[place.id]) if place.id in self.places else None
            yield from self._node(place, self.nodes[place.id].get("message"), record)
        leaf = self.stands_for.get(current) or (self.latest and self.latest[1])
        yield End(leaf=leaf, leaf_known=True)

    def _node(self, place: Placed, message: Any, record: Record | None) -> Iterator[ReadEvent]:
        above = None if place.parent is None else self.stands_for[place.parent]
        call = self.calls.get(place.parent or "", CallInReach())
        if not message:
            self.stands_for[place.id], self.calls[place.id] = above, call
            return
        self.stands_for[place.id] = place.id
        fields = message_fields(place.id, message, call)
        fields["flags"] = fields.get("flags", Flag.NONE) | (Flag.REPAIRED if place.repair else Flag.NONE)
        entry = Entry(id=place.id, parent=above, record=record, **fields)
        self.calls[place.id] = call_of(entry) or call
        if self.latest is None or entry.time >= self.latest[0]:
            self.latest = (entry.time, place.id)
        if place.repair:
            yield Repaired(place.repair, place.id)
        yield entry


def _origin(node: dict[str, Any]) -> str:
    """Return the conversation from which this message was copied into a new one; "" for any other message."""
    return text(mapping(mapping(node.get("message")).get("metadata")).get("branching_from_conversation_id"))


def _parent(node: dict[str, Any]) -> str | None:
    return text(node.get("parent")) or None


def _children(node: dict[str, Any]) -> list[str]:
    found = node.get("children")
    return [child for child in found if isinstance(child, str)] if isinstance(found, list) else []
