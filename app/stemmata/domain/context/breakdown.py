"""The breakdown of the context at an entry: its tokens by category and by item, each figure with how it is known.

The total is computed as in pi: the last usable report on the path, plus estimates of the entries sent after it. A
report before the last compaction or pruning is stale and not used. When the total has a report, the estimates of the
parts are scaled so that they add up to it. The system prompt and tool definitions are estimated as the tokens that
the first report of the session has beyond its messages.

So a context has one scale: the tokens of the system part, and a factor for all estimates. Every figure shown for the
context (its parts, its entries, the result of a compaction or pruning) is an estimate at that scale. The window shows
`displayed_breakdown`: when the last report is stale, it uses the scale of the context right before the report became
stale. `breakdown_of` is pi's arithmetic: without a usable report, the total counts only the messages.
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
from stemmata.domain.entries.path_totals import Category, Emission, PathTotals
from stemmata.domain.entries.tokens import UNKNOWN, Figure, FigureKind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings as CompactionSettings

MINIMUM_USABLE = 0.4  # part of a window that stays usable; a fixed reserve could take all of a small window
LEFT_SHARE = 2  # an automatic compaction leaves at most 1/2 of the trigger, so that it lasts for many turns
LEAST_GROWTH_SHARE = 8  # 1/8 of the trigger must be added after a compaction before the next automatic one


@dataclass(frozen=True, slots=True)
class Budget:
    """The token limits of a context. When `window` is None (unknown), no compaction is due and no request blocked."""

    window: int | None
    reserve: int
    trigger: int | None

    @classmethod
    def of(cls, window: int | None, settings: CompactionSettings, *, gateway: bool = False) -> Budget:
        """Return the budget: trigger = min(window × threshold, window − reserve); small windows reserve less.

        `gateway` is true for sessions of a gateway, whose reserve is at least `reserve_floor`.
        """
        reserve = max(settings.reserve_tokens, settings.reserve_floor) if gateway else settings.reserve_tokens
        if window is None:
            return cls(None, reserve, None)
        reserve = min(reserve, int(window * (1 - MINIMUM_USABLE)))
        trigger = min(window * settings.threshold_percent // 100, window - reserve)
        return cls(window, reserve, max(trigger, int(window * MINIMUM_USABLE)))

    def is_due(self, tokens: int | None) -> bool:
        """Return whether a context of this size must be compacted: when it is larger than the trigger."""
        return self.trigger is not None and tokens is not None and tokens > self.trigger

    def part_left(self, fixed: int = 0) -> int | None:
        """Return the most tokens that a compaction may leave in its summary, and as many again in the kept entries.

        Together with `fixed`, the tokens of system prompt and tool definitions, both take half of the trigger, but
        each at least an eighth. None when the window is unknown.
        """
        if self.trigger is None:
            return None
        return max((self.trigger // LEFT_SHARE - fixed) // 2, self.least_growth)

    @property
    def least_growth(self) -> int:
        """Tokens that must be added after a compaction before the next automatic one; 0 for an unknown window.

        Without this, a context whose fixed part alone exceeds the trigger would be compacted after every reply.
        """
        return 0 if self.trigger is None else self.trigger // LEAST_GROWTH_SHARE


LARGEST = 8
FEW = 4  # a context shorter than 1/4 of its path is searched directly, not by the ranking of the whole path
MESSAGE_CATEGORIES: tuple[Category, ...] = tuple(
    c for c in Category if c not in (Category.SYSTEM, Category.TOOL_DEFINITIONS)
)


@dataclass(frozen=True, slots=True)
class Item:
    """An entry and the estimated tokens that it adds to the context, before `Breakdown.scaled`."""

    entry: int
    category: Category
    tokens: int


class ScaleBasis(IntEnum):
    """The basis of a breakdown's scale."""

    REPORT = 0  # the last report on the path
    CARRIED = 1  # the last report is stale; the scale is that of the context right before it became stale
    MESSAGES = 2  # no report; the total is the estimate of the messages

    @property
    def text(self) -> str:
        """The word used in JSON."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The tokens of a context by category. Estimates were multiplied by `factor`, 1.0 when nothing was reported."""

    total: Figure
    window: int | None
    categories: dict[Category, Figure]
    largest: tuple[Item, ...]
    factor: float = 1.0
    basis: ScaleBasis = ScaleBasis.MESSAGES

    def scaled(self, tokens: int) -> int:
        """Return estimated tokens of one or more entries at the scale of this breakdown."""
        return round(tokens * self.factor)

    @property
    def free(self) -> int | None:
        """Tokens of the window that are free, None when the window or the total is unknown."""
        if self.window is None or self.total.value is None:
            return None
        return max(0, self.window - self.total.value)


