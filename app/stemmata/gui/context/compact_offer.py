"""What a compaction offers, as the preview shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stemmata.domain.compaction.forecast import Forecast
from stemmata.domain.compaction.prune import PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.path_totals import Line
from stemmata.domain.entries.tokens import Figure
from stemmata.services.compaction.compaction import Preview

LEAST_PERCENT = 5  # of the context that a compaction has to save to be offered as the thing to do


@dataclass(frozen=True, slots=True)
class Offer:
    """`prune` is the pruning that goes first when it is wanted; the forecast counts it in.

    What is shown of it is a figure at the scale of the context, whatever it is of.
    """

    preview: Preview
    forecast: Forecast
    prune: PrunePlan | None

    @property
    def before(self) -> Breakdown:
        return self.preview.before

    @property
    def after(self) -> Breakdown:
        return self.forecast.after

    @property
    def summary(self) -> Figure:
        return self.figure(self.forecast.summary)

    @property
    def kept(self) -> Figure:
        return self.figure(self.forecast.kept)

    @property
    def pinned(self) -> Figure:
        return self.figure(self.forecast.pinned)

    @property
    def dropped(self) -> Figure:
        """Of what is kept, the tool results that the pruning leaves out."""
        return self.figure(self.forecast.dropped)

    @property
    def replaced(self) -> Figure:
        """Of what the summary stands for; an earlier summary is in it."""
        return self.figure(self.forecast.summarised)

    @property
    def pruning(self) -> tuple[Figure, Figure] | None:
        """The tool results before and after the pruning that could go first."""
        return None if self.prune is None else (self.figure(self.prune.before), self.figure(self.prune.after))

    @property
    def most_kept(self) -> int:
        """The most tokens there are to keep: what is in the context, and no more than fits the window."""
        there = self.forecast.scaled(self.forecast.kept + self.forecast.summarised)
        return there if self.before.window is None else min(there, self.before.window)

    @property
    def summarised(self) -> int:
        """Number of entries that go into the summary."""
        return len(self.preview.plan.summarised) + len(self.preview.plan.turn_prefix)

    def figure(self, tokens: int) -> Figure:
        """An estimate as it is shown."""
        return Figure.estimated(self.forecast.scaled(tokens))

    @property
    def is_worth_it(self) -> bool:
        """Whether the context would become smaller by more than a rounding."""
        return self.saved_percent is None or self.saved_percent >= LEAST_PERCENT

    @property
    def saved_percent(self) -> int | None:
        before, after = self.before.total.value, self.after.total.value
        return None if not before or after is None else round(100 * (before - after) / before)


def offer_of(preview: Preview, prune: PrunePlan | None, line: Line, *, prune_first: bool) -> Offer:
    """`line`: one that the plan's entries lie on."""
    forecast, plan = preview.forecast, preview.plan
    if prune is not None and prune_first:
        forecast = forecast.with_pruned(context_at(line.tree, plan.parent, line), plan, prune.pruned)
    return Offer(preview, forecast, prune)


def with_summary(offer: Offer, tokens: int) -> Offer:
    """The offer once its summary is written: with the estimated size it has, not the one that was assumed."""
    preview = replace(offer.preview, forecast=offer.preview.forecast.with_summary(tokens))
    return replace(offer, preview=preview, forecast=offer.forecast.with_summary(tokens))
