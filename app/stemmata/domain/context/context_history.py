"""How large the context was at every entry of a path, and what it consisted of.

Between two compactions or prunings a context only grows, so its parts are the line's running totals plus a constant:
the whole path costs one pass, and any position is then a few additions. The figures are those of `seen_breakdown`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
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
    noted_before,
    overhead_of,
    scaled,
)
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import IS_MESSAGE, Category, Line
from stemmata.domain.entries.tokens import Figure

_Run = tuple[int, int, int, "Calibration | None"]  # start, stop, report, calibration
NONE = -1  # no report stands behind the total
_QUIET = int(Flag.INJECTED | Flag.HIDDEN)


class Drop(NamedTuple):
    """A compaction or a pruning: the context right before it and with it."""

    position: int
    kind: Kind
    before: Figure
    after: Figure


class Point(NamedTuple):
    """The context at one position, scaled to its total. `bands` has one number for each Category, in order."""

    position: int
    total: int
    basis: Basis  # what the scale rests on
    bands: tuple[int, ...]

    @property
    def is_reported(self) -> bool:
        """Whether a report stands behind the total."""
        return self.basis is Basis.REPORT


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Positions from `start` to the next compaction or pruning: parts = running totals + `base`."""

    start: int
    base: dict[Category, int]
    report: int  # position of the report in force at the start, NONE without


@dataclass(frozen=True)
class Series:
    """The contexts along a line, one a position. Everything but `totals` is worked out when it is asked for."""

    line: Line
    totals: array[int]  # tokens, as the breakdown's total
    overhead: int  # system prompt and tool definitions, where a report stands behind the total
    _stretches: tuple[_Stretch, ...]
    _starts: array[int]
    _runs: array[int]  # positions at which another report, or none, begins to stand behind the totals
    _reports: array[int]  # by run: position of that report, NONE without
    _known: tuple[Calibration | None, ...]  # by run: the scale where no report stands behind the totals

    def __len__(self) -> int:
        return len(self.totals)

    @cached_property
    def peak(self) -> int:
        return max(self.totals, default=0)

    def parts(self, position: int) -> dict[Category, int]:
        """What `message_parts` says of the context at this position."""
        stretch = self._stretches[bisect_right(self._starts, position) - 1]
        between = self.line.between
        return {category: base + between(category, 0, position + 1) for category, base in stretch.base.items()}

    def total(self, position: int) -> Figure:
        """The breakdown's total at this position."""
        report, value = self.report(position), self.totals[position]
        reported = report != NONE and value == self.line.tree.columns.reported[self.line.path[report]]
        return Figure.reported(value) if reported else Figure.estimated(value)

    def report(self, position: int) -> int:
        """Position of the report that stands behind the total, NONE when it is estimated throughout."""
        return self._reports[bisect_right(self._runs, position) - 1]

    def point(self, position: int) -> Point:
        """The parts as the breakdown has them: scaled to meet what was reported."""
        total, parts = self.totals[position], self.parts(position)
        system, basis = 0, Basis.MESSAGES
        known = self._known[bisect_right(self._runs, position) - 1]
        if self.report(position) != NONE:
            basis = Basis.REPORT
            system, parts, _ = scaled(parts, total, self.overhead)
        elif known is not None:
            basis = Basis.CARRIED
            system, parts, _ = scaled(parts, total, known.system)
        bands = (system, 0, *(parts[category] for category in MESSAGE_CATEGORIES))
        return Point(position, total, basis, bands)

    @cached_property
    def drops(self) -> tuple[Drop, ...]:
        """Every compaction and pruning, in order."""
        kinds = self.line.kinds
        return tuple(self._drop(at) for at in _events(self.line) if kinds[at] != Kind.OMISSION)

    @cached_property
    def turns(self) -> array[int]:
        """Positions of what the user said."""
        kinds, roles, flags = self.line.kinds, self.line.roles, self.line.tree.columns.flags
        return array(
            "i",
            (
                at
                for at, entry in enumerate(self.line.path)
                if roles[at] == Role.USER and kinds[at] == Kind.MESSAGE and not flags[entry] & _QUIET
            ),
        )

    def _drop(self, at: int) -> Drop:
        kind = Kind(self.line.kinds[at])
        before = self.total(at - 1) if at else Figure.estimated(0)
        if kind is Kind.COMPACTION:
            before = noted_before(self.line.tree, self.line.path[at], before)
        return Drop(at, kind, before, self.total(at))


