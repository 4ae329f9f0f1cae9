"""The overview shows every branch and mark at its height, for sessions of any size."""

from __future__ import annotations

from dataclasses import replace
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.lanes import lay_out
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator.outline import EMPTY, Density, Outline, outline_of, overview_of
from tests.strategies import entry_lists
from tests.unit.domain.trees import compaction, mark, user

COLOURS = 8


def outline(*entries: Entry, leaf: int) -> Outline:
    return outline_of(Tree.from_entries(entries), Density.TURNS, leaf)


def test_lanes_stand_beside_each_other_at_the_height_of_their_rows() -> None:
    made = outline(user("a", None), user("b", "a"), user("c", "a"), user("d", "c"), leaf=3)
    overview = overview_of(made, range(4), 8, 2, COLOURS)
    assert overview.columns == (bytes([1] * 8), bytes([0, 0, 2, 2, 0, 0, 0, 0]))
    assert [overview.line(row) for row in range(4)] == [1, 3, 5, 7]


def test_compactions_and_labels_are_marked() -> None:
    made = outline(
        user("a", None), compaction("c", "a", "a"), mark(Kind.LABEL, "l", "a", "a", "good"), user("b", "c"), leaf=3
    )
    overview = overview_of(made, range(len(made)), 6, 1, COLOURS)
    assert (overview.compactions, overview.labels) == ((3,), (1,))


def test_folded_rows_are_not_in_the_overview() -> None:
    made = outline(
        user("a", None),
        user("b", "a"),
        compaction("c", "b", "b"),
        user("d", "a"),
        mark(Kind.LABEL, "l", "c", "c", "x"),
        leaf=3,
    )
    places = made.lanes.visible([1])
    overview = overview_of(made, places, 3, 2, COLOURS)
    assert (overview.compactions, overview.labels, overview.rows) == ((), (), 3)
    assert overview.columns[1] == bytes([0, 2, 0])


def test_marks_beside_a_fold_are_in_the_overview() -> None:
    made = outline(
        user("a", None),
        user("b", "a"),
        user("d", "a"),
        mark(Kind.LABEL, "l", "d", "d", "x"),
        user("e", "b"),
        leaf=2,
    )
    places = made.lanes.visible([1])
    overview = overview_of(made, places, 3, 2, COLOURS)
    assert len(places) < len(made)
    assert overview.labels == (overview.line(overview.rows - 1),)


def test_forks_inside_a_fold_are_hidden_with_it() -> None:
    made = outline(user("a", None), user("b", "a"), user("c", "b"), user("d", "b"), user("e", "a"), leaf=4)
    overview = overview_of(made, made.lanes.visible([1]), 3, 3, COLOURS)
    assert overview.columns == (bytes([1, 1, 1]), bytes([0, 2, 0]), bytes(3))


def test_the_smallest_branch_of_a_large_session_can_be_seen() -> None:
    count = 100_000
    parents = [-1, *range(count - 1), 50_000]
    lanes = lay_out(parents, range(count + 1), count - 1)
    made = replace(outline(user("a", None), leaf=0), lanes=lanes, leaf=None, shapes=bytes(count + 1))
    overview = overview_of(made, range(count + 1), 500, 4, COLOURS)
    assert [at for at, cell in enumerate(overview.columns[1]) if cell != EMPTY] == [250]


@pytest.mark.parametrize("lines", [0, -3])
def test_no_room_and_no_rows(lines: int) -> None:
    assert overview_of(outline(user("a", None), leaf=0), range(1), lines, 4, COLOURS).columns == ()
    assert overview_of(outline_of(Tree.from_entries([]), Density.TURNS), (), 10, 4, COLOURS).lines == 0


@given(entry_lists(), st.integers(1, 60), st.integers(1, 4), st.integers(0, 40))
def test_every_row_has_its_colour_when_each_has_a_line(
    entries: list[Entry], height: int, columns: int, leaf: int
) -> None:
    tree = Tree.from_entries(entries)
    made = outline_of(tree, Density.EVERYTHING, leaf if leaf < len(tree) else None)
    rows = len(made)
    overview = overview_of(made, range(rows), max(rows, 1), made.deepest + 1, 10**6)
    for place in range(rows):
        assert overview.columns[made.lanes.lane[place]][place] == 1 + made.lanes.colour[place]
    small = overview_of(made, range(rows), height, columns, COLOURS)
    assert all(len(column) == height and max(column) <= COLOURS for column in small.columns)
    folded = overview_of(made, made.lanes.visible(range(0, rows, 3)), height, columns, COLOURS)
    assert folded.rows <= rows
    assert all(0 <= line < height for line in (*small.compactions, *small.labels))


def test_a_million_rows_cost_no_more_than_their_forks() -> None:
    count = 1_000_000
    lanes = lay_out(range(-1, count - 1), range(count), count - 1)
    made = replace(outline(user("a", None), leaf=0), lanes=lanes, leaf=None, shapes=bytes(count))
    assert made.breaks == (0,)
    began = thread_time()
    overview = overview_of(made, range(count), 800, 4, COLOURS)
    assert thread_time() - began < 0.1
    assert overview.columns[0] == bytes([1] * 800)
