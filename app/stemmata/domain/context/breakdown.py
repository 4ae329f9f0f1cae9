"""The breakdown of the context at an entry: its tokens by category and by item, each figure with how it is known.

The total is computed as in pi: the last usable report on the path, plus estimates of the entries sent after it. A
report before the last compaction or pruning is stale and not used. When the total has a report, the estimates of the
parts are scaled so that they add up to it. Where Stemmata sent the request that the report answers, the system prompt
and the tool definitions were measured and stored with the reply, and are scaled like all parts. For other requests
they are inferred: they are the tokens that the first report of the path has beyond its messages.

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

from stemmata.domain.context.projection import CUT_TOKENS, OUT, SUPERSEDED, Projection, context_at
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import FixedParts, Flag, Kind, Role
from stemmata.domain.entries.figures import UNKNOWN, Figure, FigureKind
from stemmata.domain.entries.path_totals import Emission, PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings

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


_MAKES_STALE = bytes(code in (Kind.COMPACTION, Kind.TOOL_PRUNE, Kind.OMISSION, Kind.SKILL) for code in range(256))
LARGEST = 8
UNEXPLAINED = 2  # a report of more than twice the text of its request is not explained by the estimator
SHORT_SHARE = 4  # a context shorter than 1/4 of its path is searched directly, not by the ranking of the whole path
NOT_FIXED = FixedParts(0)  # nothing is known of the parts before the messages
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
    COUNT = 3  # the provider counted the request

    @property
    def text(self) -> str:
        """The basis as a word, as the output in JSON has it."""
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
    def fixed_origin(self) -> str:
        """How the tokens of system prompt and tool definitions are known, a word used in JSON.

        "counted" by the provider; "measured" in the request that Stemmata sent; "inferred" from the first report; or
        "unknown".
        """
        system, tools = self.categories[Category.SYSTEM], self.categories[Category.TOOL_DEFINITIONS]
        if system.kind is FigureKind.COUNTED:
            return "counted"
        if tools.value is not None:
            return "measured"
        return "unknown" if system.value is None else "inferred"

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
    fixed, parts, factor = scaled_to_total(parts, total.value or 0, fixed_at(projection.path_totals, report))
    return Breakdown(total, window, _estimated(parts, fixed), largest, factor, ScaleBasis.REPORT)


@dataclass(frozen=True, slots=True)
class Count:
    """The tokens of a request as its provider counted them.

    `fixed` are the parts before the messages: counted too with `has_parts`, else estimated from their text.
    """

    total: int
    fixed: FixedParts
    has_parts: bool = False


def counted_breakdown(projection: Projection, count: Count, window: int | None = None) -> Breakdown:
    """Return the breakdown of a counted request: the count is the total, and estimates are scaled to add up to it."""
    parts = message_parts(projection)
    if count.has_parts:
        fixed = count.fixed
        parts, factor = filled(parts, count.total, fixed)
    else:
        fixed, parts, factor = scaled_to_total(parts, count.total, count.fixed)
    categories = _estimated(parts, fixed)
    if count.has_parts:
        categories[Category.SYSTEM] = Figure.counted(fixed.system)
        categories[Category.TOOL_DEFINITIONS] = Figure.counted(fixed.tools or 0)
    largest = largest_items(projection)
    return Breakdown(Figure.counted(count.total), window, categories, largest, factor, ScaleBasis.COUNT)


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a context: the tokens of system prompt and tool definitions, and the factor for estimates.

    `tools` is None where the two are not known apart; then `system` holds both.
    """

    system: int
    factor: float
    tools: int | None = None

    @property
    def fixed(self) -> FixedParts:
        """The tokens of the parts before the messages."""
        return FixedParts(self.system, self.tools)

    def total(self, messages: int) -> int:
        """Return the tokens of a context whose messages are estimated at `messages` tokens."""
        return self.fixed.total + round(messages * self.factor)


def displayed_breakdown(projection: Projection, window: int | None = None) -> Breakdown:
    """Return the breakdown at the scale of the context, as the window shows it."""
    found = breakdown_of(projection, window)
    return found if found.basis is ScaleBasis.REPORT else at_scale(found, scale_of(projection))


def scale_of(projection: Projection) -> Scale | None:
    """Return the scale of the context, None before the first report.

    When a compaction or pruning made the last report stale, this is the scale of the context right before it.
    """
    path_totals = projection.path_totals
    if not bisect_left(path_totals.reports, projection.end):
        return None
    here, report = projection, last_report(projection)
    if report is None:
        report = path_totals.reports[bisect_left(path_totals.reports, projection.end) - 1]
        here = context_at(path_totals.tree, path_totals.path[_first_stale(projection, report) - 1], path_totals)
    total = _total_since(here, report).value or 0
    fixed, _, factor = scaled_to_total(message_parts(here), total, fixed_at(path_totals, report))
    return Scale(fixed.system, factor, fixed.tools)


