"""The size and the parts of the context at every entry of a path.

Between two compactions or prunings a context only grows, so its parts are the running totals of the path plus a
constant. The whole path takes one pass; after that, any position takes a few additions. The figures equal those of
`displayed_breakdown`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat
from operator import add, mul
from typing import NamedTuple

from stemmata.domain.context.breakdown import (
    MESSAGE_CATEGORIES,
    NOT_FIXED,
    Calibration,
    ScaleBasis,
    calibration_of,
    filled,
    fixed_at,
    last_report,
    message_parts,
    parts_with,
    scaled_to_total,
    stored_size_before,
)
from stemmata.domain.context.projection import Projection, context_at, note_omission
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import IS_MESSAGE, PathTotals
from stemmata.domain.entries.tokens import Figure

NONE = -1  # the position of the report where the total has none
_LAST = 0  # where a tree keeps the totals of the last path
_QUIET = int(Flag.INJECTED | Flag.HIDDEN)


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
class _ContextSpan:
    """The positions from `start` to the next compaction or pruning. Parts = running totals + `base`."""

    start: int
    base: dict[Category, int]
    report: int  # position of the last usable report at the start, NONE without one
    scale: Calibration | None  # known where there is no such report


@dataclass(frozen=True)
class ContextHistory:
    """The contexts along a path, one per position. All values except `totals` are computed on demand."""

    path_totals: PathTotals
    totals: array[int]  # tokens, equal to the total of the breakdown
    _stretches: tuple[_ContextSpan, ...]
    _starts: array[int]
    _runs: array[int]  # positions from which on the totals are based on another report, or on none
    _reports: array[int]  # by run: the position of that report, NONE without one

    def __len__(self) -> int:
        return len(self.totals)

    @cached_property
    def peak(self) -> int:
        """The largest total, in tokens; 0 for an empty path."""
        return max(self.totals, default=0)

    def parts(self, position: int) -> dict[Category, int]:
        """Return the estimated tokens by category at this position, equal to those of `message_parts`."""
        stretch, between = self._stretch(position), self.path_totals.between
        return {category: base + between(category, 0, position + 1) for category, base in stretch.base.items()}

    def total(self, position: int) -> Figure:
        """Return the total of the breakdown at this position."""
        report, value = self.report(position), self.totals[position]
        reported = report != NONE and value == self.path_totals.tree.columns.reported[self.path_totals.path[report]]
        return Figure.reported(value) if reported else Figure.estimated(value)

    def report(self, position: int) -> int:
        """Return the position of the report that the total is based on, NONE when the total is an estimate."""
        return self._reports[bisect_right(self._runs, position) - 1]

    def point(self, position: int) -> Point:
        """Return the context at this position with its parts scaled as in the breakdown."""
        total, parts = self.totals[position], self.parts(position)
        fixed, basis = NOT_FIXED, ScaleBasis.MESSAGES
        known, report = self._stretch(position).scale, self.report(position)
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
        """All compactions and prunings, in order."""
        kinds, path, known = self.path_totals.kinds, self.path_totals.path, self.path_totals.tree.facts("drops")
        out = []
        for at in _events(self.path_totals):
            if kinds[at] not in (Kind.OMISSION, Kind.SKILL):
                if path[at] not in known:
                    known[path[at]] = self._drop(at)
                out.append(known[path[at]])
        return tuple(out)

    @cached_property
    def turns(self) -> array[int]:
        """Positions of the user's messages."""
        kinds, roles, flags = self.path_totals.kinds, self.path_totals.roles, self.path_totals.tree.columns.flags
        return array(
            "i",
            (
                at
                for at, entry in enumerate(self.path_totals.path)
                if roles[at] == Role.USER and kinds[at] == Kind.MESSAGE and not flags[entry] & _QUIET
            ),
        )

    def _stretch(self, position: int) -> _ContextSpan:
        return self._stretches[bisect_right(self._starts, position) - 1]

    def _drop(self, at: int) -> Drop:
        kind = Kind(self.path_totals.kinds[at])
        before = self.total(at - 1) if at else Figure.estimated(0)
        if kind is Kind.COMPACTION:
            before = stored_size_before(self.path_totals.tree, self.path_totals.path[at], before)
        return Drop(at, kind, before, self.total(at))


def context_history_of(path_totals: PathTotals) -> ContextHistory:
    """Return the contexts along the whole path. Do not use `path_totals` on another thread while this runs."""
    stretches = tuple(_stretches(path_totals))
    starts = array("i", (stretch.start for stretch in stretches))
    runs, reports = array("i"), array("i")
    for stretch, stop in zip(stretches, [*starts, len(path_totals)][1:], strict=True):
        inside = path_totals.reports[
            bisect_right(path_totals.reports, stretch.start) : bisect_right(path_totals.reports, stop - 1)
        ]
        runs.extend((stretch.start, *inside))
        reports.extend((stretch.report, *inside))
    before = _known_totals(path_totals)
    totals = before + array("q", _totals(path_totals, stretches, starts, runs, reports, len(before)))
    if len(path_totals):
        path_totals.tree.facts("totals")[_LAST] = path_totals.path[-1], totals
    return ContextHistory(path_totals, totals, stretches, starts, runs, reports)


def _known_totals(path_totals: PathTotals) -> array[int]:
    """Return the totals that were computed last for the tree, when they end at an entry of this path; else none.

    They are valid for this path too, since the path above an entry never changes.
    """
    entry, totals = path_totals.tree.facts("totals").get(_LAST, (NONE, array("q")))
    return totals if entry in path_totals else array("q")


