"""Path totals that reuse those of another path equal totals computed from scratch."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.context import context_history
from stemmata.domain.context.breakdown import displayed_breakdown
from stemmata.domain.context.context_history import ContextHistory, chart_points, context_history_of
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries import path_totals as lines
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.growing import numbers
from stemmata.domain.entries.path_totals import Emission, PathTotals
from stemmata.domain.entries.tree import Tree
from tests.strategies import chains, entry_lists
from tests.unit.domain.trees import grown, rest

ATTRIBUTES = ("kinds", "roles", "emissions", "sent", "tokens", "pruned_tokens", "reports", "models")


def work_out(tree: Tree, entry: int) -> None:
    """All values that the window uses."""
    line = PathTotals.to(tree, entry)
    for name in ATTRIBUTES:
        getattr(line, name)
    displayed_breakdown(context_at(tree, entry))
    list(line.largest(0, len(line)))
    chart_points(context_history_of(line), 600)


def assert_same(line: PathTotals, fresh: PathTotals) -> None:
    assert line.path == fresh.path
    for name in ATTRIBUTES:
        assert getattr(line, name) == getattr(fresh, name), name
    assert line.shares == fresh.shares
    for stop in range(len(line) + 1):
        for category in Category:
            assert line.between(category, 0, stop) == fresh.between(category, 0, stop)
    assert line.spared == fresh.spared
    assert line.totals == fresh.totals
    sent = [at for at in range(len(line)) if line.emissions[at] == Emission.MESSAGE]
    largest = sorted(sent, key=lambda at: -line.tokens[at])
    assert list(line.largest(0, len(line))) == list(fresh.largest(0, len(line))) == largest


def assert_same_shape(tree: Tree, fresh: Tree) -> None:
    """Compare a tree that grew with the same tree built as a whole."""
    assert (tuple(tree.roots), tree.leaves, tree.newest) == (tuple(fresh.roots), fresh.leaves, fresh.newest)
    for entry in range(len(fresh)):
        assert list(tree.children(entry)) == list(fresh.children(entry))
        assert tree.newest_leaf_below(entry) == fresh.newest_leaf_below(entry)
    for kind in Kind:
        assert list(tree.of_kind(kind)) == list(fresh.of_kind(kind))


@pytest.fixture(autouse=True)
def short_runs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "RUN", 4)
        yield


@given(st.one_of(chains(min_size=1), entry_lists(min_size=1)), st.data())
def test_path_totals_of_a_growing_tree(entries: list[Entry], data: st.DataObject) -> None:
    whole = Tree.from_entries(entries)
    count = data.draw(st.integers(1, len(whole)))
    tree = grown(whole, count)
    if any(place == -2 for place in tree.columns.target) or list(tree.parents) != list(whole.parents[:count]):
        return  # an older entry names a newer one: the archive links it then, and reads all of the tree anew
    for entry in data.draw(st.lists(st.integers(0, count - 1), max_size=3)):
        work_out(tree, entry)
    longer = tree.extended(rest(whole, count))
    if longer is None:
        assert any(parent >= at for at, parent in enumerate(whole.parents))
        return
    assert longer.columns == whole.columns
    assert longer._breaks == whole._breaks
    assert_same_shape(longer, whole)
    for entry in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=3)):
        assert_same(PathTotals.to(longer, entry), PathTotals(whole, whole.path(entry)))
        fresh = context_at(whole, entry, PathTotals(whole, whole.path(entry)))
        assert displayed_breakdown(context_at(longer, entry)) == displayed_breakdown(fresh)
        assert chart_points(context_history_of(PathTotals.to(longer, entry)), 600) == chart_points(
            context_history_of(fresh.path_totals), 600
        )


def talk(turns: int) -> list[Entry]:
    """Return the entries of `turns` turns with a compaction after every tenth."""
    out: list[Entry] = []

    def say(**facts: Any) -> None:
        parent = out[-1].id if out else None
        out.append(replace(Entry(id=str(len(out)), parent=parent, time=len(out)), **facts))

    for turn in range(turns):
        say(role=Role.USER, blocks=(Text("and then? " * 9),))
        say(role=Role.ASSISTANT, blocks=(Text("this and that " * 20),))
        if turn % 10 == 9:
            say(kind=Kind.COMPACTION, target=str(len(out) - 3), blocks=(Text("what was said"),))
    return out


@pytest.mark.parametrize("turns", [100, 400])
def test_a_turn_costs_the_same_however_long_the_session_is(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    whole = Tree.from_entries(talk(turns))
    count = len(whole) - 5
    tree = grown(whole, count)
    work_out(tree, count - 1)
    worked: list[int] = []
    make = lines._resumed

    def resumed(last: lines._Known, of: Tree, entry: int) -> PathTotals:
        line = make(last, of, entry)
        fork = of.common_ancestor(last.path[-1], entry) or 0
        worked.append(len(line.path) - last.on(of).position(fork) - 1)
        return line

    monkeypatch.setattr(lines, "_resumed", resumed)
    longer = tree.extended(rest(whole, count))
    assert longer is not None
    work_out(longer, len(whole) - 1)
    assert worked == [5]


def test_totals_are_known_on_a_tree_that_was_extended() -> None:
    whole = Tree.from_entries(talk(10))
    tree = grown(whole, len(whole) - 5)
    last = len(tree) - 1
    known = PathTotals.to(tree, last)
    assert known.tokens is PathTotals.to(tree, last).tokens
    longer = tree.extended(rest(whole, len(tree)))
    assert longer is not None
    again = PathTotals.to(longer, last)
    assert again.tree is longer
    assert again.tokens is known.tokens
    assert_same(again, PathTotals(whole, whole.path(last)))


def test_totals_of_a_path_that_grows_copy_no_earlier_number() -> None:
    whole = Tree.from_entries(talk(300))
    tree = grown(whole, 400)
    lines = list[PathTotals]()
    for count in range(402, 420, 2):
        longer = tree.extended(rest(grown(whole, count), count - 2))
        assert longer is not None
        tree = longer
        lines.append(PathTotals.to(tree, count - 1))
        work_out(tree, count - 1)
        assert lines[-1].spared
    for line, longer_line in pairwise(lines[1:]):
        assert longer_line.tokens.obj is line.tokens.obj
        assert longer_line.pruned_tokens.obj is line.pruned_tokens.obj
        for category in (Category.USER, Category.ASSISTANT, Category.IMAGES):
            assert longer_line.shares[category].obj is line.shares[category].obj
        assert longer_line.totals[Category.USER].blocks.obj is line.totals[Category.USER].blocks.obj
        assert longer_line.spared[Category.TOOL_RESULTS].column.obj is line.spared[Category.TOOL_RESULTS].column.obj


def test_a_replaced_tree_is_freed_at_once() -> None:
    """The garbage collector runs so rarely that hundreds of long trees would wait for it."""
    whole = Tree.from_entries(talk(10))
    tree = grown(whole, len(whole) - 5)
    work_out(tree, len(tree) - 1)
    longer = tree.extended(rest(whole, len(tree)))
    gone = weakref.ref(tree)
    del tree
    assert gone() is None
    assert longer is not None
    work_out(longer, len(longer) - 1)


@pytest.mark.parametrize("turns", [100, 400])
def test_a_turn_adds_up_only_what_came_after_the_last_report(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    whole = Tree.from_entries(talk(turns))
    columns = whole.columns
    reported = numbers("i", [500 if role == Role.ASSISTANT else -1 for role in columns.role])
    whole = Tree(replace(columns, reported=reported))
    count = len(whole) - 5
    tree = grown(whole, count)
    work_out(tree, count - 1)
    longer = tree.extended(rest(whole, count))
    assert longer is not None
    added: list[int] = []
    spoken = context_history._message_tokens_before

    def counted(line: PathTotals, low: int) -> array[int]:
        added.append(len(line) - low)
        return spoken(line, low)

    def again(_projection: object) -> None:
        raise AssertionError("the scale of a known stretch is computed again")

    monkeypatch.setattr(context_history, "_message_tokens_before", counted)
    monkeypatch.setattr(context_history, "scale_of", again)
    context_history_of(PathTotals.to(longer, len(whole) - 2))
    [entries] = added
    assert entries <= 6


def test_a_large_tree_knows_path_totals_that_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree.from_entries(talk(2))
    monkeypatch.setattr(lines, "KNOWN_OF", 3)
    tokens = PathTotals.to(tree, 3).tokens
    assert tokens is not PathTotals.to(tree, 3).tokens
    held = PathTotals.to(tree, 3)
    assert held.tokens is PathTotals.to(tree, 3).tokens
    monkeypatch.setattr(lines, "KNOWN_OF", 4)
    assert PathTotals.to(tree, 3).tokens is PathTotals.to(tree, 3).tokens


def test_a_pin_clears_the_cached_facts() -> None:
    entries = talk(10)
    pin = Entry(id="pin", parent=entries[-1].id, kind=Kind.PIN, target="0", name="on", time=99)
    whole = Tree.from_entries([*entries, pin])
    tree = grown(whole, len(entries))
    tree.facts("sizes")[0] = "known"
    longer = tree.extended(rest(whole, len(entries)))
    assert longer is not None
    assert longer.facts("sizes") == {}
    same = tree.extended(rest(tree, len(tree)))
    assert same is not None
    assert same.facts("sizes") == {0: "known"}


def test_a_tree_whose_new_entry_has_a_later_parent_is_rebuilt() -> None:
    whole = Tree.from_entries([Entry(id="a"), Entry(id="b", parent="c"), Entry(id="c", parent="a")])
    assert grown(whole, 1).extended(rest(whole, 1)) is None


def test_path_totals_of_two_roots_share_nothing() -> None:
    tree = Tree.from_entries([Entry(id="a"), Entry(id="b")])
    assert list(PathTotals.to(tree, 0).path) == [0]
    assert list(PathTotals.to(tree, 1).path) == [1]
    assert list(PathTotals.to(tree, None).path) == []


@pytest.mark.parametrize("turns", [200, 800])
def test_points_of_a_growing_path_are_computed_once(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    whole = Tree.from_entries(talk(turns))
    count = len(whole) - 30
    tree = grown(whole, count)
    chart_points(context_history_of(PathTotals.to(tree, count - 1)), 100)
    made: list[int] = []
    for name in ("point", "_drop"):
        monkeypatch.setattr(ContextHistory, name, _noting(getattr(ContextHistory, name), made))
    totals = context_history._totals
    summed: list[int] = []

    def counted(*given: Any) -> array[int]:
        found = totals(*given)
        summed.extend(found)
        return found

    monkeypatch.setattr(context_history, "_totals", counted)
    for stop in range(count + 3, len(whole) + 1, 3):
        longer = tree.extended(rest(grown(whole, stop), len(tree)))
        assert longer is not None
        tree = longer
        chart_points(context_history_of(PathTotals.to(tree, stop - 1)), 100)
    assert len(summed) == len(tree) - count
    assert len(made) <= 100


def _noting(work: Callable[[ContextHistory, int], Any], made: list[int]) -> Callable[[ContextHistory, int], Any]:
    def noted(history: ContextHistory, at: int) -> Any:
        made.append(at)
        return work(history, at)

    return noted


def test_names_of_pruned_results_of_any_length() -> None:
    names = ("read", "x" * 2000, "")
    entries = [
        Entry(id=str(at), parent=str(at - 1) if at else None, role=Role.TOOL_RESULT, tool=name)
        for at, name in enumerate(names)
    ]
    line = PathTotals.to(Tree.from_entries(entries), 2)
    assert list(line.pruned_tokens) == [1, 500, 0]
    assert list(PathTotals.to(Tree.from_entries([entries[0], entries[2]]), 0).pruned_tokens) == [1]


def test_work_counts_what_is_new_and_an_eighth_of_what_is_copied() -> None:
    whole = Tree.from_entries([*talk(40), Entry(id="apart", time=1000), Entry(id="side", parent="79", time=1001)])
    last, apart, side = len(whole) - 3, len(whole) - 2, len(whole) - 1
    assert PathTotals.work(whole, last) == last + 1, "no totals are known"
    work_out(whole, last)
    assert PathTotals.work(whole, last) == 0
    assert PathTotals.work(whole, apart) == 1
    assert PathTotals.work(whole, side) == 1 + 80 // lines.SHARED
    assert PathTotals.work(whole, None) == 0


def test_totals_are_passed_on_to_a_tree_that_was_extended() -> None:
    whole = Tree.from_entries(talk(10))
    tree = grown(whole, len(whole) - 5)
    known = PathTotals.to(tree, len(tree) - 1)
    longer = tree.extended(rest(whole, len(tree)))
    assert longer is not None
    work_out(longer, len(longer) - 1)  # the tree knows these now
    again = known.on(longer)
    assert again.tree is longer
    assert again.tokens is known.tokens
    assert_same(again, PathTotals(whole, whole.path(len(tree) - 1)))