def series_of(line: Line) -> Series:
    """The contexts along the whole line. One pass; thread-safe as long as the line is not shared while it runs."""
    stretches = tuple(_stretch(line, start) for start in _starts(line))
    starts = array("i", (stretch.start for stretch in stretches))
    runs, reports = array("i"), array("i")
    for stretch, stop in zip(stretches, [*starts, len(line)][1:], strict=True):
        inside = line.reports[bisect_right(line.reports, stretch.start) : bisect_right(line.reports, stop - 1)]
        runs.extend((stretch.start, *inside))
        reports.extend((stretch.report, *inside))
    known = tuple(_calibrations(line, runs, reports))
    totals = array("q", _totals(line, stretches, zip(runs, [*runs, len(line)][1:], reports, known, strict=True)))
    return Series(line, totals, overhead_of(line), stretches, starts, runs, reports, known)


def points_of(series: Series, most: int) -> tuple[Point, ...]:
    """At most so many positions to draw the series from; each holds until the next.

    The largest compactions and prunings are drawn from edge to edge, and no maximum is lost.
    """
    return tuple(series.point(position) for position in _drawn(series, most))


def _drawn(series: Series, most: int) -> list[int]:
    count, totals = len(series), series.totals
    if count <= most:
        return list(range(count))
    kept = {0, count - 1}
    falls = sorted(
        (drop.position for drop in series.drops if drop.position), key=lambda at: totals[at] - totals[at - 1]
    )
    for at in falls[: most // 4]:
        kept.update((at - 1, at))
    buckets = most - len(kept)
    for bucket in range(buckets):
        start, stop = bucket * count // buckets, (bucket + 1) * count // buckets
        inside = totals[start:stop]
        kept.add(start + inside.index(max(inside)))
    return sorted(kept)


def _events(line: Line) -> Iterator[int]:
    """Positions of compactions, prunings and omissions, in order."""
    marks = line.kinds.translate(_IS_EVENT)
    at = marks.find(1)
    while at >= 0:
        yield at
        at = marks.find(1, at + 1)


def _starts(line: Line) -> list[int]:
    """Where the constant changes: a pruning takes effect once the entry it reaches to is there as well."""
    starts: set[int] = {0} if len(line) else set()
    for at in _events(line):
        starts.add(at)
        target = line.tree.columns.target[line.path[at]]
        if line.kinds[at] == Kind.TOOL_PRUNE and target in line:
            starts.add(max(at, line.position(target)))
    return sorted(starts)


def _stretch(line: Line, start: int) -> _Stretch:
    """Worked out once for each entry: what a path is down to there does not change."""
    known = line.tree.facts("stretches")
    entry = line.path[start]
    if entry not in known:
        known[entry] = _new_stretch(line, start)
    found: _Stretch = known[entry]
    return found


def _new_stretch(line: Line, start: int) -> _Stretch:
    projection = context_at(line.tree, line.path[start], line)
    parts, report = message_parts(projection), last_report(projection)
    base = {category: tokens - line.between(category, 0, start + 1) for category, tokens in parts.items()}
    return _Stretch(start, base, NONE if report is None else report)


def _calibrations(line: Line, runs: array[int], reports: array[int]) -> Iterator[Calibration | None]:
    """For each run without a report of its own the scale that holds in it."""
    known = line.tree.facts("calibrations")
    for start, report in zip(runs, reports, strict=True):
        if report != NONE:
            yield None
            continue
        entry = line.path[start]
        if entry not in known:
            known[entry] = calibration_of(context_at(line.tree, entry, line))
        yield known[entry]


def _totals(line: Line, stretches: tuple[_Stretch, ...], runs: Iterable[_Run]) -> Iterator[int]:
    """Run by run: what was reported plus what came after it, or the sum of the parts at the scale that is known."""
    spoken = list(accumulate(map(mul, line.tokens, line.emissions.translate(IS_MESSAGE)), initial=0))
    reported, starts = line.tree.columns.reported, [stretch.start for stretch in stretches]
    for start, stop, report, known in runs:
        if report == NONE:
            base = sum(stretches[bisect_right(starts, start) - 1].base.values())
        else:
            base = reported[line.path[report]] - spoken[report + 1]
        sums = map(add, spoken[start + 1 : stop + 1], repeat(base))
        yield from sums if known is None else map(known.total, sums)


_IS_EVENT = bytes(code in (Kind.COMPACTION, Kind.TOOL_PRUNE, Kind.OMISSION) for code in range(256))
