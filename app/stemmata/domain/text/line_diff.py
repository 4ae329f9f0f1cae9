"""Finds the lines in which two texts differ, in a time that hostile texts cannot stretch."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from stemmata.domain.text.word_diff import common_ends

# Limits of one comparison of every line with every other. A longer part is first divided at the lines that occur once
# in both texts; parts that are still longer after DEPTH divisions are reported as different.
MOST_LINES = 2_000  # in either text
MOST_PAIRS = 20_000  # pairs of equal lines, one in each text; the time of a comparison grows with their number
DEPTH = 6


class LineBlock(NamedTuple):
    """A difference: lines `left` to `left_end` of the left text stand in place of lines of the right text.

    Lines are numbered from 0; an end is the line after the last one.
    """

    left: int
    left_end: int
    right: int
    right_end: int

    @property
    def is_empty(self) -> bool:
        """Whether the block contains no line of either text."""
        return self.left == self.left_end and self.right == self.right_end


def changed_blocks(left: Sequence[object], right: Sequence[object]) -> list[LineBlock]:
    """Return the differences of two texts, given as lines, in order; [] for equal texts.

    A line may be any object that can be compared and hashed, such as a mark for unknown lines.
    """
    out: list[LineBlock] = []
    waiting = [(LineBlock(0, len(left), 0, len(right)), 0)]
    while waiting:
        whole, depth = waiting.pop()
        block = _trimmed(left, right, whole)
        if block.is_empty:
            continue
        ours, theirs = left[block.left : block.left_end], right[block.right : block.right_end]
        if not ours or not theirs:
            out.append(block)
        elif not _is_too_much(ours, theirs):
            out += _compared(block, ours, theirs)
        else:
            parts = list(_divided(block, ours, theirs)) if depth < DEPTH else [block]
            if len(parts) == 1:
                out.append(block)
            else:
                waiting += [(part, depth + 1) for part in reversed(parts)]
    return out


def counts(left: Sequence[object], right: Sequence[object]) -> tuple[int, int]:
    """Return the number of lines that only the right text has (added) and that only the left text has (removed)."""
    blocks = changed_blocks(left, right)
    added = sum(block.right_end - block.right for block in blocks)
    return added, sum(block.left_end - block.left for block in blocks)


def _trimmed(left: Sequence[object], right: Sequence[object], block: LineBlock) -> LineBlock:
    """Return the block without the equal lines at its beginning and its end."""
    ours, theirs = left[block.left : block.left_end], right[block.right : block.right_end]
    start, stop = common_ends(ours, theirs)
    return LineBlock(block.left + start, block.left_end - stop, block.right + start, block.right_end - stop)


def _is_too_much(left: Sequence[object], right: Sequence[object]) -> bool:
    if max(len(left), len(right)) > MOST_LINES:
        return True
    ours, theirs = Counter(left), Counter(right)
    return sum(count * theirs[line] for line, count in ours.items()) > MOST_PAIRS


def _compared(block: LineBlock, left: Sequence[object], right: Sequence[object]) -> Iterator[LineBlock]:
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    for tag, a, b, c, d in codes:
        if tag != "equal":
            yield LineBlock(block.left + a, block.left + b, block.right + c, block.right + d)


def _divided(block: LineBlock, left: Sequence[object], right: Sequence[object]) -> Iterator[LineBlock]:
    """Yield the parts between lines that occur once in both texts and are in the same order there."""
    ours, theirs = Counter(left), Counter(right)
    where = {line: at for at, line in enumerate(right) if theirs[line] == 1}
    common = [(at, where[line]) for at, line in enumerate(left) if ours[line] == 1 and line in where]
    ends = [(-1, -1), *_ascending(common), (len(left), len(right))]
    for (a, c), (b, d) in pairwise(ends):
        yield LineBlock(block.left + a + 1, block.left + b, block.right + c + 1, block.right + d)


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest selection of the pairs in which the second number ascends too (patience sorting)."""
    tops: list[int] = []  # the least last number of a selection of each length
    chosen: list[int] = []  # the pair that ends it
    before: list[int] = []
    for at, (_, number) in enumerate(pairs):
        length = bisect_left(tops, number)
        before.append(chosen[length - 1] if length else -1)
        tops[length : length + 1] = [number]
        chosen[length : length + 1] = [at]
    out, last = list[tuple[int, int]](), chosen[-1] if chosen else -1
    while last >= 0:
        out.append(pairs[last])
        last = before[last]
    return out[::-1]
