"""The part of a session that another tool gets, to continue it from an entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stemmata.domain.entries.blocks import Image, Thinking, ToolCall
from stemmata.domain.entries.tokens import UNITS_PER_IMAGE, to_tokens, units
from stemmata.domain.requests.message_normalizer import CallResult, CleanMessage
from stemmata.domain.sources.export import ExportSource

BRIEF = "This is the summary of an earlier conversation. Continue its work.\n\n{0}"


class Extent(StrEnum):
    """How much of the path is handed over."""

    WHOLE = "whole"  # every message of the path, also those that a compaction has replaced
    CONTEXT = "context"  # the context at the entry: the last summary and the entries after it
    BRIEF = "brief"  # one message with a summary of the path


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOffDocument:
    """A session for another tool. `id` is a new UUID, `time` the moment of the hand-off in nanoseconds.

    `model` is the model of the path as `provider/model`, "" for none. `path` is the same path with all of its entries
    and facts, for a tool that can store them; None for a brief.
    """

    id: str
    cwd: str
    title: str
    time: int
    model: str
    messages: Sequence[CleanMessage]
    blob: Callable[[str], bytes | None]
    path: ExportSource | None = None


@dataclass(frozen=True, slots=True)
class HandOffSize:
    """The size of a hand-off: estimated tokens, and numbers of messages and calls."""

    tokens: int
    messages: int
    calls: int


def size_of(messages: Sequence[CleanMessage]) -> HandOffSize:
    """Return the size of messages, without thinking, which a tool gets only from its own model."""
    found = calls = 0
    for message in messages:
        for block in message.blocks:
            match block:
                case Thinking():
                    pass
                case ToolCall(_, name, arguments):
                    calls, found = calls + 1, found + units(name) + units(arguments)
                case Image():
                    found += UNITS_PER_IMAGE
                case _:
                    found += units(block.text)
    spoken = sum(not isinstance(message, CallResult) for message in messages)
    return HandOffSize(to_tokens(found), spoken, calls)
