"""Replay the log of a session: messages, newer versions of them, rewinds, and checkpoints of the whole list.

A rewind takes the conversation back to before a message; the messages after that place stay as a branch. A
compaction writes a checkpoint whose list begins with a summary and repeats the kept messages with new ids.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.formats.gemini.messages import (
    TYPES,
    GeminiMessage,
    Told,
    Version,
    call_key,
    calls_in,
    responses_in,
    shape_of,
)
from stemmata.formats.shared.values import listed, mapping, text


class MessageLog:
    """The messages of a session by id, parents first.

    `leaf` is the last message of the conversation after all changes.
    """

    def __init__(self) -> None:
        self.messages: dict[str, GeminiMessage] = {}
        self.results: dict[str, Told] = {}  # results of tool calls, by `call_key`
        self.facts: dict[str, Any] = {}  # the newest value of each fact of the session
        self.leaf: str | None = None
        self._originals: dict[str, str] = {}  # id of a copy → id of the message
        self._shapes: dict[str, tuple[str, ...]] = {}  # of messages that a compaction looked at; see `shape_of`
        self._rewound = False  # whether the last change was a rewind

    def take(self, found: dict[str, Any], record: Record) -> str:
        """Apply one record of the log; return why it cannot be used, "" when it was applied."""
        if "$rewindTo" in found:
            return self._rewind(text(found["$rewindTo"]))
        if "$set" in found and not isinstance(found["$set"], dict):
            return "sets no facts"
        if "$set" in found:
            return self._set(mapping(found["$set"]), record)
        if "sessionId" in found:
            return self._set(found, record)
        if not text(found.get("id")) or text(found.get("type")) not in TYPES:
            return "not a known record of Gemini CLI"
        self._add(found, record)
        self._rewound = False
        return ""

    def _add(self, found: dict[str, Any], record: Record) -> None:
        id = text(found.get("id"))
        known = self.messages.get(id)
        if known is None and id not in self._originals:
            known = self.messages[id] = GeminiMessage(id, self.leaf, [])
            self.leaf = id
        if known is not None:
            known.versions.append(Version(found, record))
            self._shapes.pop(id, None)
            self._note_results(id, found, record)

    def _note_results(self, id: str, found: dict[str, Any], record: Record) -> None:
        """Store the results of tool calls, which a reply contains beside its calls and the next message repeats."""
        for at, call in enumerate(calls_in(found)):
            if call.get("result") is not None:
                self.results.setdefault(call_key(id, at, call), Told(call["result"], text(call.get("name")), record))
        for response in responses_in(found.get("content")):
            told = Told({"functionResponse": response}, text(response.get("name")), record)
            self.results.setdefault(text(response.get("id")), told)

    def _rewind(self, id: str) -> str:
        message = self.messages.get(self._originals.get(id, id))
        if message is None:
            return "rewinds to a message that is not in the file"
        self.leaf, self._rewound = message.parent, True
        return ""

    def _set(self, found: dict[str, Any], record: Record) -> str:
        """Set facts, and apply the messages of a checkpoint; return how many of them have no id and are not used."""
        self.facts.update((key, value) for key, value in found.items() if key != "messages")
        if found.get("messages") is None:
            return ""
        given = listed(found["messages"])
        named = [mapping(each) for each in given if text(mapping(each).get("id"))]
        self._replace(named, record)
        return f"messages in it without an id: {len(given) - len(named)}" if len(named) < len(given) else ""

    def _replace(self, listed: Sequence[dict[str, Any]], record: Record) -> None:
        """Apply a checkpoint, a record that lists all messages of the conversation."""
        new = [each for each in listed if self._known(each) is None]
        there = {self._known(each) for each in listed}
        is_shorter = not self._rewound and any(id not in there for id in self._path_back())
        summary = next((each for each in new if each.get("type") == "user"), None) if is_shorter else None
        if summary is not None:
            self._compact(new[new.index(summary) :], record)
        elif is_shorter and not new:
            self.leaf = next((id for id in self._path_back() if id in there), None)
        else:
            for each in new:
                self._add(each, record)

    def _compact(self, new: Sequence[dict[str, Any]], record: Record) -> None:
        """Add a summary and the messages after it: the model's thanks, copies of kept messages, other messages."""
        path = self._context()
        self._add(new[0], record)
        summary = self.messages[text(new[0].get("id"))]
        summary.replaces = True
        rest, at = list(new[1:]), 0
        places: dict[tuple[str, ...], list[int]] = {}
        for place, id in enumerate(path):
            places.setdefault(self._shape(id), []).append(place)
        if rest and rest[0].get("type") == "gemini" and shape_of(rest[0]) not in places:
            self._originals[text(rest.pop(0).get("id"))] = summary.id  # the model's thanks for the summary
        for each in rest:
            found = places.get(shape_of(each), [])
            nearest = bisect_left(found, at)
            if nearest < len(found):
                at = found[nearest] + 1
                self._originals[text(each.get("id"))] = path[at - 1]
                summary.kept = summary.kept or path[at - 1]
            else:
                self._add(each, record)

    def _known(self, found: dict[str, Any]) -> str | None:
        id = text(found.get("id"))
        return id if id in self.messages else self._originals.get(id)

    def _shape(self, id: str) -> tuple[str, ...]:
        if id not in self._shapes:
            self._shapes[id] = shape_of(self.messages[id].newest)
        return self._shapes[id]

    def _context(self) -> list[str]:
        """Return the ids of the messages that a compaction may keep: those since the last one, and those it kept."""
        context: list[str] = []
        first: str | None = None
        for id in self._path_back():
            context.append(id)
            message = self.messages[id]
            if first is None and message.replaces:
                first = message.kept or id
            if id == first:
                break
        return context[::-1]

    def _path_back(self) -> Iterator[str]:
        """Yield the ids of the conversation's messages from the leaf to the first."""
        at = self.leaf
        while at is not None:
            yield at
            at = self.messages[at].parent
