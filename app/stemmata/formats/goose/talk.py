"""Convert the messages of a session of Goose in order, and mark those that the model does not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.formats.goose.content import NOTES, items_of, note_of, parts_of
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.reply_parts import split_at_results
from stemmata.formats.shared.values import dump, mapping, seconds, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_AFTER_SUMMARY = "Do not mention that you read a summary"  # in the reply that Goose writes behind a summary
_SECOND = 1_000_000_000
_WORDS = ("toolRequest", "toolResponse", "frontendToolRequest")


@dataclass(frozen=True, slots=True)
class GooseMessage:
    """A message as it is stored. `metadata` says whether the user and the model see it."""

    id: str
    role: str
    created: Any
    content: Any
    metadata: Any
    record: Record

    @property
    def time(self) -> int:
        """When it was written, in ns. Goose stores seconds."""
        return seconds(self.created)

    @property
    def is_sent(self) -> bool:
        """Whether the model sees the message now."""
        return mapping(self.metadata).get("agentVisible") is not False

    @property
    def is_shown(self) -> bool:
        """Whether Goose shows the message."""
        return mapping(self.metadata).get("userVisible") is not False


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens of a request, and its model. `time` is when it ended, in ns."""

    time: int
    model: str
    usage: Usage
    is_compaction: bool


class Talk:
    """The entries of a session, each the child of the previous one.

    `leaf` is the last one, valid after the iteration. A compaction hides all messages before it from the model and
    adds a summary that only the model sees. `spent` are the tokens of the requests in order, `provider` and `model`
    those that the session uses now.
    """

    def __init__(
        self, messages: Sequence[GooseMessage], spent: Sequence[Spent] = (), provider: str = "", model: str = ""
    ) -> None:
        self.leaf: str | None = None
        self._messages = messages
        self._provider, self._model = provider, model
        self._summaries = [at for at in range(len(messages)) if self._is_summary(at)]
        last = self._summaries[-1] if self._summaries else 0
        before = self._summaries[-2] + 1 if len(self._summaries) > 1 else 0
        self._kept = next((at for at in range(before, last) if messages[at].is_sent), last)
        self._spent = self._shared_out(spent)
        self._tools: dict[str, str] = {}
        self._ids = {message.id for message in messages}

    def __iter__(self) -> Iterator[Entry | Blob]:
        for at, message in enumerate(self._messages):
            blobs: list[Blob] = []
            entries = list(self._entries(at, message, blobs))
            yield from blobs
            for one in entries:
                entry = with_free_id(one, message.id, self._ids)
                yield replace(entry, parent=self.leaf)
                self.leaf = entry.id

    def _entries(self, at: int, message: GooseMessage, blobs: list[Blob]) -> Iterator[Entry]:
        items = items_of(message.content)
        whole = Entry(id=message.id, time=message.time, record=message.record)
        role = _ROLES.get(message.role)
        if role is None:
            yield replace(whole, kind=Kind.UNKNOWN, name=message.role or "message", details=dump(message.content))
        elif items and all(text(item.get("type")) in NOTES for item in items):
            blocks = tuple(block for item in items for block in note_of(item))
            yield replace(
                whole, kind=Kind.CUSTOM, name=f"goose:{text(items[0]['type'])}", blocks=blocks, details=dump(items),
                flags=Flag.NONE if blocks else Flag.HIDDEN,
            )  # fmt: skip
        elif at in self._summaries:
            yield self._compaction(at, replace(whole, blocks=tuple(map(Text, _texts(message)))))
        else:
            yield from self._message(at, message, replace(whole, role=role), blobs)

    def _message(self, at: int, message: GooseMessage, whole: Entry, blobs: list[Blob]) -> Iterator[Entry]:
        parts = list(parts_of(items_of(message.content), self._tools, blobs))
        flags = Flag.NONE if message.is_sent or self._is_covered(at) else Flag.EXCLUDED
        if whole.role is Role.ASSISTANT:
            goes_on = any(isinstance(part, ToolCall) for part in parts)
            flags |= Flag.NONE if goes_on else Flag.ENDS_TURN
            spent = self._spent.get(at)
            whole = replace(
                whole, provider=self._provider, model=spent.model if spent else self._model,
                usage=spent.usage if spent else None,
            )  # fmt: skip
        elif message.is_sent and not message.is_shown:
            flags |= Flag.INJECTED
        for entry in split_at_results(replace(whole, flags=flags), parts):
            yield replace(entry, flags=entry.flags | flags & Flag.EXCLUDED)

    def _compaction(self, at: int, whole: Entry) -> Entry:
        spent = self._spent.get(at)
        usage = Usage(total=spent.usage.sent, cost=spent.usage.cost) if spent else None
        kept = self._messages[self._kept].id if at == self._summaries[-1] and self._kept < at else None
        return replace(whole, kind=Kind.COMPACTION, target=kept, usage=usage, model=spent.model if spent else "")

    def _is_covered(self, at: int) -> bool:
        """Return whether a compaction says why the model no longer sees the message."""
        return bool(self._summaries) and at < self._kept

    def _is_summary(self, at: int) -> bool:
        """Return whether a message is the summary of a compaction, also of one before another compaction."""
        message = self._messages[at]
        words = any(item.get("type") in _WORDS for item in items_of(message.content))
        if message.role != "user" or message.is_shown or words or not _texts(message):
            return False
        after = self._messages[at + 1] if at + 1 < len(self._messages) else None
        if after is not None and after.role == "assistant" and not after.is_shown:
            return any(_AFTER_SUMMARY in said for said in _texts(after))
        return message.is_sent and at > 0 and not any(one.is_sent for one in self._messages[:at])

    def _shared_out(self, spent: Sequence[Spent]) -> dict[int, Spent]:
        """Return the tokens of requests by the place of the reply, or of the summary, that each brought.

        A request ends after its reply began and before the next one does.
        """
        out: dict[int, Spent] = {}
        start = {True: 0, False: 0}
        for one in spent:
            at, found = start[one.is_compaction], -1
            while at < len(self._messages) and self._messages[at].time < one.time + _SECOND:
                is_reply = self._messages[at].role == "assistant"
                if at in self._summaries if one.is_compaction else is_reply:
                    found = at
                at += 1
            start[one.is_compaction] = at
            if found >= 0:
                out[found] = one
        return out


def _texts(message: GooseMessage) -> list[str]:
    return [said for item in items_of(message.content) if (said := text(item.get("text")))]
