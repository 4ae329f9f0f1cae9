from __future__ import annotations

import pytest

from stemmata.domain.compaction.plan import plan_prune
from stemmata.domain.context.breakdown import CompactionSettings
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from tests.unit.domain.trees import assistant, chain, compaction, mark, result, user

THOUSAND = "x" * 4000


def session(results: int) -> list[Entry]:
    steps = [
        e
        for at in range(results)
        for e in (assistant(f"a{at}", None, calls=("c",)), result(f"r{at}", None, THOUSAND))
    ]
    return chain(user("u", None), *steps)


def test_all_but_the_newest_results_are_pruned() -> None:
    entries = session(10)
    made = plan_prune(Tree.from_entries(entries), 20)
    assert len(made.pruned) == 8
    assert entries[made.boundary].id == "r7"
    assert (made.before, made.after) == (10_000, 2000 + 8)


def test_nothing_is_pruned_below_the_threshold_unless_asked() -> None:
    tree = Tree.from_entries(session(5))
    with pytest.raises(NothingToDoError, match="8,000"):
        plan_prune(tree, 10)
    assert len(plan_prune(tree, 10, force=True).pruned) == 3


def test_a_total_equal_to_the_threshold_is_not_pruned() -> None:
    tree = Tree.from_entries(session(5))
    with pytest.raises(NothingToDoError, match="5,000"):
        plan_prune(tree, 10, CompactionSettings(tool_prune_threshold=5_000))
    assert plan_prune(tree, 10, CompactionSettings(tool_prune_threshold=4_999)).before == 5_000


def test_results_older_than_a_pruned_one_are_pruned() -> None:
    sizes = {"small": 400, "large": 20_000, "newest": 4_000}
    steps = [e for id, size in sizes.items() for e in (assistant(f"a-{id}", None), result(id, None, "x" * size))]
    entries = chain(user("u", None), *steps)
    made = plan_prune(Tree.from_entries(entries), 6, force=True)
    assert [entries[at].id for at in made.pruned] == ["small", "large"]


def test_a_pinned_result_right_behind_the_boundary_counts() -> None:
    first, second = result("r0", None, THOUSAND), result("r1", None, THOUSAND)
    entries = [
        *chain(user("u", None), assistant("a", None, calls=("c", "d")), first, second, user("v", None)),
        mark(Kind.TOOL_PRUNE, "p", "v", "r0"), compaction("c", "p", "p"), user("w", "c"),
        mark(Kind.PIN, "pin", "r1", "r1"),
    ]  # fmt: skip
    made = plan_prune(Tree.from_entries(entries), 7, CompactionSettings(tool_keep_threshold=10), force=True)
    assert [entries[at].id for at in made.pruned] == ["r1"]


def test_recent_results_alone_are_not_pruned() -> None:
    with pytest.raises(NothingToDoError, match="newest"):
        plan_prune(Tree.from_entries(session(1)), 2, force=True)
    with pytest.raises(NothingToDoError, match="empty"):
        plan_prune(Tree.from_entries([]), None)


def test_pruned_results_are_not_counted_again() -> None:
    entries = chain(*session(10), mark(Kind.TOOL_PRUNE, "p", None, "r7"), user("v", None))
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 22)


def test_only_results_in_the_context_are_pruned() -> None:
    entries = [*chain(*session(10), compaction("c", None, "a5"), user("v", None)), mark(Kind.PIN, "p", "r0", "r0")]
    made = plan_prune(Tree.from_entries(entries), 22, CompactionSettings(tool_prune_threshold=10))
    assert [entries[at].id for at in made.pruned] == ["r0", "r5", "r6", "r7"]


NONE = CompactionSettings(tool_policy="keep_none")


def test_keep_none_prunes_the_newest_result_too_whatever_the_threshold() -> None:
    entries = chain(*session(2), assistant("done", None))
    made = plan_prune(Tree.from_entries(entries), 5, NONE)
    assert [entries[at].id for at in made.pruned] == ["r0", "r1"]
    assert (made.before, made.after) == (2_000, 2)


def test_keep_none_keeps_what_the_model_has_not_read_as_far_as_it_is_small() -> None:
    entries = session(3)
    made = plan_prune(Tree.from_entries(entries), 6, NONE)
    assert [entries[at].id for at in made.pruned] == ["r0", "r1"]
    made = plan_prune(Tree.from_entries(entries), 6, NONE._replace(tool_keep_threshold=999))
    assert [entries[at].id for at in made.pruned] == ["r0", "r1", "r2"]


def test_keep_none_does_not_prune_what_saves_nothing() -> None:
    entries = chain(user("u", None), assistant("a", None, calls=("c",)), result("r", None, "x"), assistant("b", None))
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 3, NONE)
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 1, NONE, force=True)


def test_results_of_a_pruning_that_was_undone_start_no_other_one() -> None:
    """The pruning up to r7 is undone below r9; the next one is due when the results after r7 exceed the threshold."""
    first, *more = session(17)[21:]
    entries = [*session(10), mark(Kind.TOOL_PRUNE, "p", "r9", "r7"), first, *more]
    settings, tree = CompactionSettings(tool_prune_threshold=8_000), Tree.from_entries(entries)
    at = {entry.id: index for index, entry in enumerate(entries)}
    with pytest.raises(NothingToDoError, match="16,000"):
        plan_prune(tree, at["r15"], settings)  # eight of them count
    made = plan_prune(tree, at["r16"], settings)
    assert len(made.pruned) == 15
    assert len(plan_prune(tree, at["r9"], settings, force=True).pruned) == 8
    assert len(plan_prune(Tree.from_entries(session(10)), 20, settings).pruned) == 8


def test_a_pruning_below_the_leaf_or_elsewhere_is_no_refusal() -> None:
    entries = [*session(10), assistant("other", "u"), mark(Kind.TOOL_PRUNE, "p", "other", "r7")]
    assert len(plan_prune(Tree.from_entries(entries), 20).pruned) == 8
    below = chain(*session(10), user("v", None), mark(Kind.TOOL_PRUNE, "p", "v", "r7"))
    tree = Tree.from_entries(below)
    assert len(plan_prune(tree, 20, path_totals=PathTotals.to(tree, 22)).pruned) == 8
