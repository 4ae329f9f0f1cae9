"""The size and the parts of the context at every entry of a path.

Between two compactions or prunings a context only grows, so its parts are the running totals of the path plus a
constant. The whole path takes one pass; after that, any position takes a few additions. The figures equal those of
`displayed_breakdown`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import accumulate, compress, count, repeat
from operator import add
from typing import NamedTuple

from stemmata.domain.context.breakdown import (
    MESSAGE_CATEGORIES,
    NOT_FIXED,
    Scale,
    ScaleBasis,
    filled,
    fixed_at,
    last_report,
    message_parts,
    parts_with,
    scale_of,
    scaled_to_total,
    size_before,
)
from stemmata.domain.context.projection import Projection, context_at, note_omission
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.growing import PIECE, Numbers, appended, collected, numbers
from stemmata.domain.entries.path_totals import IS_MESSAGE, PathTotals
from stemmata.domain.entries.prompts import is_prompt
from stemmata.domain.entries.whole_columns import masked

NONE = -1  # used as the position of the report when a total is based on no report
_LAST = 0  # the key under which a tree keeps what was computed for the last path
KEPT_CHARTS = 4  # charts whose points are kept, at least
_IS_USER = bytes(code == Role.USER for code in range(256))


class Drop(NamedTuple):
    """A compaction or a pruning, with the context's size before and after it."""

    position: int
    kind: Kind
    before: Figure
    after: Figure


class Point(NamedTuple):
    """The context at one position. `bands` are the tokens of each Category, in order, scaled to the total."""

    position: int
    total: int
    basis: ScaleBasis
    bands: tuple[int, ...]

    @property
    def is_reported(self) -> bool:
        """Whether the total is based on a report."""
        return self.basis is ScaleBasis.REPORT


@dataclass(frozen=True, slots=True)
class _Span:
    """The positions from `start` to the next compaction or pruning. Parts = running totals + `base`."""

    start: int
    base: dict[Category, int]
    report: int  # position of the last usable report at the start, NONE without one
    scale: Scale | None  # the scale where no such report exists


@dataclass(frozen=True)
class ContextHistory:
    """The contexts along a path, one per position. All values except `totals` are computed on demand."""

    path_totals: PathTotals
    totals: Numbers  # tokens, equal to the total of the breakdown
    peak: int  # the largest total, in tokens; 0 for an empty path
    _spans: tuple[_Span, ...]
    _starts: Numbers
    _report_starts: Numbers  # positions from which on the totals are based on another report, or on none
    _reports: Numbers  # for each of these: the position of the report, NONE without one

    def __len__(self) -> int:
        return len(self.totals)

    def parts(self, position: int) -> dict[Category, int]:
        """Return the estimated tokens by category at this position, equal to those of `message_parts`."""
        before = self.path_totals.before
        return {
            category: base + before(category, position + 1) for category, base in self._span(position).base.items()
        }

    def total(self, position: int) -> Figure:
        """Return the total of the breakdown at this position."""
        report, value = self.report(position), self.totals[position]
        reported = report != NONE and value == self.path_totals.tree.columns.reported[self.path_totals.path[report]]
        return Figure.reported(value) if reported else Figure.estimated(value)

    def report(self, position: int) -> int:
        """Return the position of the report that the total is based on, NONE when the total is an estimate."""
        return self._reports[bisect_right(self._report_starts, position) - 1]

    def point(self, position: int) -> Point:
        """Return the context at this position with its parts scaled as in the breakdown."""
        total, parts = self.totals[position], self.parts(position)
        fixed, basis = NOT_FIXED, ScaleBasis.MESSAGES
        known, report = self._span(position).scale, self.report(position)
        if report != NONE:
            basis = ScaleBasis.REPORT
            fixed, parts, _ = scaled_to_total(parts, total, fixed_at(self.path_totals, report))
        elif known is not None:
            basis, fixed = ScaleBasis.CARRIED, known.fixed
            parts, _ = filled(parts, total, fixed)
        bands = (fixed.system, fixed.tools or 0, *(parts[category] for category in MESSAGE_CATEGORIES))
        return Point(position, total, basis, bands)

    @cached_property
    def drops(self) -> tuple[Drop, ...]:
        """All compactions and prunings, in order.

        The tree caches them, so that for a growing path only the new ones are looked for.
        """
        kinds, path, known = self.path_totals.kinds, self.path_totals.path, self.path_totals.tree.facts("drops")
        last = self.path_totals.tree.facts("all drops")
        end, before = last.get(_LAST, (NONE, ()))
        if end not in self.path_totals:
            end, before = NONE, ()
        out = []
        for at in _events(self.path_totals, 0 if end == NONE else self.path_totals.position(end) + 1):
            if kinds[at] not in (Kind.OMISSION, Kind.SKILL):
                if path[at] not in known:
                    known[path[at]] = self._drop(at)
                out.append(known[path[at]])
        found: tuple[Drop, ...] = (*before, *out)
        last[_LAST] = path[-1] if path else NONE, found
        return found

    @cached_property
    def turns(self) -> array[int]:
        """Positions of the prompts."""
        path, kinds, roles = self.path_totals.path, self.path_totals.kinds, self.path_totals.roles
        flags, of_user = self.path_totals.tree.columns.flags, compress(count(), roles.translate(_IS_USER))
        return array("i", (at for at in of_user if is_prompt(kinds[at], roles[at], flags[path[at]])))

    def _span(self, position: int) -> _Span:
        return self._spans[bisect_right(self._starts, position) - 1]

    def _drop(self, at: int) -> Drop:
        kind = Kind(self.path_totals.kinds[at])
        if kind is Kind.COMPACTION:
            before = size_before(self.path_totals, at, self._total_or_zero)
        else:
            before = self._total_or_zero(at - 1)
        return Drop(at, kind, before, self.total(at))

    def _total_or_zero(self, at: int) -> Figure:
        """Return the size of the context at a position of the path; 0 tokens for -1, before the first entry."""
        return self.total(at) if at >= 0 else Figure.estimated(0)


