from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compare.comparison import (
    AlignedRow,
    ComparedFile,
    Comparison,
    FileTouch,
    branch_point_of,
    compare,
    own_label,
    side_of,
)  # fmt: skip
from stemmata.domain.compare.turns import Totals, TurnStep
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.word_diff import WordDiff
from tests.strategies import entry_lists
from tests.unit.domain.talk import call, says, user
from tests.unit.domain.trees import assistant, mark
from tests.unit.domain.trees import user as asked


def steps(entries: Sequence[Entry], keys: Sequence[int]) -> list[TurnStep]:
    return [TurnStep(key, entries[key], weigh(entries[key]).tokens) for key in keys]


def compared(entries: list[Entry], left: int | None, right: int | None) -> Comparison:
    tree = Tree.from_entries(entries)
    place = branch_point_of(tree, left, right)
    ours, theirs = (side_of(steps(entries, side), end, own_label(tree, side))
                    for side, end in ((place.left, left), (place.right, right)))  # fmt: skip
    return compare(place.ancestor, "", ours, theirs)


def keys_of(rows: Sequence[AlignedRow], side: str) -> list[int]:
    turns = (getattr(row, side) for row in rows)
    return list(chain.from_iterable(turn.entries for turn in turns if turn is not None))


def side(*entries: Entry) -> list[TurnStep]:
    return [TurnStep(at, entry, 1) for at, entry in enumerate(entries)]


FORKED = [
    asked("0", None, "start"), assistant("1", "0", "ready"),
    asked("2", "1", "theming before wrapping"), assistant("3", "2"), asked("4", "3", "go on"), assistant("5", "4"),
    asked("6", "1", "wrapping before theming"), assistant("7", "6"),
    mark(Kind.LABEL, "8", "7", "7", "wrap first"), mark(Kind.LABEL, "9", "1", "1", "above"),
]  # fmt: skip


def test_turns_below_the_common_ancestor_are_aligned_in_order() -> None:
    found = compared(FORKED, 5, 7)
    assert found.ancestor == 1
    assert keys_of(found.rows, "left") == [2, 3, 4, 5]
    assert keys_of(found.rows, "right") == [6, 7]
    assert [(row.left is None, row.right is None) for row in found.rows] == [(False, False), (False, True)]
    assert found.rows[0].prompts.left == ((0, 23),)
    assert (found.left.totals.turns, found.right.totals.turns) == (2, 1)


def test_a_branch_is_named_by_its_own_label_or_by_what_was_asked_first() -> None:
    found = compared(FORKED, 5, 7)
    assert (found.left.label, found.left.name) == ("", "theming before wrapping")
    assert (found.right.label, found.right.name) == ("wrap first", "wrap first")
    assert compared(FORKED, 5, 3).right.name == ""


def test_a_branch_that_continues_the_turn_has_its_own_row() -> None:
    entries = [asked("0", None), assistant("1", "0"), assistant("2", "1"), asked("3", "2"), asked("4", "1", "new")]
    found = compared(entries, 3, 4)
    assert [(row.left and row.left.entries, row.right and row.right.entries) for row in found.rows] == [
        ((2,), None), ((3,), (4,)),
    ]  # fmt: skip
    assert compared(entries, 4, 3).rows[0].left is None


def test_two_continuations_of_a_turn_share_a_row() -> None:
    entries = [asked("0", None), assistant("1", "0", "one"), assistant("2", "0", "other")]
    [row] = compared(entries, 1, 2).rows
    assert row.left is not None
    assert row.right is not None
    assert row.left.request is None
    assert row.prompts == WordDiff()


def test_an_empty_side_shares_the_row_of_the_first_turn() -> None:
    entries = [asked("0", None), asked("1", "0"), mark(Kind.MODEL_CHANGE, "2", "0", None)]
    [row] = compared(entries, 1, 2).rows
    assert row.right is not None
    assert row.right.request is None


