"""The context along a path: the figures of the breakdown at every position, drops, and points to draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.context import context_history
from stemmata.domain.context.breakdown import displayed_breakdown, message_parts
from stemmata.domain.context.context_history import NONE, ContextHistory, chart_points, context_history_of
from stemmata.domain.context.projection import OUT, context_at
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.growing import numbers
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from tests.strategies import chains, entry_lists
from tests.unit.domain.trees import assistant, chain, compaction, mark, result, user

LONG = "x" * 400  # 100 tokens


def along(entries: list[Entry]) -> ContextHistory:
    """Return the history of the path to the last entry."""
    tree = Tree.from_entries(entries)
    return context_history_of(PathTotals(tree, tree.path(len(tree) - 1 if entries else None)))


def assert_agrees(line: PathTotals) -> None:
    history = context_history_of(line)
    assert len(history) == len(line)
    for position, entry in enumerate(line.path):
        projection = context_at(line.tree, entry, line)
        found, point = displayed_breakdown(projection), history.point(position)
        assert history.parts(position) == message_parts(projection)
        assert history.total(position) == found.total
        assert point.total == found.total.value
        assert point.bands == tuple(found.categories[category].value or 0 for category in Category)


@given(entry_lists(damaged=True))
def test_every_position_agrees_with_the_breakdown_of_its_entry(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for leaf in tree.leaves:
        assert_agrees(PathTotals(tree, tree.path(leaf)))


@given(chains(min_size=8, max_size=40))
def test_positions_of_long_paths_agree_with_the_breakdown(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    assert_agrees(PathTotals(tree, tree.path(len(tree) - 1)))


def test_an_empty_path_has_an_empty_history() -> None:
    history = along([])
    assert (len(history), history.peak, history.drops, list(history.turns)) == (0, 0, (), [])
    assert chart_points(history, 10) == ()


def test_a_pruning_above_its_target_changes_nothing_below() -> None:
    entries = chain(
        user("1", None, LONG), mark(Kind.TOOL_PRUNE, "2", None, "3"), assistant("3", None, LONG, used=300),
        user("4", None, LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    assert_agrees(PathTotals(tree, tree.path(len(tree) - 1)))


def test_a_compaction_falls_from_the_stored_size_to_the_new_size() -> None:
    entries = chain(
        user("1", None, LONG * 3), assistant("2", None, LONG, used=900), user("3", None, LONG),
        compaction("4", None, "3", LONG * 2), user("5", None, LONG),
    )  # fmt: skip
    history = along(entries)
    assert list(history.totals) == [300, 900, 1000, 800, 900]
    [drop] = history.drops
    assert (drop.position, drop.kind, drop.before, drop.after) == (
        3, Kind.COMPACTION, Figure.estimated(1000), Figure.estimated(800),
    )  # fmt: skip
    assert [history.report(at) for at in range(5)] == [NONE, 1, 1, NONE, NONE]
    assert [history.point(at).is_reported for at in range(5)] == [False, True, True, False, False]
    assert history.point(2).bands[Category.SYSTEM] == 500
    columns = Tree.from_entries(entries).columns
    noted = Tree(replace(columns, reported=numbers("i", [*columns.reported[:3], 1234, *columns.reported[4:]])))
    assert context_history_of(PathTotals(noted, noted.path(4))).drops[0].before == Figure.reported(1234)


def test_two_paths_share_what_is_above_their_fork() -> None:
    above = chain(user("1", None, LONG), assistant("2", None, LONG), compaction("c", None, "2"))
    tree = Tree.from_entries([*above, user("a", "c"), user("b", "c")])
    ones = [context_history_of(PathTotals(tree, tree.path(leaf))) for leaf in (3, 4)]
    assert ones[0].drops == ones[1].drops
    assert ones[0].drops[0] is ones[1].drops[0]
    assert [one.point(2) for one in ones] == [ones[0].point(2)] * 2
    for leaf in (3, 4):
        assert_agrees(PathTotals(tree, tree.path(leaf)))


def test_a_compaction_at_the_very_start_has_nothing_before_it() -> None:
    [drop] = along([compaction("1", None, None, LONG)]).drops
    assert (drop.before, drop.after) == (Figure.estimated(0), Figure.estimated(100))


def test_a_pruning_subtracts_and_takes_effect_when_its_target_is_there() -> None:
    entries = chain(
        user("1", None), assistant("2", None, "", calls=("c",)), result("3", None, LONG),
        mark(Kind.TOOL_PRUNE, "4", None, "6"), user("5", None, ""), result("6", None, LONG),
    )  # fmt: skip
    history = along(entries)
    parts = [history.parts(at)[Category.TOOL_RESULTS] for at in range(6)]
    assert parts == [0, 0, 100, 100, 100, 2]
    assert [drop.kind for drop in history.drops] == [Kind.TOOL_PRUNE]


def test_an_entry_that_is_left_out_is_no_fall() -> None:
    entries = chain(user("1", None, LONG), user("2", None, LONG), mark(Kind.OMISSION, "o", None, "1", OUT))
    assert along(entries).drops == ()


def test_turns_are_the_users_messages_without_injected_ones() -> None:
    entries = chain(user("1", None), assistant("2", None), user("3", None, flags=Flag.INJECTED), user("4", None))
    assert list(along(entries).turns) == [0, 3]


def saw(teeth: int, steps: int) -> ContextHistory:
    """Return the history of a path that is compacted several times, each time from a larger context."""
    entries: list[Entry] = []
    for tooth in range(teeth):
        entries += [user(f"u{tooth}-{step}", None, "x" * (40 + tooth)) for step in range(steps)]
        entries.append(compaction(f"c{tooth}", None, None, "sum"))
    return along(chain(*entries))


@given(st.integers(8, 60), st.integers(1, 12), st.integers(1, 40))
def test_chart_points_include_the_peak_and_the_falls(most: int, teeth: int, steps: int) -> None:
    history = saw(teeth, steps)
    points = chart_points(history, most)
    positions = [point.position for point in points]
    assert len(points) <= most
    assert positions == sorted(set(positions))
    assert (positions[0], positions[-1]) == (0, len(history) - 1)
    assert max(point.total for point in points) == history.peak
    assert all(point.total == history.totals[point.position] for point in points)
    if len(history) <= most:
        assert len(points) == len(history)
    elif teeth <= most // 4:
        assert all({drop.position - 1, drop.position} <= set(positions) for drop in history.drops)


def test_a_real_session_falls_twice(samples: Path) -> None:
    from stemmata.formats.pi.reader import Pi

    events = Pi().read(samples / "pi" / "before-compaction.jsonl", None)
    history = along([event for event in events if isinstance(event, Entry)])
    drops = [(drop.position, drop.before, drop.after) for drop in history.drops]
    assert drops == [
        (358, Figure.reported(175004), Figure.estimated(24665)),
        (627, Figure.reported(185014), Figure.estimated(25691)),
    ]
    assert history.peak == 185014
    assert_agrees(history.path_totals)


@pytest.mark.parametrize("has_compaction", [False, True])
def test_marks_right_after_each_other(has_compaction: bool) -> None:
    """A pruning of duplicates may mark one result twice, one outside the context, and no result."""
    results = [
        entry
        for at in range(6)
        for entry in (
            assistant(f"a{at}", None, calls=(f"c{at}",), used=500 * at),
            result(f"r{at}", None, "x" * 400, call=f"c{at}"),
        )
    ]
    names = [
        *(("r0", "read-again"), ("r3", "read-again"), ("r3", "off"), ("r4", "out"), ("r4", "run-again")),
        *(("a5", "cut"), ("missing", "out"), ("r5", "changed-since")),
    ]
    marks = [mark(Kind.OMISSION, f"m{at}", None, target, name) for at, (target, name) in enumerate(names)]
    middle = [compaction("s", None, "a3")] if has_compaction else []
    entries = [*chain(user("u", None), *results, *middle, *marks, user("v", None)), mark(Kind.PIN, "p", "v", "r0")]
    tree = Tree.from_entries(entries)
    history = context_history_of(PathTotals.to(tree, len(entries) - 2))
    for position, entry in enumerate(history.path_totals.path):
        projection = context_at(tree, entry)
        assert history.parts(position) == message_parts(projection)
        assert history.total(position) == displayed_breakdown(projection).total
    again = context_history_of(PathTotals.to(tree, len(entries) - 2))
    assert list(again.totals) == list(history.totals)


@given(entry_lists(min_size=1), st.data())
def test_the_history_of_any_path_is_that_of_a_tree_that_knows_no_other(
    entries: list[Entry], data: st.DataObject
) -> None:
    tree = Tree.from_entries(entries)
    for end in data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=1, max_size=4)):
        fresh_tree = Tree.from_entries(entries)
        fresh = context_history_of(PathTotals(fresh_tree, fresh_tree.path(end)))
        history = context_history_of(PathTotals.to(tree, end))
        assert (history.totals, history.peak, history.drops) == (fresh.totals, fresh.peak, fresh.drops)
        assert (history._spans, history._starts) == (fresh._spans, fresh._starts)
        assert (history._report_starts, history._reports) == (fresh._report_starts, fresh._reports)
        for most in (4, 9, 600):
            assert chart_points(history, most) == chart_points(fresh, most)


def test_a_pruning_takes_effect_when_the_path_reaches_its_boundary() -> None:
    entries = chain(
        user("1", None), assistant("2", None, "", calls=("c",)), result("3", None, LONG),
        mark(Kind.TOOL_PRUNE, "4", None, "6"), user("5", None, ""), result("6", None, LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    before = context_history_of(PathTotals.to(tree, 4))
    assert before.totals[4] >= 100
    assert list(context_history_of(PathTotals.to(tree, 5)).totals) == list(along(entries).totals)


@pytest.mark.parametrize("turns", [50, 200])
def test_a_turn_looks_only_at_new_compactions(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    entries = [user("0", None, LONG)]
    for turn in range(turns):
        entries += [user(f"u{turn}", None, LONG), compaction(f"c{turn}", None, f"u{turn}", "short")]
    tree = Tree.from_entries(chain(*entries))
    known = context_history_of(PathTotals.to(tree, len(tree) - 3))
    assert 30 < len(chart_points(known, 40)) <= 40
    assert len(known.drops) == turns - 1
    looked: list[int] = []
    events = context_history._events

    def counted(line: PathTotals, start: int = 0) -> Iterator[int]:
        for at in events(line, start):
            looked.append(at)
            yield at

    monkeypatch.setattr(context_history, "_events", counted)
    history = context_history_of(PathTotals.to(tree, len(tree) - 1))
    chart_points(history, 40)
    assert len(history.drops) == turns
    assert set(looked) == {len(tree) - 1}