class _PathHistory(NamedTuple):
    """The history of the path that ends at the entry `end`; see ContextHistory.

    `waiting` are the positions of prunings whose boundary is not on that path.
    """

    end: int
    waiting: tuple[int, ...]
    totals: Numbers
    peak: int
    spans: tuple[_Span, ...]
    starts: Numbers
    report_starts: Numbers
    reports: Numbers


_EMPTY_PATH = _PathHistory(NONE, (), numbers("q"), 0, (), numbers("i"), numbers("i"), numbers("i"))


def context_history_of(path_totals: PathTotals) -> ContextHistory:
    """Return the contexts along the whole path. Do not use `path_totals` on another thread while this function runs.

    The tree caches the history of the last path. Where that is the beginning of this path, it stays valid,
    since the path above an entry never changes, and only the entries after it are looked at.
    """
    facts = path_totals.tree.facts("history")
    known: _PathHistory = facts.get(_LAST, _EMPTY_PATH)
    if known.end not in path_totals:
        known = _EMPTY_PATH
    begin = len(known.totals)
    begun, waiting = _starts(path_totals, begin, known.waiting)
    new = tuple(_spans(path_totals, begun, known.spans[-1] if known.spans else None))
    stops = [*begun, len(path_totals)]
    inside = _reports_between(path_totals, begin, stops[0])  # in the last span that is known
    report_starts, reports = array("i", inside), array("i", inside)
    for span, stop in zip(new, stops[1:], strict=True):
        inside = _reports_between(path_totals, span.start + 1, stop)
        report_starts.extend((span.start, *inside))
        reports.extend((span.report, *inside))
    spans, starts = known.spans + new, appended(known.starts, array("i", begun))
    all_report_starts, all_reports = appended(known.report_starts, report_starts), appended(known.reports, reports)
    more = _totals(path_totals, spans, starts, all_report_starts, all_reports, begin)
    totals, peak = appended(known.totals, more), max(known.peak, _largest(more))
    if len(path_totals):
        facts[_LAST] = _PathHistory(
            path_totals.path[-1], waiting, totals, peak, spans, starts, all_report_starts, all_reports
        )
    return ContextHistory(path_totals, totals, peak, spans, starts, all_report_starts, all_reports)


def _reports_between(path_totals: PathTotals, start: int, stop: int) -> Numbers:
    """Return the positions of the reports from `start` to `stop` - 1."""
    reports = path_totals.reports
    return reports[bisect_left(reports, start) : bisect_left(reports, stop)]


