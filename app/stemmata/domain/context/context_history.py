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
    Basis,
    Calibration,
    calibration_of,
    last_report,
    message_parts,
    overhead_of,
    scaled_to_total,
    stored_size_before,
)
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import IS_MESSAGE, Category, PathTotals
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
    basis: Basis
    bands: tuple[int, ...]

    @property
    def is_reported(self) -> bool:
        """Whether the total is based on a report."""
        return self.basis is Basis.REPORT


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The positions from `start` to the next compaction or pruning. Parts = running totals + `base`."""

    start: int
    base: dict[Category, int]
    report: int  # position of the last usable report at the start, NONE without one
    scale: Calibration | None  # known where there is no such report


@dataclass(frozen=True)
class ContextHistory:
    """The contexts along a path, one per position. All values except `totals` are computed on demand."""

    line: PathTotals
    totals: array[int]  # tokens, equal to the total of the breakdown
    overhead: int  # tokens of system prompt and tool definitions where the total is based on a report
    _stretches: tuple[_Stretch, ...]
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
        stretch, between = self._stretch(position), self.line.between
        return {category: base + between(category, 0, position + 1) for category, base in stretch.base.items()}

    def total(self, position: int) -> Figure:
        """Return the total of the breakdown at this position."""
        report, value = self.report(position), self.totals[position]
        reported = report != NONE and value == self.line.tree.columns.reported[self.line.path[report]]
        return Figure.reported(value) if reported else Figure.estimated(value)

    def report(self, position: int) -> int:
        """Return the position of the report that the total is based on, NONE when the total is an estimate."""
        return self._reports[bisect_right(self._runs, position) - 1]

    def point(self, position: int) -> Point:
        """Return the context at this position with its parts scaled as in the breakdown."""
        total, parts = self.totals[position], self.parts(position)
        system, basis = 0, Basis.MESSAGES
        known = self._stretch(position).scale
        if self.report(position) != NONE:
            basis = Basis.REPORT
            system, parts, _ = scaled_to_total(parts, total, self.overhead)
        elif known is not None:
            basis = Basis.CARRIED
            system, parts, _ = scaled_to_total(parts, total, known.system)
        bands = (system, 0, *(parts[category] for category in MESSAGE_CATEGORIES))
        return Point(position, total, basis, bands)

    @cached_property
    def drops(self) -> tuple[Drop, ...]:
        """All compactions and prunings, in order."""
        kinds, path, known = self.line.kinds, self.line.path, self.line.tree.facts("drops")
        out = []
        for at in _events(self.line):
            if kinds[at] != Kind.OMISSION:
                if path[at] not in known:
                    known[path[at]] = self._drop(at)
                out.append(known[path[at]])
        return tuple(out)

    @cached_property
    def turns(self) -> array[int]:
        """Positions of the user's messages."""
        kinds, roles, flags = self.line.kinds, self.line.roles, self.line.tree.columns.flags
        return array(
            "i",
            (
                at
                for at, entry in enumerate(self.line.path)
                if roles[at] == Role.USER and kinds[at] == Kind.MESSAGE and not flags[entry] & _QUIET
            ),
        )

    def _stretch(self, position: int) -> _Stretch:
        return self._stretches[bisect_right(self._starts, position) - 1]

    def _drop(self, at: int) -> Drop:
        kind = Kind(self.line.kinds[at])
        before = self.total(at - 1) if at else Figure.estimated(0)
        if kind is Kind.COMPACTION:
            before = stored_size_before(self.line.tree, self.line.path[at], before)
        return Drop(at, kind, before, self.total(at))


