"""What a compaction would do to the context, every figure at the scale of the context it is made of.

Before = system + summarised + pinned + kept; after = system + summary + pinned + kept − dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stemmata.domain.compaction.plan import Plan, parts_after
from stemmata.domain.context.breakdown import (
    Breakdown,
    Calibration,
    calibration_of,
    carried,
    estimated_breakdown,
    message_parts,
    position_parts,
)
from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.path_totals import Category


@dataclass(frozen=True)
class Forecast:
    """Tokens are estimates; `scaled` brings them to the scale. `left`: what stays beside the summary, by category.

    `dropped` of it are tool results that a pruning before the compaction leaves out, `emptied` their number.
    """

    window: int | None
    scale: Calibration | None
    left: dict[Category, int]
    summary: int
    summarised: int
    pinned: int
    kept: int
    dropped: int = 0
    emptied: int = 0

    @property
    def factor(self) -> float:
        return 1.0 if self.scale is None else self.scale.factor

    def scaled(self, tokens: int) -> int:
        """An estimate as it is shown."""
        return round(tokens * self.factor)

    def estimate(self, tokens: int) -> int:
        """What is shown as an estimate, for the planner, which counts in those."""
        return round(tokens / self.factor) if self.factor else tokens

    @cached_property
    def after(self) -> Breakdown:
        """The breakdown the compaction leaves: what `seen_breakdown` says once it is done."""
        parts = self.left | {Category.SUMMARIES: self.left[Category.SUMMARIES] + self.summary}
        return carried(estimated_breakdown(parts, self.window), self.scale)

    def with_summary(self, tokens: int) -> Forecast:
        """With a summary of this size."""
        return replace(self, summary=tokens)

    def with_pruned(self, projection: Projection, plan: Plan, pruned: Iterable[int]) -> Forecast:
        """With these tool results pruned first. Projection and plan are those the forecast was made of."""
        line, left, found = projection.line, dict(self.left), set(pruned)
        emptied = [entry for entry in (*plan.pinned, *plan.kept) if entry in found]
        for entry in emptied:
            at = line.position(entry)
            for category, tokens in position_parts(projection, at).items():
                left[category] -= tokens
            left[Category.TOOL_RESULTS] += line.pruned_tokens[at]
        dropped = sum(self.left.values()) - sum(left.values())
        return replace(self, left=left, dropped=dropped, emptied=len(emptied))


def brings_nothing(before: Breakdown, after: Breakdown) -> bool:
    """Whether a compaction saves less than a hundredth of the context, or makes it larger."""
    whole, left = before.total.value or 0, after.total.value or 0
    return (whole - left) * 100 < max(whole, 1)


def forecast_of(projection: Projection, plan: Plan, summary: int, window: int | None = None) -> Forecast:
    """`projection` is that of the plan's parent; `summary` is estimated, for it is not written yet."""
    left = parts_after(projection, plan)
    pinned, staying = _tokens(projection, plan.pinned), sum(left.values())
    there = sum(message_parts(projection).values())
    return Forecast(
        window,
        calibration_of(projection),
        left,
        summary,
        summarised=there - staying,
        pinned=pinned,
        kept=staying - pinned,
    )


def resummarised(projection: Projection, compaction: int, summary: int, window: int | None = None) -> Breakdown:
    """The breakdown right after a compaction, with a summary of this size instead of its own."""
    parts = message_parts(projection)
    parts[Category.SUMMARIES] += summary - projection.tree.tokens(compaction)
    return carried(estimated_breakdown(parts, window), calibration_of(projection))


def _tokens(projection: Projection, entries: Sequence[int]) -> int:
    """What these entries add to the context."""
    position = projection.line.position
    return sum(sum(position_parts(projection, position(entry)).values()) for entry in entries)
