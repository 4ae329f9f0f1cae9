"""Whole columns are computed as single numbers are."""

from __future__ import annotations

from array import array
from operator import sub
from random import Random

import pytest

from stemmata.domain.entries import growing, whole_columns
from stemmata.domain.entries.growing import collected, numbers
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, to_tokens
from stemmata.domain.entries.whole_columns import (
    both,
    calculated,
    differences,
    either,
    is_zero,
    masked,
    nonzero,
    positive,
    quarters,
    quarters_up,
    walked,
)

LARGEST = 2**31 - 1
COUNTS = (0, 1, 5, 40)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    ones = int.from_bytes(array("I", (1,)) * 16, whole_columns._ORDER)
    monkeypatch.setattr(whole_columns, "PIECE", 16)
    monkeypatch.setattr(whole_columns, "_ONES", ones)
    monkeypatch.setattr(growing, "PIECE", 16)


@pytest.mark.parametrize("count", COUNTS)
def test_bytes_are_joined_bit_by_bit(count: int) -> None:
    random = Random(count)
    one, other, third = (random.randbytes(count) for _ in range(3))
    assert either(one, other, third) == bytes(a | b | c for a, b, c in zip(one, other, third, strict=True))
    assert both(one, other) == bytes(a & b for a, b in zip(one, other, strict=True))


def test_walks_end_where_they_cannot_go_on() -> None:
    free = bytes((255, 255, 0, 255, 0, 0, 255, 255))
    assert walked(bytes((1, 0, 0, 0, 0, 1, 0, 0)), free) == bytes((0, 0, 1, 255, 0, 1, 255, 255))
    assert walked(bytes((0, 0, 0, 1, 0, 0, 1, 0)), free) == bytes((255, 255, 0, 0, 1, 0, 0, 0))  # over the end
    assert walked(bytes((0, 1, 0, 0, 0, 0, 0, 1)), free, backwards=True) == bytes((0, 0, 0, 255, 0, 1, 0, 0))
    assert walked(b"", b"") == b""


@pytest.mark.parametrize("count", COUNTS)
def test_signs_are_those_of_the_numbers(count: int) -> None:
    random = Random(count)
    values = [random.choice((0, 0, 1, -1, 7, LARGEST, -LARGEST - 1)) for _ in range(count)]
    column = numbers("i", values)
    assert nonzero(column) == bytes(map(bool, values))
    assert positive(column) == bytes(value > 0 for value in values)
    assert is_zero(column) is not any(values)
    marks = bytes(random.randrange(2) for _ in range(count))
    assert list(masked(column, marks)) == [v if m else 0 for v, m in zip(values, marks, strict=True)]


def test_a_column_of_zeros_is_zero() -> None:
    assert is_zero(numbers("h", bytes(80)))
    assert not is_zero(numbers("h", [0] * 39 + [256]))


@pytest.mark.parametrize("large", [(), (2**29,), (-1,), (LARGEST,)])
def test_tokens_are_those_of_the_estimator(large: tuple[int, ...]) -> None:
    assert UNITS_PER_TOKEN == 4
    random = Random(1)
    column = numbers("i", [*(random.randrange(8, 2**29) for _ in range(40)), *large])
    few = numbers("i", [random.randrange(4) for _ in column])
    assert list(calculated(quarters, lambda one: one // 4, column)) == [one // 4 for one in column]
    sums = calculated(quarters_up, lambda *units: to_tokens(sum(units)), column, few)
    assert list(sums) == [to_tokens(one + other) for one, other in zip(column, few, strict=True)]
    less = calculated(differences, sub, sums, few)
    assert list(less) == [one - other for one, other in zip(sums, few, strict=True)]


@pytest.mark.parametrize("count", COUNTS)
def test_an_iterator_is_collected_in_pieces(count: int) -> None:
    assert collected("q", iter(range(count))) == array("q", range(count))
    assert collected("i", [1, 2]) == array("i", (1, 2))
    assert collected("i", bytes(8)) == array("i", (0, 0))
