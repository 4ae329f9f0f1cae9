"""The totals of the active and of the shown path are kept, and found again."""

from __future__ import annotations

from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.gui.core.kept_totals import KeptTotals
from tests.unit.domain.trees import user

LEAF, SIBLING = 2, 3


def branched() -> Tree:
    """Return entry 0 with two branches: 1 and 2, and 3."""
    return Tree.from_entries([user("a", None), user("b", "a"), user("c", "b"), user("d", "a")])


def test_a_kept_path_is_used_for_each_of_its_entries() -> None:
    tree = branched()
    kept = KeptTotals(PathTotals.to(tree, LEAF))
    assert [kept.to(tree, entry, LEAF) for entry in (LEAF, 0, None)] == [kept.active] * 3
    assert kept.shown is None


def test_the_totals_of_another_path_are_kept() -> None:
    tree = branched()
    kept = KeptTotals(PathTotals.to(tree, LEAF))
    assert not kept.ends_at(tree, SIBLING)
    shown = kept.to(tree, SIBLING, SIBLING)
    assert list(shown.path) == [0, SIBLING]
    assert kept.ends_at(tree, SIBLING)
    assert kept.to(tree, SIBLING, SIBLING) is shown
    assert kept.to(tree, LEAF, SIBLING) is kept.active


def test_the_path_to_the_end_is_computed_for_an_entry_above_it() -> None:
    tree = branched()
    assert list(KeptTotals().to(tree, 1, LEAF).path) == [0, 1, LEAF]
    assert list(KeptTotals().to(tree, 1, SIBLING).path) == [0, 1]


def test_the_totals_of_another_tree_are_not_used() -> None:
    tree, older = branched(), branched()
    kept = KeptTotals(PathTotals.to(older, LEAF))
    assert not kept.ends_at(tree, LEAF)
    assert kept.to(tree, LEAF, LEAF).tree is tree
