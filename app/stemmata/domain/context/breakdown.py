"""What the context at an entry consists of, by category and by item, each figure marked with how it is known.

The total follows pi: the last usable report on the path plus estimates of what was added since and is sent. A
report older than the last compaction or pruning is stale and is not used. Where a report stands behind the total, the
estimates of the parts are scaled so that they meet it, and what the first reply of the session had beyond its
messages is taken for the system prompt and the tool definitions.

A context has one scale, system part and factor: every figure that is shown of it, of its parts and its entries, of
what a compaction or a pruning would leave of it, is an estimate at that scale. `seen_breakdown` is the one rule for
what people are shown: where no report is left, the scale is that of the context right before it became stale.
`breakdown_of` is pi's arithmetic, where such a total counts the messages alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from heapq import nlargest
from typing import Any, NamedTuple

from stemmata.domain.context.projection import CUT_TOKENS, OUT, Projection, context_at
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import Category, Emission, Line
from stemmata.domain.entries.tokens import UNKNOWN, Figure, FigureKind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings as CompactionSettings

MINIMUM_USABLE = 0.4  # of any window: fixed reserves would leave small local models with nothing
LEFT_SHARE = 2  # an automatic compaction leaves at most one part in so many of the trigger, so that it lasts a while
LEAST_GROWTH_SHARE = 8  # of the trigger: what has to be added since a compaction before the next automatic one
GATEWAY_RESERVE_FLOOR = 20000  # sessions that came from a gateway (OpenClaw raises pi's reserve to this)


@dataclass(frozen=True, slots=True)
class Budget:
    """`window` in tokens, None when unknown: then nothing is ever due and nothing is blocked."""

    window: int | None
    reserve: int
    trigger: int | None

    @classmethod
    def of(cls, window: int | None, settings: CompactionSettings, *, gateway: bool = False) -> Budget:
        """Trigger = min(window × threshold, window − reserve); the reserve shrinks with small windows."""
        reserve = max(settings.reserve_tokens, GATEWAY_RESERVE_FLOOR) if gateway else settings.reserve_tokens
        if window is None:
            return cls(None, reserve, None)
        reserve = min(reserve, int(window * (1 - MINIMUM_USABLE)))
        trigger = min(window * settings.threshold_percent // 100, window - reserve)
        return cls(window, reserve, max(trigger, int(window * MINIMUM_USABLE)))

    def is_due(self, tokens: int | None) -> bool:
        """Whether a context of this size calls for compaction: strictly above the trigger."""
        return self.trigger is not None and tokens is not None and tokens > self.trigger

    def part_left(self, fixed: int = 0) -> int | None:
        """Most tokens of the summary that a compaction leaves, and most of the entries kept word for word beside it.

        With `fixed`, the tokens of system prompt and tool definitions, both together take half of the trigger; never
        less than an eighth of the trigger each. None when the window is unknown.
        """
        if self.trigger is None:
            return None
        return max((self.trigger // LEFT_SHARE - fixed) // 2, self.least_growth)

    @property
    def least_growth(self) -> int:
        """Tokens that have to be added behind a compaction before the next automatic one; 0 for an unknown window.

        Else a context whose fixed part alone is beyond the trigger would be compacted behind every reply.
        """
        return 0 if self.trigger is None else self.trigger // LEAST_GROWTH_SHARE


LARGEST = 8
FEW = 4  # a context of less than this part of its path is looked through by itself, not by rank on the path
MESSAGE_CATEGORIES: tuple[Category, ...] = tuple(
    c for c in Category if c not in (Category.SYSTEM, Category.TOOL_DEFINITIONS)
)


@dataclass(frozen=True, slots=True)
class Item:
    """An entry and what it adds to the context, estimated: `Breakdown.scaled` brings it to the scale."""

    entry: int
    category: Category
    tokens: int


class Basis(IntEnum):
    """What the scale of a breakdown rests on. `text` is the word used in JSON."""

    REPORT = 0  # a report stands behind the total
    CARRIED = 1  # it is stale: the scale is that of the context right before
    MESSAGES = 2  # none: estimates of the messages alone

    @property
    def text(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Breakdown:
    """`factor` is what the estimates were multiplied by to meet the total; 1.0 when nothing was reported."""

    total: Figure
    window: int | None
    categories: dict[Category, Figure]
    largest: tuple[Item, ...]
    factor: float = 1.0
    basis: Basis = Basis.MESSAGES

    def scaled(self, tokens: int) -> int:
        """An estimate, of an entry or of several, at the scale of this breakdown."""
        return round(tokens * self.factor)

    @property
    def free(self) -> int | None:
        """Tokens of the window that are left, None when either is unknown."""
        if self.window is None or self.total.value is None:
            return None
        return max(0, self.window - self.total.value)


def breakdown_of(projection: Projection, window: int | None = None) -> Breakdown:
    """The breakdown of the projection's context, as pi counts: without a report its messages alone."""
    parts = message_parts(projection)
    report = last_report(projection)
    largest = largest_items(projection)
    if report is None:
        return replace(estimated_breakdown(parts, window), largest=largest)
    total = _total_since(projection, report)
    system, parts, factor = scaled(parts, total.value or 0, overhead_of(projection.line))
    return Breakdown(total, window, _estimated(parts, system), largest, factor, Basis.REPORT)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scale of a context: tokens beside the messages, and the factor of estimates."""

    system: int
    factor: float

    def total(self, messages: int) -> int:
        """Of a context with so many estimated tokens of messages."""
        return self.system + round(messages * self.factor)


def seen_breakdown(projection: Projection, window: int | None = None) -> Breakdown:
    """The breakdown at the scale of the context: what people are shown."""
    found = breakdown_of(projection, window)
    return found if found.basis is Basis.REPORT else carried(found, calibration_of(projection))


def calibration_of(projection: Projection) -> Calibration | None:
    """The scale of the context; where a compaction or a pruning made the last report stale, that of right before it.

    None where nothing was reported yet.
    """
    line = projection.line
    if not bisect_left(line.reports, projection.end):
        return None
    here = projection
    while (report := last_report(here)) is None:  # it is above what made it stale, so there is a position left
        here = context_at(line.tree, line.path[_stale_before(here) - 1], line)
    total = _total_since(here, report).value or 0
    system, _, factor = scaled(message_parts(here), total, overhead_of(line))
    return Calibration(system, factor)


def carried(breakdown: Breakdown, known: Calibration | None) -> Breakdown:
    """A breakdown that no report stands behind, at a scale that is known: system part and factor.

    Every figure stays an estimate; without any report nothing is known, and nothing changed.
    """
    if known is None:
        return breakdown
    found = {category: breakdown.categories[category].value or 0 for category in MESSAGE_CATEGORIES}
    total = known.total(sum(found.values()))
    system, parts, _ = scaled(found, total, known.system)
    return Breakdown(
        Figure.estimated(total),
        breakdown.window,
        _estimated(parts, system),
        breakdown.largest,
        known.factor,
        Basis.CARRIED,
    )


def estimated_breakdown(parts: dict[Category, int], window: int | None) -> Breakdown:
    """A breakdown of estimates alone: the system part is unknown and the total counts messages."""
    return Breakdown(Figure.estimated(sum(parts.values())), window, _estimated(parts), ())


def message_parts(projection: Projection) -> dict[Category, int]:
    """Estimated tokens of what is sent, by category; what is withheld or summarised is not in it."""
    line, start = projection.line, 0
    parts: dict[Category, int] = dict.fromkeys(MESSAGE_CATEGORIES, 0)
    if projection.compaction is not None:
        parts[Category.SUMMARIES] += line.tokens[projection.compaction]
        start = projection.first_kept
        for at in projection.pinned:
            for category, tokens in position_parts(projection, at).items():
                parts[category] += tokens
    for category in MESSAGE_CATEGORIES:
        parts[category] += line.between(category, start, projection.end)
    if projection.prune_end > start:
        subtract_pruned(projection, start, parts)
    subtract_omitted(projection, start, parts)
    return parts


def subtract_omitted(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Take what a person left out or cut from this position on out of the parts."""
    for at in projection.omissions:
        if at >= start:
            for category, tokens in _whole_parts(projection, at).items():
                parts[category] -= tokens
            for category, tokens in position_parts(projection, at).items():
                parts[category] += tokens


