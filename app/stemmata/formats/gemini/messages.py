"""The messages of Gemini CLI, read from the records of any version of the program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.formats.shared.values import dump, listed, mapping, text

TYPES = frozenset({"user", "gemini", "info", "warning", "error"})


@dataclass(frozen=True, slots=True)
class Version:
    """A record of a message: its fields, and where it is in the file."""

    fields: dict[str, Any]
    record: Record


@dataclass(slots=True)
class GeminiMessage:
    """A message of the log. `parent` is the message before it; `versions` begins with the oldest version.

    `replaces`: the message is the summary of a compaction. `kept` is the first message that the compaction keeps,
    None when it keeps none.
    """

    id: str
    parent: str | None
    versions: list[Version]
    replaces: bool = False
    kept: str | None = None

    @property
    def newest(self) -> dict[str, Any]:
        """The fields of the newest version."""
        return self.versions[-1].fields

    @property
    def type(self) -> str:
        """The type of the message, one of TYPES; later versions of the message do not change it."""
        return text(self.versions[0].fields.get("type"))


@dataclass(frozen=True, slots=True)
class Told:
    """The first record of a tool call's result: its parts, the tool's name, and its place in the file."""

    parts: Any
    name: str
    record: Record


def parts_in(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a content: a text, a part, or a list of texts and parts. Another value is a part, too."""
    for part in listed(content):
        if isinstance(part, dict):
            yield part
        else:
            yield {"text" if isinstance(part, str) else "part": part}


def text_of(content: Any) -> str:
    """Return the texts of a content, joined."""
    return "".join(text(part["text"]) for part in parts_in(content) if "text" in part)


def responses_in(content: Any) -> list[dict[str, Any]]:
    """Return the tool results in a content."""
    return [mapping(part["functionResponse"]) for part in parts_in(content) if "functionResponse" in part]


def calls_in(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls of a message: those listed beside its content, else those in it."""
    listed = fields.get("toolCalls")
    if isinstance(listed, list) and listed:
        return [mapping(call) for call in listed]
    return [mapping(part["functionCall"]) for part in parts_in(fields.get("content")) if "functionCall" in part]


def call_key(message: str, at: int, call: dict[str, Any]) -> str:
    """Return the id of a call; older versions of the program gave none."""
    return text(call.get("id")) or f"{message}/{at}"


def shape_of(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return a message's type and contents, which are equal for the copy that a compaction writes with another id."""
    content = fields.get("content")
    calls = [dump([call.get("name"), call.get("args")]) for call in calls_in(fields)]
    results = [dump([each.get("name"), each.get("response")]) for each in responses_in(content)]
    return (text(fields.get("type")), text_of(content).strip(), *calls, *results)
