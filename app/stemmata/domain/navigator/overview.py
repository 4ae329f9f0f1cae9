"""A session at a glance: which lanes are taken where, and what stands out, brought down to the lines of a strip."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.navigator.outline import Outline, Shape

EMPTY = 0  # no lane here


@dataclass(frozen=True, slots=True)
class Overview:
    """`lines` of a strip that stands for `rows` visible rows, top to bottom. Marks are lines, ascending."""

    lines: int
    rows: int
    columns: tuple[bytes, ...]  # by lane, by line: EMPTY, or 1 + the lane's colour
    compactions: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()

    def line(self, row: int) -> int:
        """The line in the middle of the row."""
        return (2 * row + 1) * self.lines // (2 * self.rows)


def overview_of(outline: Outline, places: Sequence[int], lines: int, columns: int, colours: int) -> Overview:
    """The overview of the visible `places`; lanes beyond the last of `columns` share it.

    Colours are counted as in `Lanes`, those of side branches repeat after `colours - 1`. The price is that of the
    forks, not of the rows. Pure: it may run on any thread.
    """
    rows = len(places)
    if not rows or lines < 1:
        return Overview(0, rows, ())
    strip = [bytearray(lines) for _ in range(columns)]
    for lane, colour, first, last in _pieces(outline, places):
        start = first * lines // rows
        stop = max(start + 1, -(-(last + 1) * lines // rows))
        cell = 1 + (colour if not colour else 1 + (colour - 1) % (colours - 1))
        strip[min(lane, columns - 1)][start:stop] = bytes((cell,)) * (stop - start)
    bare = Overview(lines, rows, tuple(map(bytes, strip)))
    place = outline.lanes.place
    compactions = (place[row] for row in _rows_of(outline.shapes, Shape.COMPACTION))
    return Overview(
        lines, rows, bare.columns, _marks(bare, places, compactions), _marks(bare, places, outline.labels)
    )


def _pieces(outline: Outline, places: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Lane, colour, first and last visible row of every piece of one colour."""
    lanes = outline.lanes
    ends: dict[int, int] = {}  # by the first place of a line: where the piece below begins
    pieces: list[tuple[int, int, int, int]] = []
    for start in reversed(outline.breaks):
        head = lanes.head[start]
        end = ends.get(head, head + lanes.size[head])
        ends[head] = start
        first, beyond = bisect_left(places, start), bisect_left(places, end)
        if first < beyond and places[first] == start:
            pieces.append((lanes.lane[start], lanes.colour[start], first, beyond - 1))
    return reversed(pieces)


def _rows_of(shapes: bytes, shape: Shape) -> Iterator[int]:
    at = shapes.find(shape)
    while at >= 0:
        yield at
        at = shapes.find(shape, at + 1)


def _marks(overview: Overview, places: Sequence[int], marked: Iterable[int]) -> tuple[int, ...]:
    """The lines of those marked places that are visible."""
    out = set()
    for place in marked:
        row = bisect_left(places, place)
        if row < len(places) and places[row] == place:
            out.add(overview.line(row))
    return tuple(sorted(out))