def breakdown_of(projection: Projection, window: int | None = None) -> Breakdown:
    """Return the breakdown of the projection as pi counts: without a usable report it counts only the messages."""
    parts = message_parts(projection)
    report = last_report(projection)
    largest = largest_items(projection)
    if report is None:
        return replace(estimated_breakdown(parts, window), largest=largest)
    total = _total_since(projection, report)
    system, parts, factor = scaled_to_total(parts, total.value or 0, overhead_of(projection.path_totals))
    return Breakdown(total, window, _estimated(parts, system), largest, factor, ScaleBasis.REPORT)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scale of a context: the tokens of the system part, and the factor for estimates."""

    system: int
    factor: float

    def total(self, messages: int) -> int:
        """Return the tokens of a context whose messages are estimated at `messages` tokens."""
        return self.system + round(messages * self.factor)


def displayed_breakdown(projection: Projection, window: int | None = None) -> Breakdown:
    """Return the breakdown at the scale of the context, as the window shows it."""
    found = breakdown_of(projection, window)
    return found if found.basis is ScaleBasis.REPORT else at_scale(found, calibration_of(projection))


def calibration_of(projection: Projection) -> Calibration | None:
    """Return the scale of the context, None before the first report.

    When a compaction or pruning made the last report stale, this is the scale of the context right before it.
    """
    path_totals = projection.path_totals
    if not bisect_left(path_totals.reports, projection.end):
        return None
    here = projection
    while (report := last_report(here)) is None:  # ends, since a report exists above the entry that made it stale
        here = context_at(path_totals.tree, path_totals.path[_stale_before(here) - 1], path_totals)
    total = _total_since(here, report).value or 0
    system, _, factor = scaled_to_total(message_parts(here), total, overhead_of(path_totals))
    return Calibration(system, factor)


def at_scale(breakdown: Breakdown, known: Calibration | None) -> Breakdown:
    """Return a breakdown that has no report, brought to a known scale; unchanged when `known` is None.

    Every figure stays an estimate.
    """
    if known is None:
        return breakdown
    found = {category: breakdown.categories[category].value or 0 for category in MESSAGE_CATEGORIES}
    total = known.total(sum(found.values()))
    system, parts, _ = scaled_to_total(found, total, known.system)
    return Breakdown(
        Figure.estimated(total),
        breakdown.window,
        _estimated(parts, system),
        breakdown.largest,
        known.factor,
        ScaleBasis.CARRIED,
    )


def estimated_breakdown(parts: dict[Category, int], window: int | None) -> Breakdown:
    """Return a breakdown made only of estimates: the system part is unknown, the total counts the messages."""
    return Breakdown(Figure.estimated(sum(parts.values())), window, _estimated(parts), ())


def message_parts(projection: Projection) -> dict[Category, int]:
    """Return the estimated tokens of the entries that are sent, by category."""
    path_totals, start = projection.path_totals, 0
    parts: dict[Category, int] = dict.fromkeys(MESSAGE_CATEGORIES, 0)
    if projection.compaction is not None:
        parts[Category.SUMMARIES] += path_totals.tokens[projection.compaction]
        start = projection.first_kept
        for at in projection.pinned:
            for category, tokens in position_parts(projection, at).items():
                parts[category] += tokens
    for category in MESSAGE_CATEGORIES:
        parts[category] += path_totals.between(category, start, projection.end)
    if projection.prune_end > start:
        subtract_pruned(projection, start, parts)
    subtract_omitted(projection, start, parts)
    return parts


def subtract_omitted(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Subtract the tokens that the user left out or shortened, from position `start` on, from the parts."""
    for at in projection.omissions:
        if at >= start:
            for category, tokens in _whole_parts(projection, at).items():
                parts[category] -= tokens
            for category, tokens in position_parts(projection, at).items():
                parts[category] += tokens


