"""Computes the branch graph: the order in which the rows of a forest are drawn, and the lane (column) of each row.

The oldest row is at the top, and the active path runs straight down in lane 0. At a fork the side branches come
first, oldest first, each drawn completely; then the line continues below them with the active child, or, away from
the active path, with the child whose subtree is the newest. While a side branch is drawn, only the lines that it
forks from are still open. So a side branch always takes the lane right of the line it forks from, exactly the lanes
left of a row pass it, and a lane is free again as soon as its branch ends. A row without a fork keeps its lane.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import gt, lt

from stemmata.domain.entries.whole_columns import consecutive

NONE = -1
ACTIVE_COLOUR = 0


@dataclass(frozen=True, slots=True)
class Lanes:
    """The layout of a tree in lanes. A *place* is a row's position in display order, from 0 at the top.

    All arrays except `place` are indexed by place. The display order is preorder, so a subtree takes the consecutive
    places `place … place + size - 1`.
    """

    row: array[int]
    place: array[int]  # indexed by row
    lane: array[int]
    colour: array[int]  # 0 on the active path, else 1 + the number of the branch
    parent: array[int]  # place of the parent, -1 for a root
    head: array[int]  # place of the first row of the line that this row is on
    below: array[int]  # place of the next row of the same line, -1 where the line ends
    size: array[int]  # number of rows in the subtree, the row itself included
    siblings: dict[int, tuple[int, int]]  # (number from 1, count) of a row that has siblings

    def __len__(self) -> int:
        return len(self.row)

    def continued(self, count: int) -> Lanes:
        """Return the layout with `count` more rows: a line below the last place, active if that place is active."""
        rows = len(self)
        new = array("i", range(rows, rows + count))
        last, size = rows - 1, self.size + array("i", range(count, 0, -1))
        at = last
        while at >= 0:
            size[at] += count
            at = self.parent[at]
        below = self.below[:last] + array("i", range(rows, rows + count)) + array("i", [NONE])
        return Lanes(
            row=self.row + new,
            place=self.place + new,
            lane=self.lane + array("i", [self.lane[last]]) * count,
            colour=self.colour + array("i", [ACTIVE_COLOUR]) * count,
            parent=self.parent + array("i", range(last, last + count)),
            head=self.head + array("i", [self.head[last]]) * count,
            below=below,
            size=size,
            siblings=self.siblings,
        )

    def is_active(self, place: int) -> bool:
        """Return whether the row is on the active path."""
        return self.colour[place] == ACTIVE_COLOUR

    def starts(self, place: int) -> bool:
        """Return whether the row is the first of its line: a root or the first row of a side branch."""
        return self.head[place] == place

    def ends(self, place: int) -> bool:
        """Return whether the row is the last of its line; the lane is free below it."""
        return self.below[place] == NONE

    def source(self, place: int) -> int:
        """Return the lane that the row forks from, -1 when it does not start a side branch."""
        if self.head[place] == place and self.parent[place] >= 0:
            return self.lane[self.parent[place]]
        return NONE

    def through(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield (lane, colour) of every lane that passes the row, from right to left."""
        at = self.head[place]
        while self.parent[at] >= 0:
            fork = self.parent[at]
            yield self.lane[fork], self.colour[self.below[fork]]
            at = self.head[fork]

    def children(self, place: int) -> Iterator[int]:
        """Yield the places of the row's children, in display order."""
        at, stop = place + 1, place + self.size[place]
        while at < stop:
            yield at
            at += self.size[at]

    def roots(self) -> Iterator[int]:
        """Yield the places of the roots, in display order."""
        at = 0
        while at < len(self.row):
            yield at
            at += self.size[at]

    def side_heads(self) -> list[int]:
        """Return the first places of the branches that leave the active path, and of the other roots."""
        out: list[int] = []
        at = 0
        while at < len(self.row):
            if self.colour[at] == ACTIVE_COLOUR:
                at += 1
            else:
                out.append(at)
                at += self.size[at]
        return out

    def visible(self, folded: Iterable[int]) -> array[int]:
        """Return the places that stay visible when all rows below the folded places are hidden."""
        out = array("i")
        at = 0
        for fold in sorted(folded):
            if fold >= at:
                out.extend(range(at, fold + 1))
                at = fold + self.size[fold]
        out.extend(range(at, len(self.row)))
        return out


def lay_out(
    parents: Sequence[int], times: Sequence[int], active: int = NONE, branches: Sequence[int] | None = None
) -> Lanes:
    """Return the layout of a forest that is given by the parent of each row, -1 for a root.

    `active` is the last row of the active path. `branches` is the branch number of each row and decides its colour;
    without it the branches are numbered by `number_branches`. Rows on a cycle of parents are left out.
    """
    if _is_line(parents):
        return _line(len(parents), active, number_branches(parents, ()) if branches is None else branches)
    first, following, roots, ranks = _link(parents, times)
    on_path = _path_marks(parents, active)
    newest = _newest_below(parents, ranks)
    count = len(parents)
    row: list[int] = []
    lane, head, below = [0] * count, list(range(count)), [NONE] * count
    forks = [roots] if len(roots) > 1 else []
    stack = roots[::-1]
    while stack:
        at = stack.pop()
        while at >= 0:
            row.append(at)
            child = following_line = first[at]
            if child >= 0:
                if following[child] >= 0:
                    kids = _chain(child, following)
                    forks.append(kids)
                    child = _continuing(kids, on_path, newest)
                    following_line = NONE  # the line continues after its side branches are drawn
                    stack.append(child)
                    for kid in reversed(kids):
                        if kid != child:
                            lane[kid] = lane[at] + 1
                            stack.append(kid)
                lane[child], head[child], below[at] = lane[at], head[at], child
            at = following_line
    numbers = number_branches(parents, _begun(forks)) if branches is None else branches
    return _by_place(parents, row, lane, head, below, on_path, numbers, forks)


