from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text import line_diff
from stemmata.domain.text.line_diff import LineBlock, changed_blocks, counts

LINES = st.lists(st.sampled_from("abcdefg"), max_size=12)


def patched(left: list[str], right: list[str]) -> list[str]:
    """The left lines with each difference replaced by the right ones."""
    out: list[str] = []
    at = 0
    for block in changed_blocks(left, right):
        out += left[at : block.left] + right[block.right : block.right_end]
        at = block.left_end
    return out + left[at:]


@given(LINES, LINES)
def test_the_differences_lead_from_one_text_to_the_other(left: list[str], right: list[str]) -> None:
    assert patched(left, right) == right


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_they_do_when_the_text_is_divided_too(left: list[int], right: list[int]) -> None:
    ours, theirs = [*map(str, left)], [*map(str, right)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "MOST_LINES", 4)
        assert patched(ours, theirs) == theirs


def test_only_what_differs_is_reported() -> None:
    assert changed_blocks("abc", "abc") == []
    assert changed_blocks("abc", "axc") == [LineBlock(1, 2, 1, 2)]
    assert counts("abcd", "abxyd") == (2, 1)


def test_a_long_text_is_divided_at_lines_that_occur_once() -> None:
    left = [f"line {at}" for at in range(9_000)]
    right = [*left[:100], "new", *left[101:8_000], *left[8_001:]]
    assert changed_blocks(left, right) == [LineBlock(100, 101, 100, 101), LineBlock(8_000, 8_001, 8_000, 8_000)]


def test_a_hostile_text_is_reported_as_different_in_good_time() -> None:
    left, right = ["a", "b"] * 60_000, ["b", "a"] * 50_000 + ["b"]
    start = time.process_time()
    assert sum(counts(left, right)) > 0
    assert time.process_time() - start < 5


def test_a_division_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_diff, "DEPTH", 0)
    monkeypatch.setattr(line_diff, "MOST_LINES", 1)
    assert changed_blocks("xay", "uav") == [LineBlock(0, 3, 0, 3)]


def test_equal_ends_are_no_difference() -> None:
    assert changed_blocks("axbyc", "aubvc") == [LineBlock(1, 2, 1, 2), LineBlock(3, 4, 3, 4)]
