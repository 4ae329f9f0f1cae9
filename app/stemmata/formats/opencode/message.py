"""A message of opencode with its parts, whether it comes from the tables, from events or from files.

The archive keeps this line of it: JSON with sorted keys, the same wherever it comes from. Two fields that opencode
adds to old messages are left out, so that the line of an old message never changes: the summary of a prompt's changes
to files, and the mark that the output of a tool is no longer sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from stemmata.formats.shared.values import BadLineError, mapping, parse_object

_OF_ROW = frozenset({"id", "sessionID", "messageID"})  # columns in the tables, fields elsewhere


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message: text, thinking, a tool call with its result, or bookkeeping."""

    id: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class OpencodeMessage:
    """A message. `damage` names the parts that cannot be read; its data is empty when all of it cannot."""

    id: str
    data: dict[str, Any]
    parts: tuple[MessagePart, ...]
    damage: tuple[str, ...] = ()
    time: int = 0  # ns since the epoch, where the data does not tell it

    @property
    def line(self) -> bytes:
        """The line that stands for the message in the source of its session."""
        parts = [{"id": part.id, "data": part.data} for part in self.parts]
        lost = {"damage": self.damage} if self.damage else {}
        return canonical({"id": self.id, "data": self.data, "parts": parts, **lost}) + b"\n"

    @property
    def content(self) -> bytes:
        """The content that a message and its copy in a fork have in common: all but the ids."""
        data = {key: value for key, value in self.data.items() if key != "parentID"}
        return canonical([data, [part.data for part in self.parts]])

    @property
    def is_complete(self) -> bool:
        """Whether the program is done with a reply."""
        return bool(mapping(self.data.get("time")).get("completed") or self.data.get("error"))


def message_of(id: str, data: Any, parts: Iterable[tuple[str, Any]], time: int = 0) -> OpencodeMessage:
    """Return a message; its data and that of its parts are objects or their JSON text. Lost data is None."""
    damage: list[str] = []
    found = _object(data, "the message", damage)
    found.pop("summary", None) if found.get("role") == "user" else None
    listed = []
    for part, value in parts:
        known = len(damage)
        content = _object(value, f"part {part}", damage)
        state = content.get("state")
        if content.get("type") == "tool" and isinstance(state, dict) and "compacted" in mapping(state.get("time")):
            times = {key: each for key, each in state["time"].items() if key != "compacted"}
            content = {**content, "state": {**state, "time": times}}
        if len(damage) == known:
            listed.append(MessagePart(part, content))
    return OpencodeMessage(id, found, tuple(listed), tuple(damage), time)


def canonical(value: Any) -> bytes:
    """Return compact JSON with sorted keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _object(value: Any, what: str, damage: list[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        data = value.encode("utf-8", "replace") if isinstance(value, str) else value
        try:
            value = parse_object(data if isinstance(data, bytes) else None)
        except BadLineError as error:
            damage.append(f"{what}: {error}" if data is not None else f"{what}: lost or too large")
            return {}
    return {key: each for key, each in value.items() if key not in _OF_ROW}
