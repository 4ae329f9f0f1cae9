"""The lane layout: order, lanes and colours, without collisions."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.lanes import Lanes, lay_out, parents_first


@dataclass(frozen=True)
class Forest:
    parents: list[int]
    times: list[int]
    active: int


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    """Any forest: rows in any order, times in any order, an active row or none."""
    size = draw(st.integers(1, 30))
    numbers = random.Random(draw(st.integers(0, 2**32)))
    straight = numbers.random()
    parents = [
        -1 if at == 0 or numbers.random() < 0.05 else at - 1 if numbers.random() < straight else numbers.randrange(at)
        for at in range(size)
    ]
    names = list(range(size))
    if draw(st.booleans()):
        numbers.shuffle(names)
    shuffled = [-1] * size
    for at, parent in enumerate(parents):
        shuffled[names[at]] = names[parent] if parent >= 0 else -1
    times = list(range(size)) if draw(st.booleans()) else [numbers.randrange(6) for _ in range(size)]
    return Forest(shuffled, times, draw(st.integers(-1, size - 1)))


def laid_out(forest: Forest) -> Lanes:
    return lay_out(forest.parents, forest.times, forest.active)


def path(forest: Forest, row: int) -> set[int]:
    out = set()
    while row >= 0:
        out.add(row)
        row = forest.parents[row]
    return out


# -- examples --------------------------------------------------------------------------------------------------------


def test_side_branches_come_first_and_whole_then_the_active_line() -> None:
    #    0 ┬ 1 ─ 2 (older side)     active: 0 3 4
    #      └ 3 ┬ 5 ─ 6 (newer side)
    #          └ 4
    lanes = lay_out([-1, 0, 1, 0, 3, 3, 5], range(7), 4)
    assert list(lanes.row) == [0, 1, 2, 3, 5, 6, 4]
    assert list(lanes.lane) == [0, 1, 1, 0, 1, 1, 0]
    assert [lanes.starts(at) for at in range(7)] == [True, True, False, False, True, False, False]
    assert [lanes.ends(at) for at in range(7)] == [False, False, True, False, False, True, True]
    assert [lanes.source(at) for at in range(7)] == [-1, 0, -1, -1, 0, -1, -1]
    assert list(lanes.size) == [7, 2, 1, 4, 2, 1, 1]
    assert lanes.siblings == {1: (1, 2), 3: (2, 2), 4: (2, 2), 6: (1, 2)}


def test_off_the_active_path_the_newest_subtree_continues_the_line() -> None:
    lanes = lay_out([-1, 0, 0, 1], [1, 2, 3, 4])
    assert list(lanes.row) == [0, 2, 1, 3]
    assert list(lanes.lane) == [0, 1, 0, 0]


def test_branches_of_a_side_branch_pass_all_their_ancestors_lines() -> None:
    # 0 ┬ 1 ┬ 2          active: 0 4
    #   │   └ 3
    #   └ 4
    lanes = lay_out([-1, 0, 1, 1, 0], range(5), 4)
    assert list(lanes.row) == [0, 1, 2, 3, 4]
    assert list(lanes.lane) == [0, 1, 2, 1, 0]
    colours = list(lanes.colour)
    assert list(lanes.through(2)) == [(1, colours[3]), (0, 0)]
    assert list(lanes.through(1)) == [(0, 0)]
    assert list(lanes.through(0)) == []


def test_a_lane_is_used_again_once_its_branch_has_ended() -> None:
    lanes = lay_out([-1, 0, 0, 0], range(4), 3)
    assert list(lanes.lane) == [0, 1, 1, 0]
    assert len(set(lanes.colour)) == 3


def test_each_root_starts_a_line_of_its_own_in_order_of_time() -> None:
    lanes = lay_out([-1, -1, 0, 1], [5, 1, 6, 2], 2)
    assert list(lanes.row) == [1, 3, 0, 2]
    assert list(lanes.lane) == [0, 0, 0, 0]
    assert list(lanes.colour) == [1, 1, 0, 0]  # the older root is the first branch
    assert [lanes.source(at) for at in range(4)] == [-1] * 4
    assert list(lanes.roots()) == [0, 2]
    assert lanes.siblings == {0: (1, 2), 2: (2, 2)}


def test_equal_times_keep_the_order_of_the_rows() -> None:
    assert list(lay_out([-1, 0, 0, 0], [0, 0, 0, 0]).row) == [0, 1, 2, 3]


def test_colours_do_not_change_with_the_active_path() -> None:
    parents = [-1, 0, 0, 1, 1, 2]
    one, other = lay_out(parents, range(6), 5), lay_out(parents, range(6), 4)
    by_row = [{lanes.row[at]: lanes.colour[at] for at in range(6)} for lanes in (one, other)]
    assert by_row[0] == {0: 0, 1: 1, 3: 1, 4: 3, 2: 0, 5: 0}
    assert by_row[1] == {0: 0, 1: 0, 4: 0, 3: 1, 2: 2, 5: 2}


def test_colours_do_not_change_when_the_tree_grows() -> None:
    before = lay_out([-1, 0, 0, 1], range(4))
    after = lay_out([-1, 0, 0, 1, 0, 1, 5], range(7))
    for at, row in enumerate(before.row):
        assert after.colour[after.place[row]] == before.colour[at]


def test_given_branch_numbers_decide_the_colours() -> None:
    assert list(lay_out([-1, 0, 0], range(3), 2, [7, 8, 9]).colour) == [0, 9, 0]


def test_an_empty_forest() -> None:
    lanes = lay_out([], [])
    assert len(lanes) == 0
    assert list(lanes.visible([])) == list(lanes.roots()) == lanes.side_heads() == []


def test_rows_on_a_cycle_are_left_out() -> None:
    lanes = lay_out([-1, 2, 1, 3], range(4), 1)
    assert list(lanes.row) == [0]
    assert list(lanes.place) == [0, -1, -1, -1]


@pytest.mark.parametrize("active", [-1, 99_999])
def test_a_chain_of_a_hundred_thousand_rows_is_one_straight_line(active: int) -> None:
    lanes = lay_out(range(-1, 99_999), range(100_000), active)
    assert set(lanes.lane) == {0}
    assert list(lanes.row) == list(range(100_000))


def test_a_chain_written_backwards() -> None:
    lanes = lay_out([*range(1, 50_000), -1], range(50_000), 0)
    assert list(lanes.row) == list(range(49_999, -1, -1))


def test_forks_nested_ten_thousand_deep() -> None:
    parents = [-1] + [at - 1 - at % 2 if at > 2 else 0 for at in range(1, 20_001)]
    lanes = lay_out(parents, range(20_001), 1)
    assert sorted(lanes.row) == list(range(20_001))


# -- folding ---------------------------------------------------------------------------------------------------------


def test_folding_hides_the_rows_below() -> None:
    lanes = lay_out([-1, 0, 1, 0, 3, 3, 5], range(7), 4)
    assert list(lanes.visible([1])) == [0, 1, 3, 4, 5, 6]
    assert list(lanes.visible([4, 1])) == [0, 1, 3, 4, 6]
    assert list(lanes.visible([0, 4])) == [0]
    assert list(lanes.visible([])) == list(range(7))


def test_side_heads_are_where_the_outermost_branches_begin() -> None:
    lanes = lay_out([-1, 0, 1, 1, 0, -1], range(6), 4)
    assert [lanes.row[at] for at in lanes.side_heads()] == [1, 5]
    assert [lanes.row[at] for at in lanes.visible(lanes.side_heads())] == [0, 1, 4, 5]


@given(forests(), st.sets(st.integers(0, 29)))
def test_visible_rows_have_no_folded_ancestor(forest: Forest, folded: set[int]) -> None:
    lanes = laid_out(forest)
    folded = {fold for fold in folded if fold < len(lanes)}
    expected = []
    for at in range(len(lanes)):
        ancestor = lanes.parent[at]
        while ancestor >= 0 and ancestor not in folded:
            ancestor = lanes.parent[ancestor]
        if ancestor < 0:
            expected.append(at)
    assert list(lanes.visible(folded)) == expected


# -- properties ------------------------------------------------------------------------------------------------------


@given(forests())
def test_every_row_appears_once_and_below_its_parent(forest: Forest) -> None:
    lanes = laid_out(forest)
    assert sorted(lanes.row) == list(range(len(forest.parents)))
    for at, row in enumerate(lanes.row):
        assert lanes.place[row] == at
        parent = forest.parents[row]
        assert lanes.parent[at] == (lanes.place[parent] if parent >= 0 else -1)
        assert lanes.parent[at] < at


@given(forests())
def test_subtrees_are_runs_of_places(forest: Forest) -> None:
    lanes = laid_out(forest)
    for at in range(len(lanes)):
        run = {lanes.row[place] for place in range(at, at + lanes.size[at])}
        assert run == {row for row in range(len(lanes)) if lanes.row[at] in path(forest, row)}
        hanging = sorted(lanes.row[place] for place in lanes.children(at))
        assert hanging == [row for row, parent in enumerate(forest.parents) if parent == lanes.row[at]]


@given(forests())
def test_the_active_path_is_lane_0_and_nothing_else_has_its_colour(forest: Forest) -> None:
    lanes = laid_out(forest)
    active = path(forest, forest.active)
    for at, row in enumerate(lanes.row):
        assert lanes.is_active(at) == (row in active)
        assert lanes.lane[at] == 0 or row not in active


@given(forests())
def test_branches_alive_in_the_same_row_share_no_lane(forest: Forest) -> None:
    lanes = laid_out(forest)
    alive: dict[int, list[tuple[int, int]]] = {}  # lane → (from place, to place) of its lines
    for at in range(len(lanes)):
        if lanes.starts(at):
            end = at
            while not lanes.ends(end):
                assert lanes.lane[lanes.below[end]] == lanes.lane[at]
                assert lanes.head[lanes.below[end]] == at
                end = lanes.below[end]
            alive.setdefault(lanes.lane[at], []).append((at, end))
    for spans in alive.values():
        for (_, before), (start, _) in zip(sorted(spans), sorted(spans)[1:], strict=False):
            assert before < start
    for at in range(len(lanes)):
        crossing = {lane for lane, spans in alive.items() for start, end in spans if start < at < end}
        assert {lane for lane, _ in lanes.through(at)} == crossing - {lanes.lane[at]}


@given(forests())
def test_side_branches_fork_to_the_right_and_keep_to_the_order_of_time(forest: Forest) -> None:
    lanes = laid_out(forest)
    for at in range(len(lanes)):
        kids = list(lanes.children(at))
        assert [kid for kid in kids if lanes.head[kid] == lanes.head[at]] == kids[-1:]
        sides = [lanes.row[kid] for kid in kids[:-1]]
        assert sides == sorted(sides, key=lambda row: (forest.times[row], row))
        assert all(lanes.source(kid) == lanes.lane[at] == lanes.lane[kid] - 1 for kid in kids[:-1])


@given(forests())
def test_siblings_are_counted_in_order_of_time(forest: Forest) -> None:
    lanes = laid_out(forest)
    for at, row in enumerate(lanes.row):
        peers = [peer for peer, parent in enumerate(forest.parents) if parent == forest.parents[row]]
        peers.sort(key=lambda peer: (forest.times[peer], peer))
        expected = (peers.index(row) + 1, len(peers)) if len(peers) > 1 else None
        assert lanes.siblings.get(at) == expected


@given(forests(), st.integers(0, 29))
def test_colours_do_not_depend_on_the_active_path(forest: Forest, active: int) -> None:
    one = laid_out(forest)
    other = laid_out(Forest(forest.parents, forest.times, active % len(forest.parents)))
    for row in range(len(one)):
        colours = {one.colour[one.place[row]], other.colour[other.place[row]]} - {0}
        assert len(colours) <= 1


@given(forests())
def test_the_layout_is_deterministic(forest: Forest) -> None:
    assert laid_out(forest) == laid_out(forest)


@given(forests())
def test_parents_come_first(forest: Forest) -> None:
    order = list(parents_first(forest.parents))
    assert sorted(order) == list(range(len(forest.parents)))
    where = {row: at for at, row in enumerate(order)}
    assert all(parent < 0 or where[parent] < where[row] for row, parent in enumerate(forest.parents))
