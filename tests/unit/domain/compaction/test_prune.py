from __future__ import annotations

import pytest

from stemmata.domain.compaction.plan import plan_prune
from stemmata.domain.context.breakdown import CompactionSettings
from stemmata.domain.entries.entry import Entry, Kind
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