def context_history_of(line: PathTotals) -> ContextHistory:
    """Return the contexts along the whole path. Do not use `line` on another thread while this runs."""
    stretches = tuple(_stretch(line, start) for start in _starts(line))
    starts = array("i", (stretch.start for stretch in stretches))
    runs, reports = array("i"), array("i")
    for stretch, stop in zip(stretches, [*starts, len(line)][1:], strict=True):
        inside = line.reports[bisect_right(line.reports, stretch.start) : bisect_right(line.reports, stop - 1)]
        runs.extend((stretch.start, *inside))
        reports.extend((stretch.report, *inside))
    before = _known_totals(line)
    totals = before + array("q", _totals(line, stretches, starts, runs, reports, len(before)))
    if len(line):
        line.tree.facts("totals")[_LAST] = line.path[-1], totals
    return ContextHistory(line, totals, overhead_of(line), stretches, starts, runs, reports)


def _known_totals(line: PathTotals) -> array[int]:
    """Return the totals that were computed last for the tree, when they end at an entry of this path; else none.

    They are valid for this path too, since the path above an entry never changes.
    """
    entry, totals = line.tree.facts("totals").get(_LAST, (NONE, array("q")))
    return totals if entry in line else array("q")


def chart_points(series: ContextHistory, most: int) -> tuple[Point, ...]:
    """Return at most `most` points for the chart; each point is drawn up to the next.

    The points before and after the largest compactions and prunings are included, and the maximum of every section.
    The tree caches the points, so that for a growing path only the new ones are computed.
    """
    known, path = series.line.tree.facts("points"), series.line.path
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


def _events(line: PathTotals) -> Iterator[int]:
    """Yield the positions of compactions, prunings and omissions, in order."""
    marks = line.kinds.translate(_IS_EVENT)
    at = marks.find(1)
    while at >= 0:
        yield at
        at = marks.find(1, at + 1)


def _starts(line: PathTotals) -> list[int]:
    """Return the positions where the constant changes: compactions, omissions, prunings with their boundary entry.

    A pruning whose boundary entry comes later on the path takes effect only there.
    """
    starts: set[int] = {0} if len(line) else set()
    for at in _events(line):
        starts.add(at)
        target = line.tree.columns.target[line.path[at]]
        if line.kinds[at] == Kind.TOOL_PRUNE and target in line:
            starts.add(max(at, line.position(target)))
    return sorted(starts)


def _stretch(line: PathTotals, start: int) -> _Stretch:
    """Return the stretch that starts at a position, cached by entry, since the path above an entry never changes."""
    known = line.tree.facts("stretches")
    entry = line.path[start]
    if entry not in known:
        known[entry] = _new_stretch(line, start)
    found: _Stretch = known[entry]
    return found


def _new_stretch(line: PathTotals, start: int) -> _Stretch:
    projection = context_at(line.tree, line.path[start], line)
    parts, report = message_parts(projection), last_report(projection)
    base = {category: tokens - line.between(category, 0, start + 1) for category, tokens in parts.items()}
    if report is None:
        return _Stretch(start, base, NONE, calibration_of(projection))
    return _Stretch(start, base, report, None)


def _totals(
    line: PathTotals,
    stretches: tuple[_Stretch, ...],
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
    spoken = list(_spoken(line, low))
    reported = line.tree.columns.reported
    stops = [*runs[first + 1 :], len(line)]
    for start, stop, report in zip(runs[first:], stops, reports[first:], strict=False):  # an empty path has no runs
        scale = None
        if report == NONE:
            stretch = stretches[bisect_right(starts, start) - 1]
            base, scale = sum(stretch.base.values()), stretch.scale
        else:
            base = reported[line.path[report]] - spoken[report + 1 - low]
        sums = map(add, spoken[max(start, begin) + 1 - low : stop + 1 - low], repeat(base))
        yield from sums if scale is None else map(scale.total, sums)


def _spoken(line: PathTotals, low: int) -> Iterator[int]:
    """Yield the tokens of all messages before each position, from `low` to the end of the path."""
    before = sum(line.between(category, 0, low) for category in MESSAGE_CATEGORIES)
    return accumulate(map(mul, line.tokens[low:], line.emissions[low:].translate(IS_MESSAGE)), initial=before)


_IS_EVENT = bytes(code in (Kind.COMPACTION, Kind.TOOL_PRUNE, Kind.OMISSION) for code in range(256))
