"""Recognise Grok's exports and read their conversations: all messages, not only the visible path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Begin, Checkpoint, ReadEvent, Repaired, UnusedPart
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.grok.message import entry_of, moment, own_model
from stemmata.formats.shared.export_file import ExportDocument, ExportFile, head_of
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.message_tree import tree_events
from stemmata.formats.shared.values import BadLineError, mapping, text

_PARENT = "parent_response_id"
_FACTS = ("summary", "starred", "temporary", "system_prompt_name", "system_prompt_id")
_NONE = "is no conversation"
_RESPONSES = re.compile(rb'"responses"\s*:\s*\[')


class Grok(ExportFormat):
    """The reader of Grok's exports: an object with a list of conversations, the list, or a single conversation."""

    name = "grok"
    key = "responses"
    start = re.compile(rb'\{\s*"conversation"\s*:\s*\{')
    wrapper = re.compile(rb'\{\s*"(?!responses")\w+"\s*:\s*\[')
    paths: ClassVar[Collection[tuple[str, ...]]] = {("responses",)}
    bookkeeping: ClassVar[Mapping[str, str]] = {
        "prod-mc-auth-mgmt-api.json": "the user's account",
        "prod-mc-billing.json": "the user's balance",
    }

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file, or a document of a ZIP archive, has conversations of Grok."""
        return _is_export(head) or (head.lstrip()[:1] not in (b"{", b"[") and super().sniff(head, path))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions of the export one after the other, then the number of its other records."""
        others = 0
        for event in super().read(path, since):
            if isinstance(event, UnusedPart) and event.reason == _NONE:
                others += 1
            else:
                yield event
        if others:
            yield UnusedPart(f"{others} other records", "projects, tasks and the like, not read", damaged=False)

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one conversation."""
        if "conversation" not in record and self.key not in record:
            if self.start.search(data):  # they are looked for one by one then
                raise BadLineError("has its conversations in an unknown place")
            raise NoConversationError(_NONE, damaged=False)
        facts, given = mapping(record.get("conversation")), record.get(self.key)
        if not isinstance(given, list):
            raise NoConversationError(Phrase("has no messages"))
        if not given:
            raise NoConversationError(Phrase("is empty"), damaged=False)
        repairs: list[Repaired] = []
        found = _by_id(given, places(data, self.key), repairs)
        first = next(iter(found))
        id = text(facts.get("conversation_id") or facts.get("id") or found[first].fields.get("conversation_id"))
        times = moment(facts.get("create_time")), moment(facts.get("modify_time"))
        yield Begin(self.info(id or first, facts.get("title"), *times, {name: facts.get(name) for name in _FACTS}))
        if not id:
            yield Repaired("The conversation has no id. It is named by its first message.")
        yield from repairs
        models = {id: own_model(one.fields) for id, one in found.items()}
        yield from tree_events(
            {id: one.parent for id, one in found.items()},
            {},
            lambda id: [entry_of(id, found[id].fields, models.get(found[id].parent or "", ""), found[id].record)],
            text(facts.get("leaf_response_id")),
        )

    def _has_conversations(self, export: ExportFile, document: ExportDocument) -> bool:
        return _is_export(head_of(export, document))


class _Message(NamedTuple):
    """The fields of a message, the id of its parent, and its place in the bytes of its conversation."""

    fields: dict[str, Any]
    parent: str | None
    record: Record | None


def _is_export(head: bytes) -> bool:
    is_json = head.lstrip()[:1] in (b"{", b"[")
    found = Grok.start.search(head) if is_json else None
    return found is not None and _RESPONSES.search(head, found.end()) is not None


def _by_id(
    given: list[Any], found: Mapping[str | int, tuple[int, int]], repairs: list[Repaired]
) -> dict[str, _Message]:
    """Return the messages by their ids. A message without an id is named by its number in the list.

    Where no message names a parent, each follows the previous one. `found` has offset and size of each message that
    is an object, by its number among them. `repairs` gets the ids that are repeated.
    """
    messages = [_fields(one) for one in given]
    is_tree = any(_PARENT in message for message in messages)
    out: dict[str, _Message] = {}
    objects = 0
    for item, message in zip(given, messages, strict=True):
        own = text(message.get("response_id") or message.get("_id"))
        id = own if own and own not in out else free_id(f"{own}+{len(out) + 1}", out)
        if own and id != own:
            repairs.append(Repaired(f"The id {own} is that of several messages. All are kept, this one as {id}.", id))
        parent = text(message.get(_PARENT)) if is_tree else next(reversed(out), None)
        is_object = isinstance(item, dict)
        record = Record(*found[objects]) if is_object and objects in found else None
        objects += is_object
        out[id] = _Message(message, parent or None, record)
    return out


def _fields(item: Any) -> dict[str, Any]:
    """Return the fields of `response` and those beside it, such as a link. A value that is no object is under ""."""
    if not isinstance(item, dict):
        return {"": item}
    message = item.get("response")
    if not isinstance(message, dict):
        return item
    return message | {name: value for name, value in item.items() if name != "response" and name not in message}
