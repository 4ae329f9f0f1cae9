"""Recognise LibreChat's exports and read their conversations: all branches, however deep their tree is nested."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Begin, ReadEvent, Skipped, UnusedPart
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.librechat.message import entries_of
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.json_elements import Nested, element_keys, nested_objects
from stemmata.formats.shared.message_tree import tree_events
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text

_LISTS = frozenset({"messages", "messagesTree"})
_ROOT = "00000000-0000-0000-0000-000000000000"  # the parent of a first message
_FACTS = ("endpoint", "options")
_NESTED = "\0nested"  # key under which `parsed` puts the messages; exports cannot contain it


class LibreChat(ExportFormat):
    """The reader of LibreChat's exports."""

    name = "librechat"
    key = "conversationId"
    start = re.compile(rb'\{\s*"conversationId"\s*:')
    bookkeeping: ClassVar[Mapping[str, str]] = {}
    paths: ClassVar[Collection[tuple[str, ...]]] = {("messages",), ("messagesTree",)}
    below: ClassVar[Set[str]] = frozenset({"children"})

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the file begins like a conversation with messages, or with the facts of an export."""
        keys = element_keys(head, (self.key, "exportAt", *_LISTS))
        return self.key in keys and ("exportAt" in keys or (bool(keys & _LISTS) and b'"messageId"' in head))

    def parsed(self, data: bytes | None) -> dict[str, Any]:
        """Return a conversation with the places of its messages, since their tree may be nested without limit."""
        if data is None:
            return parse_object(data)
        outline, found = nested_objects(data, _LISTS, self.below)
        return parse_object(outline) | {_NESTED: found}

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one conversation."""
        found: list[Nested] = record[_NESTED]
        if not any(key in record for key in _LISTS):
            raise NoConversationError(Phrase("has no messages"))
        messages, skipped = _messages(found, data)
        id = text(record.get("conversationId"))
        if not messages or not id:
            reason = skipped[0].reason if skipped else "is empty"
            raise NoConversationError(reason if id else "has no id", damaged=bool(skipped) or not id)
        times = [instant(one.fields.get(name)) for one in messages.values() for name in ("createdAt", "updatedAt")]
        facts = {name: record.get(name) for name in _FACTS}
        title = record.get("title")
        yield Begin(self.info(id, title, min(filter(None, times), default=0), max(times), facts))
        yield from skipped
        for id, one in messages.items():
            yield from (Skipped(0, f"message {id}: its field {name} has messages") for name in _astray(one.fields))
        model = text(mapping(record.get("options")).get("model"))
        yield from tree_events(
            {id: one.parent for id, one in messages.items()}, {},
            lambda id: entries_of(id, messages[id].fields, messages[id].record, model), "",
        )  # fmt: skip
        if record.get("branches") is False:
            where = text(title) or id
            yield UnusedPart(where, "was exported without its other branches", damaged=False)


def _astray(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a message that have messages although their name is not that of the list of replies."""
    for name, value in fields.items():
        if isinstance(value, list) and any("messageId" in mapping(one) for one in value):
            yield name


@dataclass(frozen=True, slots=True)
class _Message:
    """A message, the id of its parent, and its place in the file."""

    fields: dict[str, Any]
    parent: str | None
    record: Record


def _messages(found: Sequence[Nested], data: bytes) -> tuple[dict[str, _Message], list[Skipped]]:
    """Return the messages by id, and those that cannot be read. A message without an id is named by its place.

    The answers to a message that cannot be read follow the message above it, where the file is a tree.
    """
    out, ids, skipped = dict[str, _Message](), list[str | None](), list[Skipped]()
    for at, one in enumerate(found):
        above = ids[one.parent] if one.parent is not None else None
        try:
            fields = parse_object(one.own(data))
        except BadLineError as error:
            ids.append(above)
            skipped.append(Skipped(0, f"message {at + 1}: {error}"))
            continue
        own = text(fields.get("messageId"))
        named = text(fields.get("parentMessageId"))
        if one.parent is None and named not in ("", _ROOT):
            above = named
        id = own if own and own not in out else free_id(f"{own or 'message'}#{at + 1}", out)
        ids.append(id)
        out[id] = _Message(fields, above, Record(one.start, one.head - one.start))
    return out, skipped
