"""Recognise Open WebUI's exports and read their chats: all messages, not only the visible path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Begin, ReadEvent
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.open_webui.message import entries_of, moment
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.hidden_messages import hidden_messages
from stemmata.formats.shared.json_elements import element_keys, places
from stemmata.formats.shared.message_tree import tree_events
from stemmata.formats.shared.values import mapping, text

_TREE = re.compile(rb'"history"\s*:\s*\{\s*"(messages|currentId|current_id)"\s*:')
_FACTS = ("folder_id", "pinned", "archived", "share_id")  # facts in the record around a chat
_CHAT_FACTS = ("models", "system", "tags")
_BARE = b'{"chat":'  # written before a single chat, so that it has the form of an export


class OpenWebui(ExportFormat):
    """The reader of Open WebUI's exports, and of a chat by itself."""

    name = "open-webui"
    key = "chat"
    start = re.compile(rb'\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"(user_id|title)"\s*:')
    bookkeeping: ClassVar[Mapping[str, str]] = {}
    paths: ClassVar[Collection[tuple[str, ...]]] = {("chat", "history", "messages"), ("history", "messages")}

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the file begins like a chat with a tree of messages, or a list of them."""
        return bool(element_keys(head, ("chat", "history"))) and _TREE.search(head) is not None

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one chat."""
        is_bare = "chat" not in record
        chat = record if is_bare else mapping(record.get("chat"))
        history = mapping(chat.get("history"))
        messages = history.get("messages")
        if not isinstance(messages, dict):
            raise NoConversationError(Phrase("has no messages"))
        if not messages:
            raise NoConversationError(Phrase("is empty"), damaged=False)
        id = text(record.get("id") or chat.get("id")) or next(iter(messages))
        created = moment(record.get("created_at")) or moment(chat.get("timestamp"))
        facts = {name: record.get(name) for name in _FACTS} | {name: chat.get(name) for name in _CHAT_FACTS}
        title = record.get("title") or chat.get("title")
        info = self.info(id, title, created, moment(record.get("updated_at")), facts)
        origin = text(chat.get("originalChatId"))  # the chat was cloned, perhaps only up to one of its messages
        yield Begin(replace(info, parent_source_id=origin if origin != id else ""))
        start, size = _history(data, is_bare=is_bare)
        history_bytes = data[start : start + size]
        found = places(history_bytes, "messages")
        hidden = list(hidden_messages(history_bytes, "messages", messages))
        yield from (one.repair for one in hidden)
        messages = messages | {one.id: one.fields for one in hidden}
        found |= {one.id: one.place for one in hidden}
        records = {id: Record(start + at, length) for id, (at, length) in found.items()}
        yield from tree_events(
            {id: text(mapping(message).get("parentId")) or None for id, message in messages.items()},
            {id: _children(message) for id, message in messages.items()},
            lambda id: entries_of(id, messages[id], records.get(id)),
            text(history.get("currentId")),
        )


def _children(message: Any) -> list[str]:
    found = mapping(message).get("childrenIds")
    return [child for child in found if isinstance(child, str)] if isinstance(found, list) else []


def _history(data: bytes, *, is_bare: bool) -> tuple[int, int]:
    """Return the offset and the size of a chat's history in its bytes."""
    whole = _BARE + data + b"}" if is_bare else data
    start, size = places(whole, "chat").get("history", (0, 0))
    return (start - len(_BARE) * is_bare, size) if size else (0, 0)
