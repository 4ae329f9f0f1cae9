"""Sums of the beginning of a column, found through the sums of its blocks.

A sum for each position would take eight bytes a number, and fifty milliseconds for a million numbers.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import NamedTuple

from stemmata.domain.entries.growing import Numbers, appended, numbers
from stemmata.domain.entries.whole_columns import BLOCK, block_sums, is_zero


class Sums(NamedTuple):
    """The sums of the numbers in `column`. `blocks` are the sums before each block of BLOCK numbers."""

    column: Numbers
    blocks: Numbers

    @classmethod
    def of(cls, column: Numbers) -> Sums:
        """Return the sums of a column."""
        if is_zero(column):
            return cls(column, numbers("q", bytes(8 * (len(column) // BLOCK + 1))))
        return cls(column, numbers("q", accumulate(block_sums(column), initial=0)))

    def continued(self, column: Numbers, count: int) -> Sums:
        """Return the sums of a column that begins with the same `count` numbers, which are not added up again."""
        known = self.blocks[: count // BLOCK + 1]
        added = block_sums(column[(len(known) - 1) * BLOCK :])
        return Sums(column, appended(known, array("q", accumulate(added, initial=known[-1]))[1:]))

    def before(self, position: int) -> int:
        """Return the sum of the numbers before a position."""
        block = position // BLOCK
        return self.blocks[block] + sum(self.column[block * BLOCK : position])

    def between(self, start: int, stop: int) -> int:
        """Return the sum of the numbers from `start` to `stop` - 1."""
        return self.before(stop) - self.before(start)
