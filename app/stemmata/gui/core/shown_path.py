"""The path that a transcript shows, before the tree is known (its last rows) and after (tree, path, projection)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from operator import indexOf
from typing import NamedTuple, Protocol

from stemmata.domain.context.breakdown import Breakdown, breakdowns_around
from stemmata.domain.context.projection import EntryFate, Projection
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.entries.growing import Numbers
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN
from stemmata.domain.entries.tree import Tree

ContextSizes = tuple[Breakdown, Breakdown]  # before and after


class EntryAppearance(IntEnum):
    """The ways in which the transcript shows an entry of the path."""

    UNKNOWN = 0
    HIDDEN = 1  # an annotation, or not meant to be displayed
    FOLDED = 2  # a tool result, shown with its call
    CARD = 3
    CONTINUED = 4  # a card without heading, as its speaker is that of the card above


class PathShape(NamedTuple):
    """The values from which the transcript estimates an entry's height. Lengths are in UTF-16 units."""

    kind: int
    role: int
    flags: int
    text: int
    thinking: int
    calls: int


class Marks(NamedTuple):
    """The annotations of an entry from tree and context; they never change its height."""

    label: str = ""
    pinned: bool = False
    place: int = 1  # position among its siblings, from 1
    siblings: int = 1
    fate: EntryFate | None = None  # None while unknown


class TranscriptPath(Protocol):
    """Entries from a root to the end of the transcript, by position."""

    def __len__(self) -> int: ...

    def key(self, at: int) -> int:
        """Return the store key of the entry at this position."""

    @property
    def newest(self) -> int:
        """The highest known entry key of the session, on this path or beside it; -1 for none."""
        ...

    def position(self, key: int) -> int | None:
        """Return the position of the entry with this key; None when it is not on the path."""
        ...

    def shapes(self, start: int, stop: int) -> Sequence[PathShape]:
        """Return the shapes of the entries at the positions from `start` to `stop` (excluded)."""

    def marks(self, at: int) -> Marks:
        """Return the annotations of the entry at this position."""

    def sizes(self, at: int) -> ContextSizes | None:
        """Return the contexts before and after the compaction at this position; None when unknown."""
        ...


class TailPath:
    """The last entries of a path, from their rows only. Lengths are estimated from the tokens."""

    def __init__(self, rows: Sequence[EntryRow]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, at: int) -> int:
        """As described in `TranscriptPath`."""
        return self._rows[at].key

    @property
    def newest(self) -> int:
        """As described in `TranscriptPath`."""
        return self._rows[-1].key if self._rows else -1

    def position(self, key: int) -> int | None:
        """As described in `TranscriptPath`."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), None)

    def shapes(self, start: int, stop: int) -> Sequence[PathShape]:
        """As described in `TranscriptPath`."""
        return [_shape_of_row(row) for row in self._rows[start:stop]]

    def marks(self, _at: int) -> Marks:
        """Return empty annotations: the tree is not read yet."""
        return Marks()

    def sizes(self, _at: int) -> ContextSizes | None:
        """Return None: the tree is not read yet."""
        return None


class TreePath:
    """A path of a tree.

    `path` holds indices from a root on; `projection` gives the fates of the entries it covers.
    """

    def __init__(self, tree: Tree, path: Numbers, projection: Projection | None = None) -> None:
        self.tree = tree
        self.path = path
        self.projection = projection
        self._sizes: dict[int, ContextSizes] = {}

    def __len__(self) -> int:
        return len(self.path)

    def key(self, at: int) -> int:
        """As described in `TranscriptPath`."""
        return self.tree.columns.key[self.path[at]]

    @property
    def newest(self) -> int:
        """As described in `TranscriptPath`."""
        return self.tree.columns.key[-1] if len(self.tree) else -1

    def position(self, key: int) -> int | None:
        """As described in `TranscriptPath`."""
        index = self.tree.get(key)
        if index is None:
            return None
        at = bisect_left(self.path, index)  # parents nearly always come before their children
        if at < len(self.path) and self.path[at] == index:
            return at
        if self._ascends:
            return None
        try:
            return indexOf(self.path, index)
        except ValueError:
            return None

    @cached_property
    def _ascends(self) -> bool:
        """Whether each entry was written after its parent, so that a search can stop at the place where an entry
        would be. Most entries that are looked for are not on the path, and searching all of a long path takes
        milliseconds.
        """
        stretches = self.tree.stretches(self.path[-1] if self.path else None)
        return all(one[-1] < other[0] for one, other in pairwise(stretches))

    def shapes(self, start: int, stop: int) -> Sequence[PathShape]:
        """As described in `TranscriptPath`."""
        c = self.tree.columns
        columns = (c.kind, c.role, c.flags, c.text, c.thinking, c.calls)
        entries = self.path[start:stop]
        if not entries:
            return []
        first, last = entries[0], entries[-1]
        if last - first == len(entries) - 1:  # consecutive indices, as in every session without forks
            return list(map(PathShape._make, zip(*(column[first : last + 1] for column in columns), strict=True)))
        return [PathShape(*(column[entry] for column in columns)) for entry in entries]

    def marks(self, at: int) -> Marks:
        """As described in `TranscriptPath`."""
        entry, tree = self.path[at], self.tree
        family = tree.alternatives(entry) or [entry]
        place = family.index(entry) + 1 if entry in family else 1
        return Marks(tree.labels.get(entry, ""), entry in tree.pins, place, len(family), self._fate(entry))

    def sizes(self, at: int) -> ContextSizes | None:
        """As described in `TranscriptPath`."""
        entry = self.path[at]
        if self.projection is None or not at or entry not in self.projection.path_totals:
            return None
        if entry not in self._sizes:
            self._sizes[entry] = breakdowns_around(self.tree, entry, self.projection.path_totals)
        return self._sizes[entry]

    def _fate(self, entry: int) -> EntryFate | None:
        if self.projection is None:
            return None
        try:
            return self.projection.fate(entry)
        except KeyError:
            return None


def common_length(one: TranscriptPath, other: TranscriptPath) -> int:
    """Return how many entries two paths share from the root on; after a fork they share none."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high) // 2
        if one.key(middle) == other.key(middle):
            low = middle + 1
        else:
            high = middle
    return low


def _shape_of_row(row: EntryRow) -> PathShape:
    units = row.tokens * UNITS_PER_TOKEN
    calls = units if row.role == Role.ASSISTANT and not row.flags & Flag.ENDS_TURN else 0
    text = 0 if row.kind == Kind.MESSAGE and calls else units
    return PathShape(int(row.kind), int(row.role), int(row.flags), text, 0, calls)