def chart_points(series: ContextHistory, most: int) -> tuple[Point, ...]:
    """Return at most `most` points for the chart; each point is drawn up to the next.

    The points before and after the largest compactions and prunings are included, and the maximum of every section.
    The tree caches the points, so that for a growing path only the new ones are computed.
    """
    known, path = series.path_totals.tree.facts("points"), series.path_totals.path
    out = []
    for position in _drawn(series, most):
        entry = path[position]
        if entry not in known:
            known[entry] = series.point(position)
        out.append(known[entry])
    return tuple(out)


def _drawn(series: ContextHistory, most: int) -> list[int]:
    count, totals = len(series), series.totals
    if count <= most:
        return list(range(count))
    kept = {0, count - 1}
    falls = sorted(
        (drop.position for drop in series.drops if drop.position), key=lambda at: totals[at] - totals[at - 1]
    )
    for at in falls[: most // 4]:
        kept.update((at - 1, at))
    buckets = most - _rounded_up(len(kept), most)
    whole = _rounded_up(count, count)
    for bucket in range(buckets):
        start, stop = bucket * whole // buckets, (bucket + 1) * whole // buckets
        inside = totals[start:stop]
        if inside:
            kept.add(start + inside.index(max(inside)))
    return sorted(kept)


def _rounded_up(number: int, scale: int) -> int:
    """Return the number rounded up by at most 1/16 of the scale, so that sections of a growing path stay equal."""
    step = 1 << max(0, (scale // 16).bit_length() - 1)
    return -(-number // step) * step


def _events(path_totals: PathTotals) -> Iterator[int]:
    """Yield the positions of compactions, prunings, omissions and switched skills, in order."""
    marks = path_totals.kinds.translate(_IS_EVENT)
    at = marks.find(1)
    while at >= 0:
        yield at
        at = marks.find(1, at + 1)


def _starts(path_totals: PathTotals) -> list[int]:
    """Return the positions where the constant changes: compactions, omissions, skills, prunings with their boundary.

    A pruning whose boundary entry comes later on the path takes effect only there.
    """
    starts: set[int] = {0} if len(path_totals) else set()
    for at in _events(path_totals):
        starts.add(at)
        target = path_totals.tree.columns.target[path_totals.path[at]]
        if path_totals.kinds[at] == Kind.TOOL_PRUNE and target in path_totals:
            starts.add(max(at, path_totals.position(target)))
    return sorted(starts)


def _stretches(path_totals: PathTotals) -> Iterator[_ContextSpan]:
    """Yield the stretches, cached by the entry of their start, since the path above an entry never changes."""
    known, path = path_totals.tree.facts("stretches"), path_totals.path
    before, row = None, None
    for start in _starts(path_totals):
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
            known[path[start]], row = _new_stretch(path_totals, start), None
        before = known[path[start]]
        yield before


class _MarksInARow:
    """The stretches of omissions right after each other, which a pruning of duplicates makes by the hundred.

    Each differs from the one before only by its target. `projection` is that of the first one.
    """

    def __init__(self, projection: Projection) -> None:
        self._projection, self._omissions = projection, dict(projection.omissions)

    def after(self, before: _ContextSpan) -> _ContextSpan:
        """Return the stretch of the omission after a stretch."""
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
        return _ContextSpan(start, base, NONE, before.scale)


def _new_stretch(path_totals: PathTotals, start: int) -> _ContextSpan:
    projection = context_at(path_totals.tree, path_totals.path[start], path_totals)
    parts, report = message_parts(projection), last_report(projection)
    base = {category: tokens - path_totals.between(category, 0, start + 1) for category, tokens in parts.items()}
    if report is None:
        return _ContextSpan(start, base, NONE, calibration_of(projection))
    return _ContextSpan(start, base, report, None)


def _totals(
    path_totals: PathTotals,
    stretches: tuple[_ContextSpan, ...],
    starts: array[int],
    runs: array[int],
    reports: array[int],
    begin: int,
) -> Iterator[int]:
    """Yield the totals of the positions from `begin` on.

    Run by run: what was reported plus what came after it, or the sum of the parts at the scale that is known. Takes
    time only for the runs that end after `begin`.
    """
    first = max(0, bisect_right(runs, begin) - 1)
    low = min([begin, *(report + 1 for report in reports[first:] if report != NONE)])
    spoken = list(_spoken(path_totals, low))
    reported = path_totals.tree.columns.reported
    stops = [*runs[first + 1 :], len(path_totals)]
    for start, stop, report in zip(runs[first:], stops, reports[first:], strict=False):  # an empty path has no runs
        scale = None
        if report == NONE:
            stretch = stretches[bisect_right(starts, start) - 1]
            base, scale = sum(stretch.base.values()), stretch.scale
        else:
            base = reported[path_totals.path[report]] - spoken[report + 1 - low]
        sums = map(add, spoken[max(start, begin) + 1 - low : stop + 1 - low], repeat(base))
        yield from sums if scale is None else map(scale.total, sums)


def _spoken(path_totals: PathTotals, low: int) -> Iterator[int]:
    """Yield the tokens of all messages before each position, from `low` to the end of the path."""
    before = sum(path_totals.between(category, 0, low) for category in MESSAGE_CATEGORIES)
    return accumulate(
        map(mul, path_totals.tokens[low:], path_totals.emissions[low:].translate(IS_MESSAGE)), initial=before
    )


_TWO_MARKS = bytes((Kind.OMISSION, Kind.OMISSION))
_IS_EVENT = bytes(code in (Kind.COMPACTION, Kind.TOOL_PRUNE, Kind.OMISSION, Kind.SKILL) for code in range(256))
