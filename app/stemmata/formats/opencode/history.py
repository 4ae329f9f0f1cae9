"""The messages of a session as a tree: in order, with those that a revert hides or deleted as branches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind, Record
from stemmata.domain.sources.reading import Blob, End, Raw, ReadEvent, Skipped
from stemmata.formats.opencode.entries import entries_of, tail_of
from stemmata.formats.opencode.message import OpencodeMessage, canonical
from stemmata.formats.opencode.source import MessageRow, SessionRow, Source
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.values import BadLineError, mapping, parse_object, text

ABANDONED = 3600 * 1_000_000_000  # ns without a change, after which an incomplete reply is read, too


class Events:
    """Yields the entries of a session's messages, one message after the other.

    `originals`: first ids of copied messages.
    """

    def __init__(self, header: bytes, originals: Mapping[str, str]) -> None:
        self.ends: dict[str, str | None] = {}  # message → the last entry up to it; None before the first
        self._originals = originals
        self._taken: set[str] = set()  # ids of all messages, and of the entries so far
        self._tails: dict[str, str] = {}  # message that asks for a compaction → first message that it keeps
        self._header = header
        self._offset = 0
        self._lines = 0

    def start(self, messages: Iterable[str]) -> Iterator[ReadEvent]:
        """Yield the first line, which names the session. `messages` are the ids of all messages that follow."""
        self._taken = {self.first_id(message) for message in messages}
        yield self._raw(self._header)

    def take(self, message: OpencodeMessage, parent: str | None, *, removed: bool = False) -> Iterator[ReadEvent]:
        """Yield the line of a message and its entries. `parent` is the message before it."""
        mark = Flag.REMOVED if removed else Flag.NONE
        line = message.line
        record = Record(self._offset, len(line) - 1)
        yield self._raw(line)
        if message.damage:
            yield Skipped(self._lines, "; ".join(message.damage))
        if message.id in self.ends:
            yield Skipped(self._lines, "has the id of an earlier message")
            return
        above, id = None if parent is None else self.ends.get(parent), self.first_id(message.id)
        for event in entries_of(message, id):
            if isinstance(event, Blob):
                yield event
                continue
            entry = with_free_id(event, id, self._taken)
            yield self._linked(message, replace(entry, parent=above, record=record, flags=entry.flags | mark))
            above = entry.id
        self.ends[message.id] = above
        tail = tail_of(message)
        if tail is not None:
            self._tails[message.id] = tail

    def first_id(self, message: str) -> str:
        """Return the id that a message had in the session where it was written."""
        return self._originals.get(message, message)

    def held_back(self, number: int) -> Skipped:
        """Return the report item about messages that opencode has not finished writing."""
        what = "1 message is" if number == 1 else f"{number} messages are"
        return Skipped(self._lines + 1, f"{what} still being written, and will be read when complete")

    def _linked(self, message: OpencodeMessage, entry: Entry) -> Entry:
        if entry.kind is not Kind.COMPACTION:
            return entry
        kept = self._tails.get(text(message.data.get("parentID")), "")
        return replace(entry, target=self.first_id(kept) if kept else None)

    def _raw(self, line: bytes) -> Raw:
        raw = Raw(self._offset, line)
        self._offset += len(line)
        self._lines += 1
        return raw


class SessionMessages:
    """The messages of a session. `now`: the time, in ns since the epoch."""

    def __init__(self, source: Source, session: SessionRow, originals: Mapping[str, str], now: int) -> None:
        self._source = source
        self._session = session
        self._now = now
        self._events = Events(canonical({"session": session.id}) + b"\n", originals)
        self.due = 0  # when messages that are held back count as abandoned, in ns; 0 when none are

    def __iter__(self) -> Iterator[ReadEvent]:
        listed = self._source.messages(self._session)
        live = [row for row in listed if row.removed is None]
        settled = self._settled(live)
        held = {row.row for row in live[settled:]}
        yield from self._events.start(row.id for row in listed)
        tree = _Tree()
        for row in listed:
            if row.removed is None and row.row in held:
                continue
            removed = row.removed is not None
            yield from self._events.take(self._source.message(row), tree.parent(row), removed=removed)
            tree.add(row)
        if held:
            yield self._events.held_back(len(held))
        yield End(self._leaf(live[:settled]), leaf_known=True)

    def _settled(self, listed: Sequence[MessageRow]) -> int:
        """Return how many messages, from the first, will not change any more.

        A prompt is complete when there is a reply, and a reply when it says so or another reply follows.
        """
        settled = 0
        for at in reversed(range(len(listed))):
            message = self._source.data_of(listed[at])
            if message.data.get("role") == "assistant":
                settled = at + message.is_complete
                break
        if settled < len(listed):
            due = self._source.updated(listed[settled:]) + ABANDONED
            if due <= self._now:
                return len(listed)
            self.due = due
        return settled

    def _leaf(self, listed: Sequence[MessageRow]) -> str | None:
        """Return the current entry of the session: the last one before the messages that a revert hides."""
        hidden = _reverted(self._session.facts.get("revert"))
        leaf: str | None = None
        for row in listed:
            if row.id == hidden:
                break
            leaf = self._events.ends.get(row.id, leaf)
        return leaf


class _Tree:
    """The parents of messages: the parent is the last message that existed when a message was written."""

    def __init__(self) -> None:
        self._live: str | None = None
        # ids of removed messages after the last live one, with the number of their deletion
        self._removed: list[tuple[str, int]] = []

    def parent(self, row: MessageRow) -> str | None:
        """Return the parent of a message. The parent of a message that is not deleted is never a deleted message."""
        began = None if row.removed is None else row.removed.began
        there = (id for id, ended in reversed(self._removed) if began is not None and began < ended)
        return next(there, self._live)

    def add(self, row: MessageRow) -> None:
        """Add a message."""
        if row.removed is None:
            self._live, self._removed = row.id, []
        else:
            self._removed.append((row.id, row.removed.ended))


def _reverted(value: Any) -> str | None:
    """Return the first message that a revert hides; None without a revert."""
    try:
        found = parse_object(value.encode("utf-8", "replace")) if isinstance(value, str) else mapping(value)
    except BadLineError:
        return None
    return text(found.get("messageID")) or None
