"""The forecast of a compaction: the sizes of its parts, and the context after it.

Before = system + skills + summarised + pinned + kept; after = system + skills + summary + pinned + kept − dropped.
All figures are at the scale of the context before the compaction. The figures of a branch summary are at the scale of
the context above the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stemmata.domain.compaction.plan import Plan, context_above, parts_after
from stemmata.domain.context.breakdown import (
    Breakdown,
    Scale,
    at_scale,
    estimated_breakdown,
    message_parts,
    position_parts,
    scale_of,
)
from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.categories import Category


@dataclass(frozen=True)
class Forecast:
    """The parts of a compaction in estimated tokens, which `scaled` brings to the scale of the context.

    `left` are the tokens that stay besides the summary, by category. `dropped` are the tokens of kept tool results
    that a pruning before the compaction removes, `emptied` is their number.
    """

    window: int | None
    scale: Scale | None
    left: dict[Category, int]
    summary: int
    summarised: int
    pinned: int
    kept: int
    dropped: int = 0
    emptied: int = 0

    @property
    def skills(self) -> int:
        """The tokens of the active skills, which no compaction removes."""
        return self.left[Category.SKILLS]

    @property
    def factor(self) -> float:
        """The factor for estimates, 1.0 without a known scale."""
        return 1.0 if self.scale is None else self.scale.factor

    def scaled(self, tokens: int) -> int:
        """Return estimated tokens at the scale of the context, as they are shown."""
        return round(tokens * self.factor)

    def estimate(self, tokens: int) -> int:
        """Return the estimate for a shown number of tokens; the planner counts in estimates."""
        return round(tokens / self.factor) if self.factor else tokens

    @cached_property
    def after(self) -> Breakdown:
        """The breakdown after the compaction; `displayed_breakdown` gives the same once it is done."""
        parts = self.left | {Category.SUMMARIES: self.left[Category.SUMMARIES] + self.summary}
        return at_scale(estimated_breakdown(parts, self.window), self.scale)

    def with_summary(self, tokens: int) -> Forecast:
        """Return the forecast for a summary of this size."""
        return replace(self, summary=tokens)

    def with_pruned(self, projection: Projection, plan: Plan, pruned: Iterable[int]) -> Forecast:
        """Return the forecast for the case that these tool results are pruned before the compaction.

        Projection and plan must be those from which the forecast was made.
        """
        line, left = projection.path_totals, dict(self.left)
        emptied = {*plan.pinned, *plan.kept}.intersection(pruned)
        for entry in emptied:
            at = line.position(entry)
            for category, tokens in position_parts(projection, at).items():
                left[category] -= tokens
            left[Category.TOOL_RESULTS] += line.pruned_tokens[at]
        dropped = sum(self.left.values()) - sum(left.values())
        return replace(self, left=left, dropped=dropped, emptied=len(emptied))


def saves_nothing(before: Breakdown, after: Breakdown) -> bool:
    """Return whether a compaction saves less than 1 % of the context, or makes it larger."""
    size_before, size_after = before.total.value or 0, after.total.value or 0
    return (size_before - size_after) * 100 < max(size_before, 1)


def forecast_of(projection: Projection, plan: Plan, summary: int, window: int | None = None) -> Forecast:
    """Return the forecast of a plan for a summary of `summary` tokens. `projection` is that of the plan's parent."""
    left = parts_after(projection, plan)
    pinned, staying = _tokens(projection, plan.pinned), sum(left.values())
    present = sum(message_parts(projection).values())
    # the context after a branch summary is displayed at the scale of the entries above it
    first = plan.first_summarised
    return Forecast(
        window,
        scale_of(projection if first is None else context_above(projection, first)),
        left,
        summary,
        summarised=max(present - staying, 0),  # a branch summary may bring back what an older summary replaced
        pinned=pinned,
        kept=staying - pinned - left[Category.SKILLS],
    )


def breakdown_with_summary(
    projection: Projection, compaction: int, summary: int, window: int | None = None
) -> Breakdown:
    """Return the breakdown right after a compaction, for a summary of this size instead of the present one."""
    parts = message_parts(projection)
    parts[Category.SUMMARIES] += summary - projection.tree.tokens(compaction)
    return at_scale(estimated_breakdown(parts, window), scale_of(projection))


def _tokens(projection: Projection, entries: Sequence[int]) -> int:
    """Return the estimated tokens that these entries add to the context."""
    position = projection.path_totals.position
    return sum(sum(position_parts(projection, position(entry)).values()) for entry in entries)