def at_scale(breakdown: Breakdown, known: Scale | None) -> Breakdown:
    """Return a breakdown that has no report, brought to a known scale; unchanged when `known` is None.

    Every figure stays an estimate.
    """
    if known is None:
        return breakdown
    found = {category: breakdown.categories[category].value or 0 for category in MESSAGE_CATEGORIES}
    total = known.total(sum(found.values()))
    parts, _ = filled(found, total, known.fixed)
    return Breakdown(
        Figure.estimated(total),
        breakdown.window,
        _estimated(parts, known.fixed),
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
    parts[Category.SKILLS] += skill_tokens(projection)
    return parts


def skill_tokens(projection: Projection) -> int:
    """Return the estimated tokens of the active skills, which no compaction removes."""
    return sum(projection.path_totals.tokens[at] for at in projection.skills)


def subtract_omitted(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Subtract from `parts` the tokens of entries from position `start` on that the user excluded or cut."""
    for at in projection.omissions:
        if at >= start:
            for category, tokens in _whole_parts(projection, at).items():
                parts[category] -= tokens
            for category, tokens in position_parts(projection, at).items():
                parts[category] += tokens


def subtract_pruned(projection: Projection, start: int, parts: dict[Category, int]) -> None:
    """Subtract the tokens of pruned results, from position `start` on, from the parts; their tools' names remain."""
    for category, sums in projection.path_totals.spared.items():
        parts[category] -= sums.between(start, max(start, projection.prune_end))
        parts[category] += sum(sums.column[at] for at in projection.kept_results if at >= start)


def position_parts(projection: Projection, at: int) -> dict[Category, int]:
    """Return the tokens that one entry adds, by category: none when it is withheld, the tool's name when pruned."""
    if at in projection.skills:
        return {Category.SKILLS: projection.path_totals.tokens[at]}
    return parts_with(projection, at, projection.omissions.get(at))


def parts_with(projection: Projection, at: int, omission: str | None) -> dict[Category, int]:
    """Return `position_parts` for the case that the entry has this omission, None for none."""
    parts = _whole_parts(projection, at)
    if omission is None:
        return parts
    if omission == OUT:
        return {}
    if omission in SUPERSEDED:
        return {Category.TOOL_RESULTS: projection.path_totals.pruned_tokens[at]}
    text = max(parts, key=parts.__getitem__, default=None)  # the longest part is shortened; images stay whole
    return parts if text in (None, Category.IMAGES) else parts | {text: min(parts[text], CUT_TOKENS)}


def _whole_parts(projection: Projection, at: int) -> dict[Category, int]:
    """Return the tokens that one entry adds, by category, as if the user had left nothing out."""
    path_totals = projection.path_totals
    if path_totals.emissions[at] == Emission.WITHHELD:
        return {}
    if at < projection.prune_end and path_totals.roles[at] == Role.TOOL_RESULT and at not in projection.kept_results:
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
    """Return the position of the last compaction, pruning, omission or switching of a skill, 0 without one.

    Earlier reports are stale.
    """
    floor = max(projection.compaction or 0, projection.path_totals.kinds.rfind(Kind.SKILL, 0, projection.end))
    if projection.prune_end:
        floor = max(floor, projection.path_totals.kinds.rfind(Kind.TOOL_PRUNE, 0, projection.end))
    return max(floor, projection.path_totals.kinds.rfind(Kind.OMISSION, 0, projection.end))


def _first_stale(projection: Projection, report: int) -> int:
    """Return the position of the compaction, pruning or omission that made the report at a position stale."""
    kinds = projection.path_totals.kinds
    marks = kinds.translate(_MAKES_STALE)
    at = marks.index(1, report + 1)
    while kinds[at] == Kind.TOOL_PRUNE and not _prunes(projection, at):
        at = marks.index(1, at + 1)
    return at


def _prunes(projection: Projection, at: int) -> bool:
    """Return whether the pruning at a position names an entry of the path as its boundary."""
    path_totals = projection.path_totals
    target = path_totals.tree.columns.target[path_totals.path[at]]
    return target >= 0 and target in path_totals and path_totals.position(target) < projection.end


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

    0 when a compaction precedes the first report. The path must have a report.
    """
    first = path_totals.reports[0]
    if path_totals.kinds.rfind(Kind.COMPACTION, 0, first) >= 0:  # the report does not cover all messages of the path
        return 0
    sent = sum(path_totals.between(category, 0, first + 1) for category in MESSAGE_CATEGORIES)
    sent += skill_tokens(context_at(path_totals.tree, path_totals.path[first], path_totals))
    return max(0, path_totals.tree.columns.reported[path_totals.path[first]] - sent)


def fixed_at(path_totals: PathTotals, report: int) -> FixedParts:
    """Return the tokens before the messages in the request whose report is at a position: measured, else inferred."""
    measured = _measured(path_totals, report)
    if measured is None:
        return FixedParts(overhead_of(path_totals))
    return measured._replace(added=_server_overhead(path_totals))


def _measured(path_totals: PathTotals, report: int) -> FixedParts | None:
    columns, entry = path_totals.tree.columns, path_totals.path[report]
    return None if columns.system[entry] < 0 else FixedParts(columns.system[entry], columns.tools[entry])


def _server_overhead(path_totals: PathTotals) -> int:
    """Return how many tokens the server adds to each request of Stemmata, such as a prompt of its own.

    A report usually differs from the estimate of its request because the estimator is inexact; such a difference
    scales all parts. When the report is more than twice the estimate, the difference counts as an addition by the
    server, of constant size. It is taken from the first measured request, whose messages are the shortest.
    """
    first, measured = next(
        (at, found) for at in path_totals.reports if (found := _measured(path_totals, at)) is not None
    )
    if path_totals.kinds.rfind(Kind.COMPACTION, 0, first) >= 0:
        return 0
    sent = sum(path_totals.between(category, 0, first + 1) for category in MESSAGE_CATEGORIES) + measured.total
    reported = path_totals.tree.columns.reported[path_totals.path[first]]
    return reported - sent if reported > UNEXPLAINED * sent else 0


def scaled_to_total(
    parts: dict[Category, int], total: int, fixed: FixedParts
) -> tuple[FixedParts, dict[Category, int], float]:
    """Return the fixed parts, the message parts and the factor of the latter, so that all add up to a known total.

    Measured fixed parts are scaled like the messages; inferred ones, whose `tools` are None, are not scaled, because
    they are the provider's tokens. The tokens that the server adds are not scaled either, and count as system prompt.
    Rounding differences go to the largest part. When the messages have no tokens, the fixed parts are the total.
    """
    estimate = sum(parts.values())
    if fixed.tools is not None and fixed.total:
        text = fixed.system + fixed.tools + estimate
        added = fixed.added if fixed.added < total else total * fixed.added // (fixed.added + text)
        factor = (total - added) / text if text else 0.0
        tools = round(fixed.tools * factor)
        fixed = FixedParts(round(fixed.system * factor) + added if estimate else total - tools, tools)
    elif not estimate:
        fixed = FixedParts(total, fixed.tools)
    elif fixed.total >= total:  # an overhead of more than the total is reduced in the proportion of the messages
        fixed = FixedParts(total * fixed.system // (fixed.system + estimate), fixed.tools)
    parts, factor = filled(parts, total, fixed)
    return fixed, parts, factor


def filled(parts: dict[Category, int], total: int, fixed: FixedParts) -> tuple[dict[Category, int], float]:
    """Return the message parts scaled so that they and the fixed parts add up to `total`, and the factor."""
    estimate = sum(parts.values())
    if not estimate:
        return parts, 1.0
    factor = (total - fixed.total) / estimate
    out = {category: round(tokens * factor) for category, tokens in parts.items()}
    largest = max(out, key=out.__getitem__)
    out[largest] += total - fixed.total - sum(out.values())
    return out, factor


def _estimated(parts: dict[Category, int], fixed: FixedParts = NOT_FIXED) -> dict[Category, Figure]:
    figures = {category: Figure.estimated(parts[category]) for category in MESSAGE_CATEGORIES}
    system = Figure.estimated(fixed.system) if fixed.system or fixed.tools is not None else UNKNOWN
    tools = UNKNOWN if fixed.tools is None else Figure.estimated(fixed.tools)
    return {Category.SYSTEM: system, Category.TOOL_DEFINITIONS: tools} | figures


def largest_items(projection: Projection) -> tuple[Item, ...]:
    """Return the entries that add most to the context, largest first; equal ones in the order of the path."""
    start = 0 if projection.compaction is None else projection.first_kept
    positions = [*_largest_between(projection, start, LARGEST), *projection.pinned, *projection.skills]
    if projection.compaction is not None:
        positions.append(projection.compaction)
    items = [_item(projection, at) for at in dict.fromkeys(positions)]
    return tuple(nlargest(LARGEST, items, key=lambda item: (item.tokens, -item.entry)))


def largest_of(projection: Projection, category: Category, count: int = LARGEST) -> tuple[Item, ...]:
    """Return the largest entries of one category, largest first; equal ones in the order of the path.

    `tokens` of an item are the estimated tokens that the entry adds to this category, not scaled.
    """
    path_totals, start = projection.path_totals, 0 if projection.compaction is None else projection.first_kept
    shares, omissions = path_totals.shares[category], projection.omissions
    pruned = _boundary_pruned(projection)

    def size(at: int) -> int:
        whole = at not in (projection.compaction, *projection.skills) and at not in omissions
        if not whole or (pruned(at) and path_totals.sent[at]):
            return position_parts(projection, at).get(category, 0)
        return shares[at]

    summary = () if projection.compaction is None else (projection.compaction,)
    extra = (*summary, *projection.pinned, *(at for at in projection.skills if at < start))
    kept = nlargest(count, (at for at in range(start, projection.end) if at != projection.compaction), key=size)
    found = nlargest(count, (at for at in (*kept, *extra) if size(at)), key=lambda at: (size(at), -at))
    return tuple(Item(path_totals.path[at], category, size(at)) for at in found)


def _largest_between(projection: Projection, start: int, count: int) -> list[int]:
    """Return the positions of the largest entries from `start` on that are sent whole or cut, largest first."""
    path_totals, end, omissions = projection.path_totals, projection.end, projection.omissions
    pruned = _boundary_pruned(projection)
    left_out = {at for at, name in omissions.items() if name == OUT or name in SUPERSEDED}
    if (end - start) * SHORT_SHARE < end:
        emissions, message = path_totals.emissions, int(Emission.MESSAGE)
        inside = (at for at in range(start, end) if emissions[at] == message and at not in left_out)
        return nlargest(count, (at for at in inside if not pruned(at)), key=path_totals.tokens.__getitem__)
    found: list[int] = []
    for at in path_totals.largest(start, end):
        if at not in left_out and not pruned(at):
            found.append(at)
            if len(found) == count:
                break
    return found


def _boundary_pruned(projection: Projection) -> Callable[[int], bool]:
    """Return a fast test whether the entry at a position is a tool result that a pruning leaves out."""
    roles, prune_end, kept = projection.path_totals.roles, projection.prune_end, projection.kept_results
    return lambda at: at < prune_end and roles[at] == Role.TOOL_RESULT and at not in kept


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
    tree = path_totals.tree

    def total(at: int) -> Figure:
        entry = path_totals.path[at] if at >= 0 else None
        return displayed_breakdown(context_at(tree, entry, path_totals)).total

    return Sizes(size_before(path_totals, position, total), total(position))


def breakdowns_around(tree: Tree, entry: int, path_totals: PathTotals | None = None) -> tuple[Breakdown, Breakdown]:
    """Return the contexts before and after a compaction, without their largest entries, which take long to find."""
    parent = tree.parents[entry]
    there = context_at(tree, None if parent < 0 else parent, path_totals), context_at(tree, entry, path_totals)
    before, after = (at_scale(estimated_breakdown(message_parts(one), None), scale_of(one)) for one in there)
    return before, after


def size_before(path_totals: PathTotals, position: int, total: Callable[[int], Figure]) -> Figure:
    """Return the size before the compaction at a position. `total` computes the size at a position, -1 for none.

    A compaction with *prune first* adds a pruning above itself and stores the size before both.
    """
    tree, entry, before = path_totals.tree, path_totals.path[position], total(position - 1)
    above = position - 1
    while above >= 0 and path_totals.kinds[above] == Kind.TOOL_PRUNE:
        above -= 1
    noted = tree.columns.reported[entry]
    if noted > 0 and noted != before.value and above < position - 1 and (unpruned := total(above)).value == noted:
        return unpruned
    return stored_size_before(tree, entry, before)


def stored_size_before(tree: Tree, entry: int, computed: Figure = UNKNOWN) -> Figure:
    """Return the size that is stored with a compaction as the size before it, else the computed size.

    A stored size equal to the computed one keeps the kind of the computed one. Any other stored size is an estimate
    when Stemmata made the compaction, and reported when the source did, which got it from its provider.
    """
    noted = tree.columns.reported[entry]
    if noted <= 0 or noted == computed.value:
        return computed
    return Figure.estimated(noted) if tree.columns.flags[entry] & Flag.OWN else Figure.reported(noted)


def figure_data(value: Figure) -> dict[str, Any]:
    """Return the figure as data for JSON."""
    return {"value": value.value, "kind": value.kind.text}


def breakdown_data(value: Breakdown, id_of: Callable[[int], str]) -> dict[str, Any]:
    """Return the breakdown as data for JSON. `id_of` returns the source's id of an entry by its index.

    The tokens of `largest` are not scaled; multiply them by `factor`.
    """
    return {
        "total": figure_data(value.total),
        "window": value.window,
        "categories": {category.text: figure_data(part) for category, part in value.categories.items()},
        "largest": [
            {"entry": id_of(item.entry), "category": item.category.text, "tokens": item.tokens}
            for item in value.largest
        ],
        "factor": round(value.factor, 4),
        "basis": value.basis.text,
        "fixed": value.fixed_origin,
    }
