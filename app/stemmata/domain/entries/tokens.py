"""The estimator of tokens, as in the pi agent (version 0.58)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Role

UNITS_PER_TOKEN = 4
UNITS_PER_IMAGE = 4800


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
