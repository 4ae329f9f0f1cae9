"""The path totals of the open session that were computed last."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree


@dataclass(slots=True)
class KeptTotals:
    """The totals of the active path and of the shown one, so that neither is computed twice.

    `shown` is None while the active path is shown, and until the totals of another one were asked for.
    """

    active: PathTotals | None = None
    shown: PathTotals | None = None

    def ends_at(self, tree: Tree, end: int | None) -> bool:
        """Return whether a kept path of this tree ends at this entry (index)."""
        return any(totals.path and totals.path[-1] == end for totals in self._of(tree))

    def to(self, tree: Tree, entry: int | None, end: int | None) -> PathTotals:
        """Return the totals of a path that contains the entry (index); of any path when `entry` is None.

        A kept path that ends at the entry is preferred, then one that contains it. Otherwise the totals of the path
        to `end` are computed and kept, or those of the path to the entry when the entry is not above `end`.
        """
        kept = self._of(tree)
        for totals in kept:
            if totals.path and totals.path[-1] == entry:
                return totals
        for totals in kept:
            if entry is None or entry in totals:
                return totals
        is_above = entry is None or (end is not None and tree.is_ancestor(entry, end))
        self.shown = PathTotals.to(tree, end if is_above else entry)
        return self.shown

    def _of(self, tree: Tree) -> list[PathTotals]:
        return [totals for totals in (self.active, self.shown) if totals is not None and totals.tree is tree]
