"""Sums of the beginning of a column equal those of a loop."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from stemmata.domain.entries.growing import appended, numbers
from stemmata.domain.entries.sums import Sums
from stemmata.domain.entries.whole_columns import BLOCK, PIECE, block_sums, consecutive, lowest_bytes, widened

LARGEST = 2**31 - 1
COUNTS = (0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 7, PIECE, PIECE + BLOCK + 1)


def column(count: int, low: int = -LARGEST - 1, high: int = LARGEST) -> array[int]:
    random = Random(count)
    return array("i", [random.choice((low, high, random.randint(low, high))) for _ in range(count)])


@pytest.mark.parametrize("count", COUNTS)
def test_blocks_of_any_numbers(count: int) -> None:
    values = column(count)
    whole = count // BLOCK * BLOCK
    expected = [sum(values[start : start + BLOCK]) for start in range(0, whole, BLOCK)]
    assert list(block_sums(numbers("i", values))) == expected


@pytest.mark.parametrize("count", COUNTS)
def test_sums_before_and_between(count: int) -> None:
    values = column(count, 0, 5000)
    sums, random = Sums.of(numbers("i", values)), Random(1)
    for at in (0, count, *(random.randint(0, count) for _ in range(9))):
        assert sums.before(at) == sum(values[:at])
        assert sums.between(at // 2, at) == sum(values[at // 2 : at])


@pytest.mark.parametrize("kept", [0, 1, BLOCK, 2 * BLOCK + 3])
@pytest.mark.parametrize("more", [0, 1, BLOCK, 2 * BLOCK])
def test_sums_go_on(kept: int, more: int) -> None:
    known = Sums.of(numbers("i", column(2 * BLOCK + 9)))
    longer = appended(known.column[:kept], column(more))
    assert known.continued(longer, kept) == Sums.of(longer)


@pytest.mark.parametrize("count", COUNTS)
def test_consecutive_numbers(count: int) -> None:
    for typecode in "iq":
        for start in (-1, 0, 5):
            found = consecutive(typecode, start, count)
            assert (found.format, list(found)) == (typecode, list(range(start, start + count)))


def test_bytes_and_numbers() -> None:
    assert list(widened(bytes((0, 7, 255)))) == [0, 7, 255]
    assert lowest_bytes(numbers("i", (0, 7, 255, 256, 511))) == bytes((0, 7, 255, 0, 255))
