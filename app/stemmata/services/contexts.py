"""The context at an entry with everything the window and the command line show of it."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.breakdown import Breakdown, breakdown_of
from stemmata.domain.budget import Budget, CompactionSettings
from stemmata.domain.catalogue import Catalogue
from stemmata.domain.context import Projection, context_at
from stemmata.domain.line import Line
from stemmata.domain.sessions import Skeleton

GATEWAYS = frozenset({"openclaw"})


@dataclass(frozen=True)
class ContextView:
    """What the model sees at an entry: projection, breakdown and budget belong together."""

    projection: Projection
    breakdown: Breakdown
    budget: Budget


class Contexts:
    """Pure computation, quick enough for any thread: cold ≤ 30 ms at 14,000 entries, a step ≤ 3 ms."""

    def __init__(self, catalogue: Catalogue, settings: CompactionSettings) -> None:
        self._catalogue = catalogue
        self.settings = settings

    def at(self, skeleton: Skeleton, entry: int | None, line: Line | None = None) -> ContextView:
        """`entry` is an index in the tree; pass the line of a previous answer to make a step cheap."""
        projection = context_at(skeleton.tree, entry, line)
        budget = self.budget(skeleton, projection.model)
        return ContextView(projection, breakdown_of(projection, budget.window), budget)

    def budget(self, skeleton: Skeleton, model: str) -> Budget:
        gateway = skeleton.session.source in GATEWAYS
        return Budget.of(self._catalogue.window(model), self.settings, gateway=gateway)

    def window(self, model: str) -> int | None:
        return self._catalogue.window(model)
