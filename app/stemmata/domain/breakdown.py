"""What the context at an entry consists of, by category and by item, each figure marked with how it is known.

The total follows pi: the last usable report on the path plus estimates of what came after it. A report older than
the last compaction or pruning is stale and is not used. Where the total is reported, the estimates of the parts are
scaled so that they meet it, and what the first reply of the session had beyond its messages is taken for the system
prompt and the tool definitions; where it is not, the system part is unknown and the total counts messages alone.
`carried` brings such a breakdown to the scale of the last report, so that it can stand beside a reported one.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from heapq import nlargest

from stemmata.domain.context import Projection, context_at
from stemmata.domain.entries import Kind, Role
from stemmata.domain.line import Category, Emission, Line
from stemmata.domain.tokens import UNKNOWN, Figure, FigureKind

LARGEST = 8
MESSAGE_CATEGORIES: tuple[Category, ...] = tuple(
    c for c in Category if c not in (Category.SYSTEM, Category.TOOL_DEFINITIONS)
)


@dataclass(frozen=True, slots=True)
class Item:
    """An entry and what it adds to the context. `tokens` are estimated, not scaled."""

    entry: int
    category: Category
    tokens: int


@dataclass(frozen=True, slots=True)
class Breakdown:
    """`factor` is what the estimates were multiplied by to meet the total; 1.0 when nothing was reported."""

    total: Figure
    window: int | None
    categories: dict[Category, Figure]
    largest: tuple[Item, ...]
    factor: float = 1.0

    @property
    def free(self) -> int | None:
        """Tokens of the window that are left, None when either is unknown."""
        if self.window is None or self.total.value is None:
            return None
        return max(0, self.window - self.total.value)


def breakdown_of(projection: Projection, window: int | None = None) -> Breakdown:
    """The breakdown of the projection's context."""
    parts = message_parts(projection)
    report = last_report(projection)
    largest = largest_items(projection)
    if report is None:
        return replace(estimated_breakdown(parts, window), largest=largest)
    total = _total_since(projection, report)
    system, parts, factor = scaled(parts, total.value or 0, overhead_of(projection.line))
    categories = _estimated(parts)
    if system:
        categories[Category.SYSTEM] = Figure.estimated(system)
    return Breakdown(total, window, categories, largest, factor)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a report tells of later contexts: tokens beside the messages, and the factor of estimates."""

    system: int
    factor: float

    def total(self, messages: int) -> int:
        """Of a context with so many estimated tokens of messages."""
        return self.system + round(messages * self.factor)


def seen_breakdown(projection: Projection, window: int | None = None) -> Breakdown:
    """The breakdown as the window shows it: where no report is left, at the scale of the last there was."""
    found = breakdown_of(projection, window)
    return found if last_report(projection) is not None else carried(found, calibration_of(projection))


def calibration_of(projection: Projection) -> Calibration | None:
    """By the last report on the path, stale or not; None where nothing was reported yet."""
    line, end = projection.line, projection.end
    count = bisect_left(line.reports, end)
    return calibration_at(line, line.reports[count - 1]) if count else None


def calibration_at(line: Line, report: int) -> Calibration:
    """By the report at this position."""
    entry = line.path[report]
    parts = message_parts(context_at(line.tree, entry, line))
    system, _, factor = scaled(parts, line.tree.columns.reported[entry], overhead_of(line))
    return Calibration(system, factor)


def carried(breakdown: Breakdown, known: Calibration | None) -> Breakdown:
    """A breakdown that no report stands behind, at the scale of the last one: system part and factor.

    Every figure stays an estimate; without any report nothing is known, and nothing changed.
    """
    if known is None:
        return breakdown
    found = {category: breakdown.categories[category].value or 0 for category in MESSAGE_CATEGORIES}
    total = known.total(sum(found.values()))
    system, parts, _ = scaled(found, total, known.system)
    categories = _estimated(parts)
    if system:
        categories[Category.SYSTEM] = Figure.estimated(system)
    return replace(breakdown, total=Figure.estimated(total), categories=categories, factor=known.factor)


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
    return parts


def subtract_pruned(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Take the pruned results from this position on out of the parts, and put their tools' names in."""
    for category, sums in projection.line.spared.items():
        parts[category] -= sums[max(start, projection.prune_end)] - sums[start]


def position_parts(projection: Projection, at: int) -> dict[Category, int]:
    """What one entry adds, by category: nothing when it is withheld, a pruned result only its tool's name."""
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
    reports, end = projection.line.reports, projection.end
    floor = -1 if projection.compaction is None else projection.compaction
    if projection.prune_end:
        floor = max(floor, projection.line.kinds.rfind(Kind.TOOL_PRUNE, 0, end))
    count = bisect_left(reports, end)
    return reports[count - 1] if count and reports[count - 1] > floor else None


def _total_since(projection: Projection, report: int) -> Figure:
    """Reported context at a position plus estimates of the messages after it, those pi lists."""
    line = projection.line
    reported = line.tree.columns.reported[line.path[report]]
    emissions, tokens = line.emissions, line.tokens
    sent = (Emission.MESSAGE, Emission.WITHHELD)
    after = sum(tokens[at] for at in range(report + 1, projection.end) if emissions[at] in sent)
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
    system = min(overhead, total)
    factor = (total - system) / estimate
    out = {category: round(tokens * factor) for category, tokens in parts.items()}
    largest = max(out, key=out.__getitem__)
    out[largest] += total - system - sum(out.values())
    return system, out, factor


def _estimated(parts: dict[Category, int]) -> dict[Category, Figure]:
    figures = {category: Figure(parts[category], FigureKind.ESTIMATED) for category in MESSAGE_CATEGORIES}
    return {Category.SYSTEM: UNKNOWN, Category.TOOL_DEFINITIONS: UNKNOWN} | figures


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
        return shares[at]

    extra = projection.pinned if projection.compaction is None else (projection.compaction, *projection.pinned)
    kept = nlargest(count, (at for at in range(start, projection.end) if at != projection.compaction), key=size)
    found = nlargest(count, (at for at in (*kept, *extra) if size(at)), key=lambda at: (size(at), -at))
    return tuple(Item(line.path[at], category, size(at)) for at in found)


def _largest_between(projection: Projection, start: int, count: int) -> list[int]:
    """Positions of the largest sent entries from `start` on; pruned results are small and come last."""
    line, end, prune_end, result = projection.line, projection.end, projection.prune_end, int(Role.TOOL_RESULT)
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
