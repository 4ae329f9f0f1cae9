"""Convert a message of claude.ai to entries.

A reply holds its tool calls and their results in one list: each result becomes a separate entry, and the content
after it becomes another entry of the assistant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import dump, image, instant, listed, mapping, text

_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_BOOKKEEPING = ("token_budget",)  # items of a content that are not part of the conversation
_STOPS = {"max_tokens": Flag.CUT, "user_canceled": Flag.ABORTED}


def entries_of(id: str, message: Any, record: Record | None) -> Iterator[Entry | Blob]:
    """Yield the entries of a message without their parents, each before the next, and their blobs before them."""
    given = mapping(message)
    role = _ROLES.get(text(given.get("sender")))
    if role is None:
        yield Entry(id=id, kind=Kind.UNKNOWN, flags=Flag.HIDDEN, details=dump(message), record=record)
        return
    content = _Content(id)
    parts = [*_attached(given), *content.parts(given)]
    yield from content.blobs
    stop = _STOPS.get(text(given.get("stop_reason")), Flag.ENDS_TURN) if role == Role.ASSISTANT else Flag.NONE
    whole = Entry(id=id, role=role, time=instant(given.get("created_at")), flags=stop, record=record)
    yield from split_at_results(whole, parts)


@dataclass
class _Content:
    """The content of the message `id`. `calls` are the tool calls that have no result yet: id and name."""

    id: str
    blobs: list[Blob] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    made: int = 0  # number of calls

    def parts(self, message: dict[str, Any]) -> Iterator[Block | Result]:
        """Yield the blocks of the message and the results among them; their pictures are appended to `blobs`."""
        for item in _items(message):
            kind = mapping(item).get("type")
            if kind == "tool_result":
                yield self._result(item)
            elif kind not in _BOOKKEEPING:
                yield from self._blocks(item)

    def _result(self, item: dict[str, Any]) -> Result:
        content = item.get("content")
        blocks: list[Block] = []
        for part in content if isinstance(content, list) else [content]:
            blocks += _result_blocks(part, self.blobs)
        name = text(item.get("name"))
        call, called = self._call(text(item.get("tool_use_id")), name)
        return Result(call, name or called, tuple(blocks), item.get("is_error") is True)

    def _call(self, id: str, name: str) -> tuple[str, str]:
        """Return id and name of the call that a result answers: by its id, else by the tool, else the oldest."""
        for found in self.calls:
            if found[0] == id or (not id and name in ("", found[1])):
                self.calls.remove(found)
                return found
        return id, name

    def _blocks(self, item: Any) -> Iterator[Block]:
        kind = mapping(item).get("type")
        if kind == "tool_use":
            self.made += 1
            id = text(item.get("id")) or f"{self.id}#call{self.made}"
            self.calls.append((id, text(item.get("name"))))
            yield ToolCall(*self.calls[-1], compact_json(item.get("input") or {}))
        elif kind == "thinking":
            yield Thinking(text(item.get("thinking")) or "\n\n".join(_summaries(item)))
        elif kind == "text" and isinstance(item.get("text"), str):
            yield from _text(item, "text")
        elif kind == "voice_note":
            yield from _text(item, "title", "text")
        else:
            yield UnknownBlock(text(kind), compact_json(item))


def _items(message: dict[str, Any]) -> list[Any]:
    """Return the items of a message's content; the message's plain text when the items contain no text."""
    content, plain = message.get("content"), message.get("text")
    if isinstance(content, str):
        return [{"type": "text", "text": said} for said in dict.fromkeys((text(plain), content)) if said]
    items = [item for item in listed(content) if item is not None]
    if not plain or any(map(_is_said, items)):
        return items
    damaged = [item for item in items if not isinstance(item, dict) or item.get("text")]
    return [{"type": "text", "text": text(plain)}, *damaged]


def _is_said(item: Any) -> bool:
    """Return whether an item of a content is other than a text, or a text that is not empty."""
    found = mapping(item)
    if "type" not in found or found["type"] == "text":
        return isinstance(found.get("text"), str) and bool(found["text"])
    return True


def _text(item: dict[str, Any], *names: str) -> Iterator[Block]:
    said = "\n\n".join(filter(None, (text(item.get(name)) for name in names)))
    if said:
        yield Text(said)


def _summaries(item: dict[str, Any]) -> list[str]:
    found = item.get("summaries")
    return [text(mapping(one).get("summary")) for one in found] if isinstance(found, list) else []


def _result_blocks(part: Any, blobs: list[Blob]) -> Iterator[Block]:
    if part is None:
        return
    item = {"type": "text", "text": part} if isinstance(part, str) else mapping(part)
    if item.get("type") == "text" and isinstance(item.get("text"), str):
        yield from _text(item, "text")
    elif item.get("type") == "knowledge":
        yield from _text(item, "title", "url", "text")
    else:
        source = mapping(item.get("source"))
        picture = image(source.get("data"), source.get("media_type"), blobs) if item.get("type") == "image" else None
        yield picture or UnknownBlock(text(item.get("type")), compact_json(part))


def _attached(message: dict[str, Any]) -> Iterator[Block]:
    """Yield a block for each attachment of a message: its text, or the name of a file that the export lacks."""
    for one in listed(message.get("attachments")):
        name, said = _name(one), text(mapping(one).get("extracted_content"))
        yield (
            Text(f"{name or 'attachment'}:\n\n{said}")
            if said
            else UnknownBlock(_titled("attachment", one), dump(one))
        )
    for one in listed(message.get("files_v2")) or listed(message.get("files")):
        yield UnknownBlock(_titled("file", one), dump(one))


def _name(attached: Any) -> str:
    return " ".join(text(mapping(attached).get("file_name")).split())[:250]


def _titled(kind: str, attached: Any) -> str:
    return f"{kind} {_name(attached)}".strip()