def chart_points(history: ContextHistory, most: int) -> tuple[Point, ...]:
    """Return at most `most` points for the chart; each point is drawn up to the next.

    The points before and after the largest compactions and prunings are included, and the maximum of every section.
    The tree caches the points of the last charts, so that for a growing path only the new ones are computed.
    """
    last, path = history.path_totals.tree.facts("points"), history.path_totals.path
    known: dict[int, Point] = last.get(_LAST, {})
    drawn = {path[at]: known.get(path[at]) or history.point(at) for at in _drawn_positions(history, most)}
    last[_LAST] = known | drawn if len(known) < KEPT_CHARTS * most else drawn
    return tuple(drawn.values())


def _drawn_positions(history: ContextHistory, most: int) -> list[int]:
    count = len(history)
    if count <= most:
        return list(range(count))
    kept = {0, count - 1}
    for at in _largest_drops(history, most // 4):
        kept.update((at - 1, at))
    buckets = most - _rounded_up(len(kept), most)
    return sorted(kept.union(_section_maxima(history, buckets, _rounded_up(count, count))))


def _largest_drops(history: ContextHistory, most: int) -> tuple[int, ...]:
    """Return the positions of the compactions and prunings that freed the most tokens, the largest first.

    The tree caches them for a growing path.
    """
    last, path, totals = history.path_totals.tree.facts("falls"), history.path_totals.path, history.totals
    end, seen, known = last.get(most, (NONE, 0, ()))
    if end not in history.path_totals:
        seen, known = 0, ()
    falls = [*known, *(drop.position for drop in history.drops[seen:] if drop.position)]
    found = tuple(nsmallest(most, falls, key=lambda at: totals[at] - totals[at - 1]))
    last[most] = path[-1], len(history.drops), found
    return found


def _section_maxima(history: ContextHistory, buckets: int, whole: int) -> Iterator[int]:
    """Yield the position of the maximum of each section of the path; `whole` positions make `buckets` sections.

    The tree caches the maximum of each complete section, by the section's last entry, until the sections have another
    size.
    """
    count, path, last = len(history), history.path_totals.path, history.path_totals.tree.facts("peaks")
    sections, known = last.get(_LAST, ((0, 0), {}))
    if sections != (buckets, whole):
        known = {}
        last[_LAST] = (buckets, whole), known
    for bucket in range(buckets):
        start, stop = bucket * whole // buckets, (bucket + 1) * whole // buckets
        is_complete = start < stop <= count
        if is_complete and path[stop - 1] in known:
            yield known[path[stop - 1]]
        elif inside := history.totals[start:stop].tolist():
            peak = start + inside.index(max(inside))
            if is_complete:
                known[path[stop - 1]] = peak
            yield peak


def _rounded_up(number: int, scale: int) -> int:
    """Return the number rounded up by at most 1/16 of the scale, so that sections of a growing path stay equal."""
    step = 1 << max(0, (scale // 16).bit_length() - 1)
    return -(-number // step) * step


def _events(path_totals: PathTotals, start: int = 0) -> Iterator[int]:
    """Yield the positions of compactions, prunings, omissions and switched skills from `start` on, in order."""
    marks = path_totals.kinds[start:].translate(_IS_EVENT)
    at = marks.find(1)
    while at >= 0:
        yield start + at
        at = marks.find(1, at + 1)


def _starts(path_totals: PathTotals, begin: int, waiting: tuple[int, ...]) -> tuple[list[int], tuple[int, ...]]:
    """Return the positions from `begin` on where the constant changes, and the prunings that wait for their boundary.

    It changes at compactions, omissions, skills, and prunings with their boundary. A pruning whose boundary entry
    comes later on the path takes effect only there; `waiting` are those before `begin`.
    """
    starts: set[int] = {0} if len(path_totals) and not begin else set()
    still = []
    for at in (*waiting, *_events(path_totals, begin)):
        if at >= begin:
            starts.add(at)
        target = path_totals.tree.columns.target[path_totals.path[at]]
        if path_totals.kinds[at] == Kind.TOOL_PRUNE and target in path_totals:
            starts.add(max(at, path_totals.position(target)))
        elif path_totals.kinds[at] == Kind.TOOL_PRUNE and target >= 0:
            still.append(at)
    return sorted(starts), tuple(still)


def _spans(path_totals: PathTotals, starts: Iterable[int], before: _Span | None) -> Iterator[_Span]:
    """Yield the spans, cached by the entry of their start, since the path above an entry never changes.

    `before` is the span before the first one, None at the beginning of the path.
    """
    known, path = path_totals.tree.facts("spans"), path_totals.path
    row = None
    for start in starts:
        if path[start] in known:
            row = None
        elif (
            before is not None
            and before.start == start - 1
            and path_totals.kinds[start - 1 : start + 1] == _TWO_MARKS
        ):
            row = row or _MarksInARow(context_at(path_totals.tree, path[start - 1], path_totals))
            known[path[start]] = row.after(before)
        else:
            known[path[start]], row = _new_span(path_totals, start), None
        before = known[path[start]]
        yield before


class _MarksInARow:
    """The spans of consecutive omissions; a pruning of duplicates adds hundreds of them.

    Each differs from the previous mark only by its target. `projection` is that of the first one.
    """

    def __init__(self, projection: Projection) -> None:
        self._projection, self._omissions = projection, dict(projection.omissions)

    def after(self, before: _Span) -> _Span:
        """Return the span of the omission after a span."""
        projection, start = self._projection, before.start + 1
        base, after = dict(before.base), dict[int, str]()
        place = note_omission(projection.path_totals, start, after)
        is_kept = projection.compaction is None or place >= projection.first_kept
        if place >= 0 and (is_kept or place in projection.pinned):
            for sign, name in ((-1, self._omissions.get(place)), (1, after.get(place))):
                for category, tokens in parts_with(projection, place, name).items():
                    base[category] += sign * tokens
        self._omissions.pop(place, None)
        self._omissions |= after
        return _Span(start, base, NONE, before.scale)


def _new_span(path_totals: PathTotals, start: int) -> _Span:
    projection = context_at(path_totals.tree, path_totals.path[start], path_totals)
    parts, report = message_parts(projection), last_report(projection)
    base = {category: tokens - path_totals.between(category, 0, start + 1) for category, tokens in parts.items()}
    if report is None:
        return _Span(start, base, NONE, scale_of(projection))
    return _Span(start, base, report, None)


def _totals(
    path_totals: PathTotals,
    spans: tuple[_Span, ...],
    starts: Numbers,
    report_starts: Numbers,
    reports: Numbers,
    begin: int,
) -> array[int]:
    """Return the totals of the positions from `begin` on.

    From each of `report_starts` to the next, a total is the reported size plus the entries after the report; without
    a report it is the sum of the parts at the known scale. Positions before `begin` are not visited.
    """
    first = max(0, bisect_right(report_starts, begin) - 1)
    low = min([begin, *(report + 1 for report in reports[first:] if report != NONE)])
    spoken, out = _message_tokens_before(path_totals, low), array("q")
    reported = path_totals.tree.columns.reported
    stops = [*report_starts[first + 1 :], len(path_totals)]
    # not strict: an empty path has no starts, and one stop
    for start, stop, report in zip(report_starts[first:], stops, reports[first:], strict=False):
        scale = None
        if report == NONE:
            span = spans[bisect_right(starts, start) - 1]
            base, scale = sum(span.base.values()), span.scale
        else:
            base = reported[path_totals.path[report]] - spoken[report + 1 - low]
        part = spoken[max(start, begin) + 1 - low : stop + 1 - low]
        sums = part if not base else map(add, part, repeat(base))
        out.extend(sums if scale is None else map(scale.total, sums))
    return out


def _largest(totals: array[int]) -> int:
    """Return the largest total, 0 for none. A call for each piece does not keep Python's lock."""
    return max((max(totals[start : start + PIECE]) for start in range(0, len(totals), PIECE)), default=0)


def _message_tokens_before(path_totals: PathTotals, low: int) -> array[int]:
    """Return for each position, from `low` to the end of the path, the tokens of all messages before it."""
    before = sum(path_totals.between(category, 0, low) for category in MESSAGE_CATEGORIES)
    tokens = masked(path_totals.tokens[low:], path_totals.emissions[low:].translate(IS_MESSAGE))
    return collected("q", accumulate(tokens, initial=before))


_TWO_MARKS = bytes((Kind.OMISSION, Kind.OMISSION))
_IS_EVENT = bytes(code in (Kind.COMPACTION, Kind.TOOL_PRUNE, Kind.OMISSION, Kind.SKILL) for code in range(256))
