"""Heights of a long list of items, with a fast running sum to find the top of an item and the item at a y."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

BLOCK = 512


class Heights:
    """Non-negative heights in pixels. A million items are built in milliseconds; look-ups take microseconds.

    Two levels: blocks of 512 heights with a sum each. Sums over arrays run in C, so √n of them beat the log n Python
    steps of a Fenwick tree, and replacing a whole block costs one pass.
    """

    def __init__(self, count: int, height: int) -> None:
        self._values = array("i", [height]) * count
        self._sums = array("q", [height * BLOCK]) * (count // BLOCK)
        if count % BLOCK:
            self._sums.append(height * (count % BLOCK))
        self._ends: list[int] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, item: int) -> int:
        return self._values[item]

    def __setitem__(self, item: int, height: int) -> None:
        delta = height - self._values[item]
        if delta:
            self._values[item] = height
            self._sums[item // BLOCK] += delta
            self._ends = None

    @property
    def total(self) -> int:
        """The sum of all heights, in pixels."""
        return sum(self._sums)

    def top(self, item: int) -> int:
        """Return the sum of the heights before this item, in pixels; `item` may be `len(self)`."""
        block = item // BLOCK
        return (self._block_ends()[block - 1] if block else 0) + sum(self._values[block * BLOCK : item])

    def at(self, y: int) -> int:
        """Return the item at y, never one of height 0; beyond the ends, the first or last. IndexError when empty."""
        if not self._values:
            raise IndexError("no items")
        ends = self._block_ends()
        y = min(max(y, 0), max(ends[-1] - 1, 0))
        block = min(bisect_right(ends, y), len(ends) - 1)
        start = block * BLOCK
        inside = list(accumulate(self._values[start : start + BLOCK]))
        return start + min(bisect_right(inside, y - (ends[block - 1] if block else 0)), len(inside) - 1)

    def fill(self, start: int, heights: Iterable[int]) -> None:
        """Replace heights, beginning at the item `start`."""
        new = array("i", heights)
        self._values[start : start + len(new)] = new
        self._sum_up(start, start + len(new))

    def adopt(self, other: Heights, count: int) -> None:
        """Copy the first `count` heights of another list."""
        self._values[:count] = other._values[:count]
        self._sum_up(0, count)

    def _sum_up(self, start: int, stop: int) -> None:
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            self._sums[block] = sum(self._values[block * BLOCK : (block + 1) * BLOCK])
        self._ends = None

    def _block_ends(self) -> list[int]:
        if self._ends is None:
            self._ends = list(accumulate(self._sums))
        return self._ends
