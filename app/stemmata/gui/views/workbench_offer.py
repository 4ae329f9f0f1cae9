"""What a compaction offers, as the preview shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stemmata.domain.breakdown import Breakdown
from stemmata.domain.line import Category, Line
from stemmata.domain.prune import PrunePlan
from stemmata.domain.tokens import Figure
from stemmata.services.compaction import Preview

LEAST_PERCENT = 5  # of the context that a compaction has to save to be offered as the thing to do


@dataclass(frozen=True, slots=True)
class Offer:
    """`prune` is the pruning that goes first when it is wanted, `after` counts it in. Tokens are estimates."""

    preview: Preview
    after: Breakdown
    prune: PrunePlan | None
    kept_tokens: int
    summarised_tokens: int
    pinned_tokens: int
    emptied: int = 0  # kept tool results that the pruning leaves out
    emptied_tokens: int = 0

    @property
    def most_kept(self) -> int:
        """The most tokens there are to keep: what is in the context, and no more than fits the window."""
        there = self.kept_tokens + self.summarised_tokens
        return there if self.before.window is None else min(there, self.before.window)

    @property
    def before(self) -> Breakdown:
        return self.preview.before

    @property
    def summarised(self) -> int:
        """Number of entries that go into the summary."""
        return len(self.preview.plan.summarised) + len(self.preview.plan.turn_prefix)

    def scaled(self, tokens: int) -> int:
        """An estimate at the scale of the figures afterwards."""
        return round(tokens * self.after.factor)

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
    plan = preview.plan
    emptied = sorted(set(plan.kept) & set(prune.pruned)) if prune is not None and prune_first else []
    tokens, position = line.tokens, line.position
    saved = sum(tokens[position(entry)] - line.pruned_tokens[position(entry)] for entry in emptied)
    return Offer(
        preview,
        _pruned(preview.after, saved),
        prune,
        kept_tokens=sum(tokens[position(entry)] for entry in plan.kept),
        summarised_tokens=sum(tokens[position(entry)] for entry in (*plan.summarised, *plan.turn_prefix)),
        pinned_tokens=sum(tokens[position(entry)] for entry in plan.pinned),
        emptied=len(emptied),
        emptied_tokens=saved,
    )


def with_summary(offer: Offer, tokens: int) -> Offer:
    """The offer once its summary is written: with the size it has, not the one that was assumed."""
    more = offer.scaled(tokens) - offer.scaled(offer.preview.summary_tokens)
    preview = replace(offer.preview, after=_grown(offer.preview.after, more), summary_tokens=tokens)
    return replace(offer, preview=preview, after=_grown(offer.after, more))


def _grown(after: Breakdown, more: int) -> Breakdown:
    summaries, total = after.categories[Category.SUMMARIES], after.total
    categories = after.categories | {Category.SUMMARIES: replace(summaries, value=(summaries.value or 0) + more)}
    return replace(after, categories=categories, total=replace(total, value=(total.value or 0) + more))


def _pruned(after: Breakdown, saved: int) -> Breakdown:
    """The breakdown afterwards, with so many tokens of kept tool results taken out."""
    saved = round(saved * after.factor)
    categories = dict(after.categories)
    for category in (Category.TOOL_RESULTS, Category.IMAGES):
        share = min(saved, categories[category].value or 0)
        categories[category] = Figure.estimated((categories[category].value or 0) - share)
        saved -= share
    total = sum(figure.value or 0 for figure in categories.values())
    return replace(after, categories=categories, total=Figure(total, after.total.kind))
