"""The branch of a hit: its number among the branches of its session, and its label."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from stemmata.domain.entries.tree import Tree


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: its number from 1 in the order of the branches, 0 for a deleted branch, and its label or ""."""

    number: int
    label: str = ""


def branch_of(tree: Tree, entry: int, leaf: int | None) -> Branch:
    """Return the kept branch that contains an entry. Of several branches, the newest one counts.

    The label is that of the branch's last labelled entry which is not on the path to the leaf.
    """
    leaves, end = tree.kept_leaves(leaf), tree.newest_leaf_below(entry, leaf)
    at = bisect_left(leaves, end)
    if at == len(leaves) or leaves[at] != end:
        at = next((at for at in reversed(range(len(leaves))) if tree.is_ancestor(entry, leaves[at])), -1)
    return Branch(at + 1, _label(tree, end, leaf) if at >= 0 else "")


def _label(tree: Tree, end: int, leaf: int | None) -> str:
    fork = tree.common_ancestor(end, leaf)
    own = [at for at in tree.labels if tree.is_ancestor(at, end) and (fork is None or not tree.is_ancestor(at, fork))]
    return tree.labels[max(own)] if own else ""