def test_two_roots_have_no_common_ancestor() -> None:
    found = compared([asked("0", None, "a"), asked("1", None, "b")], 0, 1)
    assert (found.ancestor, len(found.rows)) == (None, 1)
    assert compared([asked("0", None, "a")], 0, None).right.turns == ()


def test_files_are_compared_modified_ones_first() -> None:
    left = side_of(side(user("go"), says(call("1", "edit", path="b.py")), says(call("2", "read", path="a.py"))), 2)
    right = side_of(side(user("go"), says(call("1", "read", path="b.py")), says(call("2", "write", path="c.py"))), 2)
    assert compare(None, "", left, right).files == (
        ComparedFile("b.py", FileTouch.MODIFIED, FileTouch.READ),
        ComparedFile("c.py", FileTouch.NONE, FileTouch.MODIFIED),
        ComparedFile("a.py", FileTouch.READ, FileTouch.NONE),
    )


def test_a_file_modified_once_stays_modified() -> None:
    turns = (user("go"), says(call("1", "edit", path="b.py")), user("look"), says(call("2", "read", path="b.py")))
    found = compare(None, "", side_of(side(*turns), 3), side_of((), None))
    assert found.files == (ComparedFile("b.py", FileTouch.MODIFIED, FileTouch.NONE),)
    assert found.right.totals == Totals()


def test_cut_characters_are_counted() -> None:
    steps = [TurnStep(0, user("go"), 1, cut=7), TurnStep(1, says("yes"), 1, cut=2), TurnStep(2, user("on"), 1, cut=1)]
    assert side_of(steps, 2).cut == 10


def test_a_chain_as_deep_as_real_ones() -> None:
    entries = [asked("r", None)]
    for at in range(3000):
        parent = entries[-2].id if at == 1 else entries[-1].id
        entries.append(asked(f"{at}", parent) if at % 2 else assistant(f"{at}", parent))
    found = compared(entries, len(entries) - 1, 1)
    assert found.left.totals.turns == 1500


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.no_cover
def test_every_turn_below_the_ancestor_is_in_one_row(damaged: bool) -> None:
    @given(entry_lists(damaged=damaged, min_size=1), st.data())
    def check(entries: list[Entry], data: st.DataObject) -> None:
        one, other = (data.draw(st.integers(0, len(entries) - 1)) for _ in range(2))
        tree = Tree.from_entries(entries)
        place, found = branch_point_of(tree, one, other), compared(entries, one, other)
        assert keys_of(found.rows, "left") == list(place.left)
        assert keys_of(found.rows, "right") == list(place.right)
        assert not set(place.left) & set(place.right)
        assert all(row.left is not None or row.right is not None for row in found.rows)
        assert [row.left for row in found.rows if row.left] == list(found.left.turns)
        assert [row.right for row in found.rows if row.right] == list(found.right.turns)

    check()


@given(entry_lists(min_size=1), st.data())
def test_swapping_the_sides_swaps_the_comparison(entries: list[Entry], data: st.DataObject) -> None:
    one, other = (data.draw(st.integers(0, len(entries) - 1)) for _ in range(2))
    found, swapped = compared(entries, one, other), compared(entries, other, one)
    assert (found.left, found.right, found.ancestor) == (swapped.right, swapped.left, swapped.ancestor)
    mirrored = tuple(
        AlignedRow(row.right, row.left, WordDiff(row.prompts.right, row.prompts.left, row.prompts.shared))
        for row in swapped.rows
    )
    assert found.rows == mirrored
    assert found.files == tuple(ComparedFile(use.path, use.right, use.left) for use in swapped.files)


@given(entry_lists(min_size=1), st.data())
def test_totals_are_those_of_the_turns(entries: list[Entry], data: st.DataObject) -> None:
    found = compared(entries, data.draw(st.integers(0, len(entries) - 1)), None)
    assert found.left.totals.calls == sum(len(turn.calls) for turn in found.left.turns)
    assert found.left.totals.turns == sum(turn.totals.turns for turn in found.left.turns)
    assert {turn.totals.turns for turn in found.left.turns if turn.request is not None} <= {1}
