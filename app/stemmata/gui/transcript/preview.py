"""A compaction being previewed over the transcript: what stands where, and the cut that can be dragged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from stemmata.domain.compaction.plan import Plan
from stemmata.gui.cards.content import Stage
from stemmata.gui.core.shown_path import TreePath


@dataclass(frozen=True)
class CutPreview:
    """A plan for the end of this path. `replaced`: the tokens its summary stands for, at the scale of the context."""

    path: TreePath
    plan: Plan
    replaced: int = 0

    @cached_property
    def cut(self) -> int:
        """Position of the first kept entry; the end of the path when nothing is kept."""
        kept = self.plan.first_kept
        at = None if kept is None else self.path.position(self.path.tree.key(kept))
        return len(self.path) if at is None else at

    @cached_property
    def _pinned(self) -> frozenset[int]:
        return frozenset(self.plan.pinned)

    @cached_property
    def entries(self) -> int:
        """How many entries are summarised."""
        return len(self.plan.summarised) + len(self.plan.turn_prefix)

    def stage(self, at: int) -> Stage:
        """What becomes of the entry at this position."""
        if self.path.path[at] in self._pinned:
            return Stage.PINNED
        return Stage.SUMMARISED if at < self.cut else Stage.KEPT
