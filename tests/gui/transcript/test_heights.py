"""Running sums of heights, against the plain list they stand for."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.gui.core.heights import BLOCK, Heights

heights_lists = st.lists(st.integers(0, 500), min_size=1, max_size=40).map(lambda part: part * (BLOCK // 20))


def made(values: list[int]) -> Heights:
    heights = Heights(len(values), 7)
    heights.fill(0, values)
    return heights


@given(heights_lists, st.data())
def test_tops_are_sums(values: list[int], data: st.DataObject) -> None:
    heights = made(values)
    item = data.draw(st.integers(0, len(values)))
    assert heights.top(item) == sum(values[:item])
    assert heights.total == sum(values)
    assert len(heights) == len(values)


@given(heights_lists, st.data())
def test_the_item_at_a_height_covers_it(values: list[int], data: st.DataObject) -> None:
    heights = made(values)
    y = data.draw(st.integers(-10, sum(values) + 10))
    item = heights.at(y)
    if 0 <= y < sum(values):
        assert heights.top(item) <= y < heights.top(item + 1)
    elif y < 0 < sum(values):
        assert heights.top(item) == 0
        assert heights[item] > 0
    assert 0 <= item < len(values)


@given(heights_lists, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 900)), max_size=30))
def test_changes_keep_the_sums_right(values: list[int], changes: list[tuple[int, int]]) -> None:
    heights = made(values)
    for place, height in changes:
        item = place % len(values)
        values[item] = heights[item] = height
        assert heights[item] == height
    assert heights.total == sum(values)
    assert [heights.top(item) for item in range(0, len(values), 97)] == [
        sum(values[:item]) for item in range(0, len(values), 97)
    ]


@given(heights_lists, heights_lists, st.integers(0, 10**6))
def test_adopting_a_prefix(values: list[int], others: list[int], place: int) -> None:
    count = place % (min(len(values), len(others)) + 1)
    heights = made(values)
    heights.adopt(made(others), count)
    expected = others[:count] + values[count:]
    assert heights.total == sum(expected)
    assert heights.top(count) == sum(expected[:count])


def test_nothing_lies_anywhere_in_no_items() -> None:
    empty = Heights(0, 10)
    assert empty.total == 0
    assert empty.top(0) == 0
    with pytest.raises(IndexError):
        empty.at(0)


def test_a_million_heights_at_once() -> None:
    start = time.thread_time()
    heights = Heights(1_000_000, 60)
    assert heights.total == 60_000_000
    assert heights.at(30_000_000) == 500_000
    assert heights.top(999_999) == 59_999_940
    assert time.thread_time() - start < 1