def subtract_pruned(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Take the pruned results from this position on out of the parts, and put their tools' names in."""
    for category, sums in projection.line.spared.items():
        parts[category] -= sums[max(start, projection.prune_end)] - sums[start]


def position_parts(projection: Projection, at: int) -> dict[Category, int]:
    """What one entry adds, by category: nothing when it is withheld, a pruned result only its tool's name."""
    omission, parts = projection.omissions.get(at), _whole_parts(projection, at)
    if omission is None:
        return parts
    if omission == OUT:
        return {}
    text = max(parts, key=parts.__getitem__, default=None)  # what a long entry is long by; images stay whole
    return parts if text in (None, Category.IMAGES) else parts | {text: min(parts[text], CUT_TOKENS)}


def _whole_parts(projection: Projection, at: int) -> dict[Category, int]:
    """The same, were nothing left out by hand."""
    line = projection.line
    if line.emissions[at] == Emission.WITHHELD:
        return {}
    if at < projection.prune_end and line.roles[at] == Role.TOOL_RESULT:
        return {Category.TOOL_RESULTS: line.pruned_tokens[at]}
    if line.emissions[at] == Emission.SUMMARY:
        return {Category.SUMMARIES: line.tokens[at]}
    return {category: share[at] for category, share in line.shares.items() if share[at]}


def last_report(projection: Projection) -> int | None:
    """Position of the last usable report, None when there is none that is younger than compaction and pruning."""
    reports = projection.line.reports
    count = bisect_left(reports, projection.end)
    return reports[count - 1] if count and reports[count - 1] >= _stale_before(projection) else None


def _stale_before(projection: Projection) -> int:
    """Position of the last compaction, pruning or omission in force: reports above it are stale. 0 without one."""
    floor = projection.compaction or 0
    if projection.prune_end:
        floor = max(floor, projection.line.kinds.rfind(Kind.TOOL_PRUNE, 0, projection.end))
    return max(floor, projection.line.kinds.rfind(Kind.OMISSION, 0, projection.end))


def _total_since(projection: Projection, report: int) -> Figure:
    """Reported context at a position plus estimates of what was added after it; what is withheld adds nothing."""
    line = projection.line
    reported = line.tree.columns.reported[line.path[report]]
    emissions, tokens = line.emissions, line.tokens
    after = sum(tokens[at] for at in range(report + 1, projection.end) if emissions[at] == Emission.MESSAGE)
    figure = Figure.reported(reported)
    return figure + Figure.estimated(after) if after else figure


def overhead_of(line: Line) -> int:
    """Tokens of system prompt and tool definitions: what the first report has beyond the messages up to it."""
    if not line.reports:
        return 0
    first = line.reports[0]
    if line.kinds.rfind(Kind.COMPACTION, 0, first) >= 0:  # a compaction came first: nothing can be told
        return 0
    sent = sum(line.between(category, 0, first + 1) for category in MESSAGE_CATEGORIES)
    return max(0, line.tree.columns.reported[line.path[first]] - sent)


def scaled(parts: dict[Category, int], total: int, overhead: int) -> tuple[int, dict[Category, int], float]:
    """System part, message parts and the factor they were multiplied by, adding up to a reported total.

    Rounding goes to the largest part. Where no message weighs anything, all of the total is the system's.
    """
    estimate = sum(parts.values())
    if not estimate:
        return total, parts, 1.0
    system = overhead if overhead < total else total * overhead // (overhead + estimate)  # then all shrinks alike
    factor = (total - system) / estimate
    out = {category: round(tokens * factor) for category, tokens in parts.items()}
    largest = max(out, key=out.__getitem__)
    out[largest] += total - system - sum(out.values())
    return system, out, factor


def _estimated(parts: dict[Category, int], system: int = 0) -> dict[Category, Figure]:
    figures = {category: Figure(parts[category], FigureKind.ESTIMATED) for category in MESSAGE_CATEGORIES}
    unknown = {Category.SYSTEM: Figure.estimated(system) if system else UNKNOWN, Category.TOOL_DEFINITIONS: UNKNOWN}
    return unknown | figures


def largest_items(projection: Projection, count: int = LARGEST) -> tuple[Item, ...]:
    """The entries that add most to the context, largest first; ties in the order of the path."""
    start = 0 if projection.compaction is None else projection.first_kept
    positions = [*_largest_between(projection, start, count), *projection.pinned]
    if projection.compaction is not None:
        positions.append(projection.compaction)
    items = [_item(projection, at) for at in dict.fromkeys(positions)]
    return tuple(nlargest(count, items, key=lambda item: (item.tokens, -item.entry)))


def largest_of(projection: Projection, category: Category, count: int = LARGEST) -> tuple[Item, ...]:
    """The entries that make up one category of the context, largest first; ties in the order of the path.

    `tokens` are what an entry adds to this category, estimated and not scaled.
    """
    line, start = projection.line, 0 if projection.compaction is None else projection.first_kept
    shares, prune_end, result = line.shares[category], projection.prune_end, int(Role.TOOL_RESULT)

    def size(at: int) -> int:
        if at == projection.compaction or (at < prune_end and line.roles[at] == result and line.sent[at]):
            return position_parts(projection, at).get(category, 0)
        return position_parts(projection, at).get(category, 0) if at in projection.omissions else shares[at]

    extra = projection.pinned if projection.compaction is None else (projection.compaction, *projection.pinned)
    kept = nlargest(count, (at for at in range(start, projection.end) if at != projection.compaction), key=size)
    found = nlargest(count, (at for at in (*kept, *extra) if size(at)), key=lambda at: (size(at), -at))
    return tuple(Item(line.path[at], category, size(at)) for at in found)


def _largest_between(projection: Projection, start: int, count: int) -> list[int]:
    """Positions of the largest sent entries from `start` on; pruned results are small and come last."""
    line, end, prune_end, result = projection.line, projection.end, projection.prune_end, int(Role.TOOL_RESULT)
    if (end - start) * FEW < end:
        roles, emissions, message = line.roles, line.emissions, int(Emission.MESSAGE)
        inside = (at for at in range(start, end) if emissions[at] == message)
        return nlargest(
            count, (at for at in inside if at >= prune_end or roles[at] != result), key=line.tokens.__getitem__
        )
    found: list[int] = []
    for at in line.ranked:
        if start <= at < end and not (at < prune_end and line.roles[at] == result):
            found.append(at)
            if len(found) == count:
                break
    return found


def _item(projection: Projection, at: int) -> Item:
    parts = position_parts(projection, at)
    entry = projection.line.path[at]
    if not parts:
        return Item(entry, Category.USER, 0)
    return Item(entry, max(parts, key=lambda category: parts[category]), sum(parts.values()))


class Sizes(NamedTuple):
    before: Figure
    after: Figure


def sizes_at(line: Line, position: int) -> Sizes:
    """Of the compaction at a position of the line."""
    tree, entry = line.tree, line.path[position]
    above = line.path[position - 1] if position else None
    before = seen_breakdown(context_at(tree, above, line)).total
    return Sizes(noted_before(tree, entry, before), seen_breakdown(context_at(tree, entry, line)).total)


def noted_before(tree: Tree, entry: int, computed: Figure = UNKNOWN) -> Figure:
    """What is noted with a compaction as the size before it, else what is computed.

    A note that says the same is known as well as that. Else it is an estimate when we made it, and as good as
    reported when its source did: it had it from its provider.
    """
    noted = tree.columns.reported[entry]
    if noted <= 0 or noted == computed.value:
        return computed
    return Figure.estimated(noted) if tree.columns.flags[entry] & Flag.OWN else Figure.reported(noted)


def figure(value: Figure) -> dict[str, Any]:
    return {"value": value.value, "kind": value.kind.text}


def breakdown(value: Breakdown, id_of: Callable[[int], str]) -> dict[str, Any]:
    """`id_of` gives the source's id of an entry by its index. Times `factor`, the `largest` are at its scale."""
    return {
        "total": figure(value.total),
        "window": value.window,
        "categories": {category.text: figure(part) for category, part in value.categories.items()},
        "largest": [
            {"entry": id_of(item.entry), "category": item.category.text, "tokens": item.tokens}
            for item in value.largest
        ],
        "factor": round(value.factor, 4),
        "basis": value.basis.text,
    }
