"""Columns that grow: every version stays as it is, and only new numbers are copied."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.growing import SPARE, Numbers, appended, numbers, picked
from stemmata.domain.entries.tree import Tree
from tests.fakes.conversation import talk
from tests.unit.domain.trees import grown, rest


@given(st.data())
def test_each_version_keeps_its_numbers(data: st.DataObject) -> None:
    versions: list[tuple[Numbers, list[int]]] = [(numbers("i"), [])]
    for more in data.draw(st.lists(st.lists(st.integers(-5, 5), max_size=6), max_size=20)):
        column, known = versions[data.draw(st.integers(max(-3, -len(versions)), -1))]
        versions.append((appended(column, array("i", more)), known + more))
    for column, known in versions:
        assert column.tolist() == known


def buffer_of(column: Numbers) -> object:
    return column.obj


def test_the_longest_version_grows_in_place_and_others_are_copied() -> None:
    first = appended(numbers("q", range(100)), array("q", [100]))
    second = appended(first, array("q", [101]))
    other = appended(first, array("q", [202]))
    assert buffer_of(second) is buffer_of(first)
    assert buffer_of(other) is not buffer_of(first)
    assert (first[-1], second[-1], other[-1]) == (100, 101, 202)


def test_a_growing_column_is_copied_a_few_times_only() -> None:
    column, buffers = numbers("i"), list[object]()
    for number in range(10_000):
        column = appended(column, array("i", [number]))
        if not buffers or buffers[-1] is not buffer_of(column):
            buffers.append(buffer_of(column))
    assert column.tolist() == list(range(10_000))
    assert len(buffers) < 10 * SPARE


def test_nothing_to_append_gives_the_same_column() -> None:
    column = numbers("i", [1])
    assert appended(column, array("i")) is column


def test_a_version_cannot_be_written_to() -> None:
    for column in (numbers("i", [1]), appended(numbers("i"), array("i", [1])), picked(numbers("i", [1, 2]), ())):
        with pytest.raises(TypeError):
            column[0] = 2


def test_a_thread_that_finds_another_one_appending_copies() -> None:
    column = appended(numbers("i"), array("i", [1]))
    used = column.obj.used  # type: ignore[attr-defined]  # the buffer's
    taken = used.pop()
    other = appended(column, array("i", [2]))
    used.append(taken)
    assert buffer_of(other) is not buffer_of(column)
    assert buffer_of(appended(column, array("i", [3]))) is buffer_of(column)


def test_one_part_of_a_column_is_a_view_and_several_are_joined() -> None:
    column = numbers("q", range(10))
    assert buffer_of(picked(column, [range(2, 5)])) is buffer_of(column)
    assert picked(column, [range(7, 9), range(1)]).tolist() == [7, 8, 0]


def test_a_tree_that_grows_turn_by_turn_copies_none_of_its_columns() -> None:
    whole = Tree.from_entries(talk(300))
    tree = grown(whole, 200).extended(rest(grown(whole, 202), 200))
    assert tree is not None
    for count in range(204, 220, 2):
        longer = tree.extended(rest(grown(whole, count), count - 2))
        assert longer is not None
        for column in ("key", "parent", "time", "text", "target"):
            assert buffer_of(getattr(longer.columns, column)) is buffer_of(getattr(tree.columns, column))
        assert longer._joined is tree._joined
        assert buffer_of(longer.path(count - 1)) is buffer_of(tree.path(count - 3))
        tree = longer
