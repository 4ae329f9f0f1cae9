"""Token figures, each with how it is known, and the estimator of the pi agent (version 0.58)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Role

UNITS_PER_TOKEN = 4
UNITS_PER_IMAGE = 4800


class FigureKind(IntEnum):
    """How a number is known, strongest first. A total takes the weakest kind of its parts."""

    REPORTED = 0
    COUNTED = 1
    ESTIMATED = 2
    UNKNOWN = 3

    @property
    def text(self) -> str:
        """The kind as a word, as the output in JSON has it."""
        return self.name.lower()

    @property
    def mark(self) -> str:
        """The sign before a number of this kind: `≈` estimated, `=` counted, none for a reported one."""
        return _MARKS.get(self, "")


_MARKS = {FigureKind.COUNTED: "= ", FigureKind.ESTIMATED: "≈ "}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of tokens and how it is known. `value` is None exactly when the kind is UNKNOWN."""

    value: int | None
    kind: FigureKind

    @classmethod
    def reported(cls, value: int) -> Figure:
        """Return a figure that a provider reported."""
        return cls(value, FigureKind.REPORTED)

    @classmethod
    def counted(cls, value: int) -> Figure:
        """Return a figure that the provider counted when it was asked."""
        return cls(value, FigureKind.COUNTED)

    @classmethod
    def estimated(cls, value: int) -> Figure:
        """Return an estimated figure."""
        return cls(value, FigureKind.ESTIMATED)

    def __add__(self, other: Figure) -> Figure:
        kind = max(self.kind, other.kind)
        if self.value is None or other.value is None:
            return UNKNOWN
        return Figure(self.value + other.value, kind)


UNKNOWN = Figure(None, FigureKind.UNKNOWN)


class Weights(NamedTuple):
    """The size of an entry by category, in UTF-16 code units; an image counts as 4,800 units."""

    text: int = 0
    thinking: int = 0
    calls: int = 0
    images: int = 0

    @property
    def tokens(self) -> int:
        """Estimated tokens of all categories together."""
        return to_tokens(self.text + self.thinking + self.calls + self.images)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units, which is its length in JavaScript."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def to_tokens(count: int) -> int:
    """Return the estimated tokens of a number of UTF-16 code units: ceil(units / 4)."""
    return -(-count // UNITS_PER_TOKEN)


def weigh(entry: Entry) -> Weights:
    """Return the entry's weights, also for entries that are never sent. A shell command counts with its output."""
    weights = weigh_blocks(entry.blocks)
    if entry.role is Role.BASH_EXECUTION:
        return Weights(weights.text + units(entry.name), weights.thinking, weights.calls, weights.images)
    return weights


def weigh_blocks(blocks: Iterable[Block]) -> Weights:
    """Return the weights of content blocks."""
    text = thinking = calls = images = 0
    for block in blocks:
        match block:
            case Text():
                text += units(block.text)
            case Thinking():
                thinking += units(block.text)
            case ToolCall():
                calls += units(block.name) + units(block.arguments)
            case Image():
                images += UNITS_PER_IMAGE
            case _:
                text += units(block.json)
    return Weights(text, thinking, calls, images)


def abbreviated_count(count: int) -> str:
    """Return a count in short form: 950, 1.2k, 124.6k, 1.9M (one decimal from a thousand on)."""
    if count < 1000:
        return str(count)
    if count < 999_950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1_000_000:.1f}M"
