"""The forecast of a compaction: its figures have one scale, add up, and equal the later ones."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from stemmata.domain.compaction.forecast import Forecast, breakdown_with_summary, forecast_of
from stemmata.domain.compaction.plan import Plan, plan_compaction
from stemmata.domain.compaction.pruning import PruneOccasion, plan_prune
from stemmata.domain.context.breakdown import (
    Breakdown,
    Sizes,
    displayed_breakdown,
    sizes_at,
    stored_size_before,
)
from stemmata.domain.context.context_history import context_history_of
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Flag, Kind, Usage
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.settings.settings import CompactionSettings
from tests.strategies import chains
from tests.unit.domain.trees import assistant, chain, compaction, mark, result, user

LONG = "x" * 400  # 100 tokens
SUMMARY = LONG * 2
TALK = chain(
    user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG * 3),
    assistant("4", None, "", calls=("c",)), result("5", None, LONG * 6), assistant("6", None, LONG, used=2900),
    user("7", None, LONG), assistant("8", None, LONG * 5, flags=Flag.ABORTED), user("9", None, LONG * 2),
)  # fmt: skip


def made(entries: list[Entry], keep: int, pins: tuple[str, ...] = ()) -> tuple[Tree, Plan, Forecast]:
    leaf = len(entries) - 1
    tree = Tree.from_entries([*entries, *(mark(Kind.PIN, f"pin-{id}", id, id) for id in pins)])
    plan = plan_compaction(tree, leaf, CompactionSettings(keep_recent_tokens=keep))
    return tree, plan, forecast_of(context_at(tree, leaf), plan, 200)


def then(entries: list[Entry], plan: Plan, pins: tuple[str, ...] = (), pruned: str = "") -> Breakdown:
    """Return the breakdown after the compaction, preceded by a pruning up to the entry `pruned`, if any."""
    last = entries[-1].id
    more = [replace(mark(Kind.TOOL_PRUNE, "p", last, pruned))] if pruned else []
    done = compaction("c", "p" if pruned else last, entries[plan.first_kept or 0].id, SUMMARY)
    marks = [mark(Kind.PIN, f"pin-{id}", id, id) for id in pins]
    tree = Tree.from_entries([*entries, *marks, *more, done])
    return displayed_breakdown(context_at(tree, len(tree) - 1))


def assert_adds_up(tree: Tree, plan: Plan, told: Forecast) -> None:
    before = displayed_breakdown(context_at(tree, plan.parent))
    fixed = told.scale.fixed.total if told.scale is not None else 0
    parts = (told.summarised, told.pinned, told.kept, told.skills)
    gap = (before.total.value or 0) - fixed - sum(map(told.scaled, parts))
    # With nothing summarised, a pinned result may bring back its call, which an older summary replaced.
    assert gap <= 2 if told.summarised == 0 else abs(gap) <= 2, "rounded apart"
    left = (told.summary, told.pinned, told.kept, told.skills, -told.dropped)
    assert abs((told.after.total.value or 0) - fixed - sum(map(told.scaled, left))) <= 2
    assert before.factor == told.factor


def test_the_figures_add_up_and_equal_the_later_ones() -> None:
    tree, plan, told = made(TALK, 750, pins=("1",))
    assert told.factor > 1.4
    assert_adds_up(tree, plan, told)
    assert (told.pinned, told.kept) == (100, 300), "the reply that was stopped is in neither"
    assert told.after == replace(then(TALK, plan, ("1",)), largest=())
    assert (told.with_summary(500).after.total.value or 0) > (told.after.total.value or 0)


def test_a_pruning_before_the_compaction_is_included() -> None:
    tree, plan, told = made(TALK, 1501)
    settings = CompactionSettings(tool_keep_threshold=0)
    prune = plan_prune(tree, plan.parent, settings, occasion=PruneOccasion.BY_HAND)
    told = told.with_pruned(context_at(tree, plan.parent), plan, prune.pruned)
    assert (told.emptied, told.dropped) == (1, 599)
    assert_adds_up(tree, plan, told)
    assert told.after == replace(then(TALK, plan, pruned="5"), largest=())


@given(chains(min_size=6, max_size=30), st.integers(1, 200))
def test_the_figures_add_up_on_any_path(entries: list[Entry], keep: int) -> None:
    entries = [replace(entry, usage=Usage(total=5000 + at)) for at, entry in enumerate(entries)]
    tree = Tree.from_entries(entries)
    leaf = len(entries) - 1
    try:
        plan = plan_compaction(tree, leaf, CompactionSettings(keep_recent_tokens=keep))
    except NothingToDoError:
        assume(False)
    told = forecast_of(context_at(tree, leaf), plan, 200)
    assert_adds_up(tree, plan, told)
    assert told.after == replace(then(entries, plan), largest=())


def test_a_shown_estimate_converts_back_to_the_planners_estimate() -> None:
    told = made(TALK, 150)[2]
    assert told.estimate(told.scaled(1000)) == 1000
    assert replace(told, scale=None).estimate(1000) == 1000


def test_another_summary_changes_the_size_after_and_nothing_else() -> None:
    _, plan, told = made(TALK, 150)
    done = compaction("c", TALK[-1].id, TALK[plan.first_kept or 0].id, LONG * 5)
    tree = Tree.from_entries([*TALK, done])
    at = len(tree) - 1
    assert breakdown_with_summary(context_at(tree, at), at, 200) == told.after
    assert abs((told.after.categories[Category.SUMMARIES].value or 0) - told.scaled(200)) <= 1, "rounded apart"


def test_sizes_before_and_after_a_compaction_have_their_kind() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), compaction("3", None, None, LONG),
        user("4", None, LONG), compaction("5", None, None, LONG), compaction("6", None, None, LONG),
    )  # fmt: skip
    entries = [
        *entries[:2], replace(entries[2], usage=Usage(total=1000), flags=Flag.OWN), entries[3],
        replace(entries[4], usage=Usage(total=777), flags=Flag.OWN), replace(entries[5], usage=Usage(total=888)),
    ]  # fmt: skip
    tree = Tree.from_entries(entries)
    line = PathTotals(tree, tree.path(5))
    assert sizes_at(line, 2) == Sizes(Figure.reported(1000), Figure.estimated(900))
    assert sizes_at(line, 4).before == Figure.estimated(777), "noted by ourselves, and no report says so"
    assert sizes_at(line, 5).before == Figure.reported(888), "noted by its source"
    assert stored_size_before(tree, 0) is UNKNOWN
    assert stored_size_before(tree, 3, Figure.estimated(5)) == Figure.estimated(5)


def test_the_size_before_a_compaction_that_pruned_first_is_that_above_the_pruning() -> None:
    talk = TALK[:6]  # the provider reported 2,900 tokens last
    pruned = mark(Kind.TOOL_PRUNE, "p", talk[-1].id, talk[-1].id)
    done = replace(compaction("c", "p", talk[-1].id, LONG), usage=Usage(total=2900), flags=Flag.OWN)
    tree = Tree.from_entries([*talk, pruned, done])
    line = PathTotals(tree, tree.path(len(tree) - 1))
    assert (sizes_at(line, 6).before, sizes_at(line, 7).before) == (Figure.reported(2900), Figure.reported(2900))
    [*_, drop] = context_history_of(line).drops
    assert (drop.kind, drop.before) == (Kind.COMPACTION, Figure.reported(2900))
    other = Tree.from_entries([*talk, pruned, replace(done, usage=Usage(total=2800))])
    found = sizes_at(PathTotals(other, other.path(len(other) - 1)), 7).before
    assert found == Figure.estimated(2800), "neither above the pruning nor below it"
    alone = Tree.from_entries([mark(Kind.TOOL_PRUNE, "p", None, "p"), replace(done, parent="p", target=None)])
    assert sizes_at(PathTotals(alone, alone.path(1)), 1).before == Figure.estimated(2900)