def subtract_pruned(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Subtract the tokens of pruned results, from position `start` on, from the parts; their tools' names remain."""
    for category, sums in projection.path_totals.spared.items():
        parts[category] -= sums[max(start, projection.prune_end)] - sums[start]


def position_parts(projection: Projection, at: int) -> dict[Category, int]:
    """Return the tokens that one entry adds, by category: none when it is withheld, the tool's name when pruned."""
    omission, parts = projection.omissions.get(at), _whole_parts(projection, at)
    if omission is None:
        return parts
    if omission == OUT:
        return {}
    text = max(parts, key=parts.__getitem__, default=None)  # the longest part is shortened; images stay whole
    return parts if text in (None, Category.IMAGES) else parts | {text: min(parts[text], CUT_TOKENS)}


def _whole_parts(projection: Projection, at: int) -> dict[Category, int]:
    """Return the tokens that one entry adds, by category, as if the user had left nothing out."""
    path_totals = projection.path_totals
    if path_totals.emissions[at] == Emission.WITHHELD:
        return {}
    if at < projection.prune_end and path_totals.roles[at] == Role.TOOL_RESULT:
        return {Category.TOOL_RESULTS: path_totals.pruned_tokens[at]}
    if path_totals.emissions[at] == Emission.SUMMARY:
        return {Category.SUMMARIES: path_totals.tokens[at]}
    return {category: share[at] for category, share in path_totals.shares.items() if share[at]}


def last_report(projection: Projection) -> int | None:
    """Return the position of the last report after the last compaction, pruning and omission; None without one."""
    reports = projection.path_totals.reports
    count = bisect_left(reports, projection.end)
    return reports[count - 1] if count and reports[count - 1] >= _stale_before(projection) else None


def _stale_before(projection: Projection) -> int:
    """Return the position of the last compaction, pruning or omission, 0 without one. Earlier reports are stale."""
    floor = projection.compaction or 0
    if projection.prune_end:
        floor = max(floor, projection.path_totals.kinds.rfind(Kind.TOOL_PRUNE, 0, projection.end))
    return max(floor, projection.path_totals.kinds.rfind(Kind.OMISSION, 0, projection.end))


def _total_since(projection: Projection, report: int) -> Figure:
    """Return the context reported at a position plus the estimates of the messages sent after it."""
    path_totals = projection.path_totals
    reported = path_totals.tree.columns.reported[path_totals.path[report]]
    emissions, tokens = path_totals.emissions, path_totals.tokens
    after = sum(tokens[at] for at in range(report + 1, projection.end) if emissions[at] == Emission.MESSAGE)
    figure = Figure.reported(reported)
    return figure + Figure.estimated(after) if after else figure


def overhead_of(path_totals: PathTotals) -> int:
    """Return the tokens of system prompt and tool definitions: those of the first report beyond its messages.

    0 without a report, and when a compaction precedes the first report.
    """
    if not path_totals.reports:
        return 0
    first = path_totals.reports[0]
    if path_totals.kinds.rfind(Kind.COMPACTION, 0, first) >= 0:  # the report does not cover all messages of the path
        return 0
    sent = sum(path_totals.between(category, 0, first + 1) for category in MESSAGE_CATEGORIES)
    return max(0, path_totals.tree.columns.reported[path_totals.path[first]] - sent)


def scaled_to_total(parts: dict[Category, int], total: int, overhead: int) -> tuple[int, dict[Category, int], float]:
    """Return the system part, the scaled message parts and their factor, so that all add up to a reported total.

    Rounding differences go to the largest part. When the messages have no tokens, the system part is the total.
    """
    estimate = sum(parts.values())
    if not estimate:
        return total, parts, 1.0
    # an overhead of more than the total is reduced in the same proportion as the messages
    system = overhead if overhead < total else total * overhead // (overhead + estimate)
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
    """Return the entries that add most to the context, largest first; equal ones in the order of the path."""
    start = 0 if projection.compaction is None else projection.first_kept
    positions = [*_largest_between(projection, start, count), *projection.pinned]
    if projection.compaction is not None:
        positions.append(projection.compaction)
    items = [_item(projection, at) for at in dict.fromkeys(positions)]
    return tuple(nlargest(count, items, key=lambda item: (item.tokens, -item.entry)))


def largest_of(projection: Projection, category: Category, count: int = LARGEST) -> tuple[Item, ...]:
    """Return the largest entries of one category, largest first; equal ones in the order of the path.

    `tokens` of an item are the estimated tokens that the entry adds to this category, not scaled.
    """
    path_totals, start = projection.path_totals, 0 if projection.compaction is None else projection.first_kept
    shares, prune_end, result = path_totals.shares[category], projection.prune_end, int(Role.TOOL_RESULT)

    def size(at: int) -> int:
        if at == projection.compaction or (
            at < prune_end and path_totals.roles[at] == result and path_totals.sent[at]
        ):
            return position_parts(projection, at).get(category, 0)
        return position_parts(projection, at).get(category, 0) if at in projection.omissions else shares[at]

    extra = projection.pinned if projection.compaction is None else (projection.compaction, *projection.pinned)
    kept = nlargest(count, (at for at in range(start, projection.end) if at != projection.compaction), key=size)
    found = nlargest(count, (at for at in (*kept, *extra) if size(at)), key=lambda at: (size(at), -at))
    return tuple(Item(path_totals.path[at], category, size(at)) for at in found)


def _largest_between(projection: Projection, start: int, count: int) -> list[int]:
    """Return the positions of the largest sent entries from `start` on, without pruned results, which are small."""
    path_totals, end, prune_end, result = (
        projection.path_totals,
        projection.end,
        projection.prune_end,
        int(Role.TOOL_RESULT),
    )
    if (end - start) * FEW < end:
        roles, emissions, message = path_totals.roles, path_totals.emissions, int(Emission.MESSAGE)
        inside = (at for at in range(start, end) if emissions[at] == message)
        return nlargest(
            count, (at for at in inside if at >= prune_end or roles[at] != result), key=path_totals.tokens.__getitem__
        )
    found: list[int] = []
    for at in path_totals.ranked:
        if start <= at < end and not (at < prune_end and path_totals.roles[at] == result):
            found.append(at)
            if len(found) == count:
                break
    return found


def _item(projection: Projection, at: int) -> Item:
    parts = position_parts(projection, at)
    entry = projection.path_totals.path[at]
    if not parts:
        return Item(entry, Category.USER, 0)
    return Item(entry, max(parts, key=lambda category: parts[category]), sum(parts.values()))


class Sizes(NamedTuple):
    """The size of the context before and after a compaction."""

    before: Figure
    after: Figure


def sizes_at(path_totals: PathTotals, position: int) -> Sizes:
    """Return the sizes before and after the compaction at a position of the path."""
    tree, entry = path_totals.tree, path_totals.path[position]
    above = path_totals.path[position - 1] if position else None
    before = displayed_breakdown(context_at(tree, above, path_totals)).total
    return Sizes(
        stored_size_before(tree, entry, before), displayed_breakdown(context_at(tree, entry, path_totals)).total
    )


def stored_size_before(tree: Tree, entry: int, computed: Figure = UNKNOWN) -> Figure:
    """Return the size that is stored with a compaction as the size before it, else the computed size.

    A stored size equal to the computed one keeps the kind of the computed one. Any other stored size is an estimate
    when Stemmata made the compaction, and reported when the source did, which got it from its provider.
    """
    noted = tree.columns.reported[entry]
    if noted <= 0 or noted == computed.value:
        return computed
    return Figure.estimated(noted) if tree.columns.flags[entry] & Flag.OWN else Figure.reported(noted)


def figure(value: Figure) -> dict[str, Any]:
    """Return the figure as data for JSON."""
    return {"value": value.value, "kind": value.kind.text}


def breakdown(value: Breakdown, id_of: Callable[[int], str]) -> dict[str, Any]:
    """Return the breakdown as data for JSON. `id_of` returns the source's id of an entry by its index.

    The tokens of `largest` are not scaled; multiply them by `factor`.
    """
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
