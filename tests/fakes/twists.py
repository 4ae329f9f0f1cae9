"""What odd servers make of the events of a stream, whatever the API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.script import Event, Twist

_FIGURES = ("usage", "_details")
BLOCK_BEGINS = ("content_block_start", "response.output_item.added")
DELTAS = ("content_block_delta", "response.output_text.delta")


def type_of(event: Event) -> str:
    """The type of the event, for chunks of Chat Completions those of the events that the others have there."""
    data = event[1]
    if not isinstance(data, dict):
        return "[DONE]"
    if "choices" not in data:
        return str(data.get("type", ""))
    choice = data["choices"][0] if data["choices"] else {"delta": {}, "finish_reason": None}
    if choice["finish_reason"]:
        return "message_delta"
    delta = choice["delta"]
    if "role" in delta:
        return "message_start"
    call = (delta.get("tool_calls") or [{}])[0]
    return "content_block_start" if "id" in call else "content_block_delta" if delta else "usage"


def figures(value: Any) -> Twist:
    """Every number of tokens is this."""

    def changed(data: Any, *, within: bool = False) -> Any:
        if isinstance(data, dict):
            return {
                name: changed(inner, within=within or name.endswith(("usage", "_details")))
                for name, inner in data.items()
            }
        if isinstance(data, list):
            return [changed(inner, within=within) for inner in data]
        return value if within and isinstance(data, int) else data

    return lambda event: [(event[0], changed(event[1]))]


def before(types: Sequence[str], *added: Event) -> Twist:
    """Insert events before each event of these types."""
    return lambda event: [*added, event] if type_of(event) in types else [event]


def instead(types: Sequence[str], *others: Event) -> Twist:
    return lambda event: list(others) if type_of(event) in types else [event]


def twice(types: Sequence[str]) -> Twist:
    return lambda event: [event, event] if type_of(event) in types else [event]


def each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Twist:
    """Every event with other data."""
    return lambda event: [(event[0], change(event[1]) if isinstance(event[1], dict) else event[1])]


@dataclass
class Swapped:
    """The first event of the one type comes after the first of the other."""

    first: Sequence[str]
    second: Sequence[str]
    held: Event | None = None
    is_over: bool = False

    def __call__(self, event: Event) -> list[Event]:
        if not self.is_over and self.held is None and type_of(event) in self.first:
            self.held = event
            return []
        if not self.is_over and self.held is not None and type_of(event) in self.second:
            self.is_over = True
            return [event, self.held]
        return [event]