def _is_line(parents: Sequence[int]) -> bool:
    """Return whether each row is the parent of the next one, as in most sessions."""
    if not parents or parents[0] != NONE or parents[-1] != len(parents) - 2:
        return False
    return array("i", parents).tobytes() == consecutive("i", NONE, len(parents)).tobytes()


def _line(count: int, active: int, branches: Sequence[int]) -> Lanes:
    """Return the layout of rows that are one line: as `lay_out`, without a loop over the rows in Python."""
    rows, zeros = array("i", consecutive("i", 0, count).tobytes()), array("i", bytes(4 * count))
    below = rows[1:]
    below.append(count)
    size = below[::-1]
    below[-1] = NONE
    parent = array("i", (NONE,)) + rows[:-1]
    passed = array("i", [1 + number for number in branches[active + 1 :]])
    return Lanes(
        row=rows,
        place=rows[:],
        lane=zeros,
        colour=zeros[: active + 1] + passed,
        parent=parent,
        head=zeros[:],
        below=below,
        size=size,
        siblings={},
    )


def number_branches(parents: Sequence[int], begun: Iterable[int]) -> array[int]:
    """Return the branch number of each row, given the rows that begin a branch.

    The first branch is 0; the others are numbered in the order of their first rows. The first child that a row got
    continues its branch; every later child begins a new branch. So the numbers do not change when the forest grows
    or another path becomes active.
    """
    numbers = {row: at for at, row in enumerate(sorted(begun), 1)}
    if not numbers:
        return array("i", bytes(4 * len(parents)))
    out = [0] * (len(parents) + 1)  # one more: the parent of the roots, at index -1
    for row in parents_first(parents):
        out[row] = numbers[row] if row in numbers else out[parents[row]]
    out.pop()
    return array("i", out)


def _begun(forks: Iterable[Sequence[int]]) -> Iterator[int]:
    for kids in forks:
        yield from kids[1:]


def parents_first(parents: Sequence[int]) -> Sequence[int]:
    """Return all rows so that each comes after its parent; unchanged order when every parent already comes first."""
    count = len(parents)
    if all(map(lt, parents, range(count))):
        return range(count)
    seen = bytearray(count)
    out = array("i")
    for start in range(count):
        walk: list[int] = []
        at = start
        while at >= 0 and not seen[at]:
            seen[at] = 1
            walk.append(at)
            at = parents[at]
        out.extend(reversed(walk))
    return out


def _link(parents: Sequence[int], times: Sequence[int]) -> tuple[list[int], list[int], list[int], list[int] | None]:
    """Return the first child and the next sibling of each row, the roots, and each row's rank in the order of time.

    Children and roots are ordered by time, then by row. The ranks are None when they equal the row numbers.
    """
    count = len(parents)
    first, following = [NONE] * count, [NONE] * count
    roots: list[int] = []
    order: Sequence[int] = range(count)
    ranks: list[int] | None = None
    if any(map(gt, times, times[1:])):
        order = sorted(order, key=times.__getitem__)
        ranks = [0] * count
        for rank, row in enumerate(order):
            ranks[row] = rank
    for row in reversed(order):
        parent = parents[row]
        if parent < 0:
            roots.append(row)
        else:
            following[row] = first[parent]
            first[parent] = row
    roots.reverse()
    return first, following, roots, ranks


def _path_marks(parents: Sequence[int], leaf: int) -> bytearray:
    marks = bytearray(len(parents))
    at = leaf
    while at >= 0 and not marks[at]:
        marks[at] = 1
        at = parents[at]
    return marks


def _newest_below(parents: Sequence[int], ranks: Sequence[int] | None) -> list[int]:
    """Return the highest rank in each row's subtree."""
    out = list(range(len(parents)) if ranks is None else ranks)
    out.append(NONE)  # the parent of the roots, at index -1
    for row in reversed(parents_first(parents)):
        newest, parent = out[row], parents[row]
        if newest > out[parent]:
            out[parent] = newest
    return out


def _chain(child: int, following: Sequence[int]) -> list[int]:
    out: list[int] = []
    while child >= 0:
        out.append(child)
        child = following[child]
    return out


def _continuing(kids: Sequence[int], on_path: Sequence[int], newest: Sequence[int]) -> int:
    for kid in kids:
        if on_path[kid]:
            return kid
    return max(kids, key=newest.__getitem__)


def _by_place(
    parents: Sequence[int],
    row: Sequence[int],
    lane: Sequence[int],
    head: Sequence[int],
    below: Sequence[int],
    on_path: Sequence[int],
    numbers: Sequence[int],
    forks: Iterable[Sequence[int]],
) -> Lanes:
    """Return the layout from sequences that are indexed by row."""
    place = [NONE] * (len(parents) + 1)  # the additional item at index -1 maps NONE to NONE
    for at, it in enumerate(row):
        place[it] = at
    parent = [place[parents[it]] for it in row]
    size = [1] * (len(row) + 1)
    for at in range(len(row) - 1, 0, -1):
        size[parent[at]] += size[at]
    size.pop()
    return Lanes(
        row=array("i", row),
        place=array("i", place[:-1]),
        lane=array("i", [lane[it] for it in row]),
        colour=array("i", [ACTIVE_COLOUR if on_path[it] else 1 + numbers[it] for it in row]),
        parent=array("i", parent),
        head=array("i", [place[head[it]] for it in row]),
        below=array("i", [place[below[it]] for it in row]),
        size=array("i", size),
        siblings={place[kid]: (which, len(kids)) for kids in forks for which, kid in enumerate(kids, 1)},
    )
