"""Where matches stand on a path, and where they stand in a text."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.growing import numbers
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.needle import text_needle
from stemmata.gui.cards.text_piece import marks
from stemmata.gui.transcript.find_controller import SLICE, FoundMatches, Search


def test_steps_wrap_around_and_numbers_count_occurrences() -> None:
    matches = FoundMatches(10, 4)
    assert matches.next(0) is None
    assert matches.previous(0) is None
    matches.add(2, {9: 1, 8: 2})
    matches.add(0, {1: 3})
    assert [matches.next(at) for at in (0, 2, 9, 10)] == [1, 8, 9, 1]
    assert [matches.previous(at) for at in (10, 9, 8, 1)] == [9, 8, 1, 9]
    assert [matches.before(at) for at in (0, 2, 9, 10)] == [0, 3, 5, 6]
    assert (matches.total, matches.count(8)) == (6, 2)


def test_what_is_read_is_looked_through_first() -> None:
    assert FoundMatches(10, 4).order(5) == [1, 2, 0]
    assert FoundMatches(0, 4).order(0) == []


def test_without_a_match_below_the_nearest_above_is_gone_to_before_all_is_searched() -> None:
    size, length = SLICE, 4 * SLICE
    matches = FoundMatches(length, size)
    needle, order = text_needle("a"), matches.order(2 * size)
    search = Search(
        needle,
        Tree.from_entries([]),
        numbers("i", range(length)),
        matches,
        anchor=2 * size + 9,
        jumps=True,
        is_here=lambda: True,
        slices=order,
    )
    assert search.first_match() is None
    matches.add(search.slices.pop(0), {2 * size + 3: 1, 2 * size + 5: 1})
    assert search.first_match() is None  # one below would be nearer
    matches.add(search.slices.pop(0), {})
    assert search.first_match() == 2 * size + 5
    assert not search.is_finished
    matches.add(3, {3 * size: 1})
    assert search.first_match() == 3 * size


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        ("Aa aA", "aa", [0, 3]),
        ("aaaa", "aa", [0, 2]),
        ("😀 Straße", "stra", [3]),
        ("İ needle", "needle", [2]),
        ("nothing", "needle", []),
        ("nothing", "", []),
    ],
)
def test_positions_are_those_of_qt(text: str, needle: str, expected: list[int]) -> None:
    assert list(marks(text, text_needle(needle))) == expected
