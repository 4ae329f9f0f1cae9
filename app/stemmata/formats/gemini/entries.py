"""Turn the messages of a Gemini CLI session into entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.gemini.log import MessageLog
from stemmata.formats.gemini.messages import GeminiMessage, Told, call_key, calls_in, parts_in, responses_in, text_of
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.values import count, dump, image, instant, listed, mapping, text, untaken

PROVIDER = "google"
_STOPPED = ("cancelled", "canceled")  # states of tool calls


class EntriesOfLog:
    """The entries of a log.

    A later version of a message adds an entry with its new content, because an entry never changes. The results of a
    message's calls follow the message, whichever record contains them first.
    """

    def __init__(self, log: MessageLog) -> None:
        self._log = log
        self._ends: dict[str, str | None] = {}  # message → the last of its entries, or that of the message before
        self._answered: set[str] = set()  # keys of calls whose results are entries

    @property
    def leaf(self) -> str | None:
        """The id of the current entry; valid after the iteration."""
        return None if self._log.leaf is None else self._ends.get(self._log.leaf)

    def __iter__(self) -> Iterator[Entry | Blob]:
        taken = set(self._log.messages)
        for message in self._log.messages.values():
            blobs: list[Blob] = []
            parent = None if message.parent is None else self._ends[message.parent]
            entries = []
            for one in self._entries(message, blobs):
                entry = with_free_id(one, message.id, taken)
                entries.append(replace(entry, parent=parent))
                parent = entry.id
            yield from blobs
            yield from entries
            self._ends[message.id] = parent

    def _entries(self, message: GeminiMessage, blobs: list[Blob]) -> Iterator[Entry]:
        """Yield the entries of a message, each the child of the previous one."""
        if message.replaces:
            yield _compaction(message)
        elif message.type == "gemini":
            yield from _reply(message, blobs)
            yield from self._results(message, blobs)
        else:
            yield from self._said(message, blobs)

    def _said(self, message: GeminiMessage, blobs: list[Blob]) -> Iterator[Entry]:
        """Yield the results of calls that no reply has, then the message itself."""
        responses = responses_in(message.versions[0].fields.get("content"))
        for at, response in enumerate(responses):
            key = text(response.get("id"))
            if key not in self._answered:
                told = Told({"functionResponse": response}, text(response.get("name")), message.versions[0].record)
                yield _result(f"{message.id}/{at}", key, told, message, blobs)
        make = _user if message.type == "user" else _note
        for at, piece in enumerate(_pieces(message, blobs)):
            yield replace(make(message, piece), id=_id(message, at))

    def _results(self, message: GeminiMessage, blobs: list[Blob]) -> Iterator[Entry]:
        for at, call in enumerate(calls_in(message.newest)):
            key = call_key(message.id, at, call)
            told = self._log.results.get(key)
            if told is not None and key not in self._answered:
                self._answered.add(key)
                yield _result(f"{message.id}/{at}", key, told, message, blobs, call)


def _id(message: GeminiMessage, at: int) -> str:
    return f"{message.id}+{at}" if at else message.id


def _pieces(message: GeminiMessage, blobs: list[Blob]) -> list[tuple[Block, ...]]:
    """Return the blocks of a message's first version with content, then the new blocks of each later version.

    A message without content makes no entry, because a later version may add its content.
    """
    pieces: list[tuple[Block, ...]] = []
    seen: list[Block] = []
    for version in message.versions:
        found = _blocks_of(message.id, version.fields, blobs)
        new = tuple(_beyond(block, seen) for block in found if block not in seen)
        if new:
            pieces.append(new)
            seen += found
    return pieces


def _beyond(block: Block, seen: Sequence[Block]) -> Block:
    """Return a text without the text before it that it continues."""
    if isinstance(block, Text):
        before = [one.text for one in seen if isinstance(one, Text) and block.text.startswith(one.text)]
        return Text(block.text[len(max(before, key=len, default="")) :])
    return block


def _blocks_of(id: str, fields: dict[str, Any], blobs: list[Blob]) -> list[Block]:
    """Return the content blocks of one version of a message, without the results of tools."""
    thinking: list[Block] = []
    for each in listed(fields.get("thoughts")):
        thinking += untaken(each, "subject", "description") or [_thought(mapping(each))]
    parts = [
        part for part in parts_in(fields.get("content")) if not part.keys() & {"functionCall", "functionResponse"}
    ]
    calls = [
        ToolCall(call_key(id, at, call), text(call.get("name")), compact_json(mapping(call.get("args"))))
        for at, call in enumerate(calls_in(fields))
    ]
    return [*thinking, *_blocks(parts, blobs), *calls]


def _compaction(message: GeminiMessage) -> Entry:
    first = message.versions[0]
    return Entry(
        id=message.id, kind=Kind.COMPACTION, time=_time(first.fields), record=first.record,
        blocks=(Text(text_of(first.fields.get("content"))),), target=message.kept,
    )  # fmt: skip


def _user(message: GeminiMessage, blocks: tuple[Block, ...]) -> Entry:
    first = message.versions[0]
    is_context = plain_text(blocks).lstrip().startswith("<session_context>")
    return Entry(
        id=message.id, role=Role.USER, blocks=blocks, flags=Flag.INJECTED if is_context else Flag.NONE,
        time=_time(first.fields), record=first.record,
    )  # fmt: skip


def _reply(message: GeminiMessage, blobs: list[Blob]) -> Iterator[Entry]:
    """Yield the entries of a reply. The last of them has the usage."""
    pieces, newest = _pieces(message, blobs), message.newest
    usages = (mapping(version.fields.get("tokens")) for version in reversed(message.versions))
    tokens = next(filter(None, usages), None)
    ends = Flag.NONE if calls_in(newest) else Flag.ENDS_TURN
    for at, blocks in enumerate(pieces):
        is_last = at == len(pieces) - 1
        yield Entry(
            id=_id(message, at), role=Role.ASSISTANT, blocks=blocks, provider=PROVIDER,
            model=text(message.versions[0].fields.get("model")), usage=_usage(tokens) if is_last else None,
            flags=ends if is_last else Flag.UNFINISHED, time=_time(message.versions[0].fields),
            record=message.versions[0].record,
        )  # fmt: skip


def _result(
    id: str, key: str, told: Told, message: GeminiMessage, blobs: list[Blob], call: Mapping[str, Any] | None = None
) -> Entry:
    blocks: list[Block] = []
    has_failed = False
    for part in parts_in(told.parts):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        if "functionResponse" not in part:
            blocks += _blocks([part], blobs)
        elif "output" in response or "error" in response:
            blocks.append(Text(text(response.get("output", response.get("error")))))
            has_failed |= "output" not in response
        else:
            blocks.append(Text(dump(response)))
    state = text(call.get("status")) if call else ""
    failed = Flag.FAILED if has_failed or state == "error" else Flag.NONE
    return Entry(
        id=id, role=Role.TOOL_RESULT, tool=told.name, call=key or id, blocks=tuple(blocks),
        flags=Flag.ABORTED if state in _STOPPED else failed, record=told.record,
        time=_time(message.versions[0].fields),
    )  # fmt: skip


def _note(message: GeminiMessage, blocks: tuple[Block, ...]) -> Entry:
    """Return the entry of a message from the program to the user, which the model never saw."""
    first = message.versions[0]
    return Entry(
        id=message.id, kind=Kind.CUSTOM, name=f"gemini:{message.type}", blocks=blocks,
        time=_time(first.fields), record=first.record,
    )  # fmt: skip


def _blocks(parts: list[dict[str, Any]], blobs: list[Blob]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for part in parts:
        data = mapping(part.get("inlineData"))
        if "text" in part:
            blocks += [Text(written)] if (written := text(part["text"])) else []
        elif data and (picture := image(data.get("data"), data.get("mimeType"), blobs)) is not None:
            blocks.append(picture)
        else:
            blocks.append(UnknownBlock(next(iter(part), ""), compact_json(part)))
    return tuple(blocks)


def _thought(thought: dict[str, Any]) -> Thinking:
    subject, description = text(thought.get("subject")), text(thought.get("description"))
    return Thinking("\n\n".join(part for part in (f"**{subject}**" if subject else "", description) if part))


def _usage(tokens: Any) -> Usage | None:
    """Return the counts of a reply. The program counts the cached tokens as part of the input."""
    found = mapping(tokens)
    if not found:
        return None
    sent, cached = count(found.get("input")) + count(found.get("tool")), count(found.get("cached"))
    written = count(found.get("output")) + count(found.get("thoughts"))
    read = min(cached, sent)
    return Usage(input=sent - read, output=written, cache_read=read, total=count(found.get("total")))


def _time(fields: dict[str, Any]) -> int:
    return instant(fields.get("timestamp"))
