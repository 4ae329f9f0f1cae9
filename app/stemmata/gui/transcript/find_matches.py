"""Where a text stands on a path, as far as it has been looked through."""

from __future__ import annotations

from collections.abc import Mapping


class Matches:
    """Occurrences by position on the path, kept by slices of it: a million of them must be counted while typing."""

    def __init__(self, length: int, size: int) -> None:
        """`length` of the path, `size` of a slice."""
        self._size = size
        self._slices: list[dict[int, int]] = [{} for _ in range(-(-length // size))]
        self._sums = [0] * len(self._slices)

    @property
    def total(self) -> int:
        return sum(self._sums)

    def add(self, slice: int, found: Mapping[int, int]) -> None:
        """What was found in a slice, by position."""
        self._slices[slice] = dict(sorted(found.items()))
        self._sums[slice] = sum(found.values())

    def count(self, at: int) -> int:
        """Occurrences in the entry at this position."""
        return self._slices[at // self._size].get(at, 0)

    def before(self, at: int) -> int:
        """Occurrences in all entries before this position."""
        slice = at // self._size
        inside = self._slices[slice] if slice < len(self._slices) else {}
        return sum(self._sums[:slice]) + sum(count for place, count in inside.items() if place < at)

    def next(self, at: int) -> int | None:
        """The first position with an occurrence at or behind this one, from the start again behind the end."""
        if not self.total:
            return None
        for slice in range(at // self._size, len(self._slices)):
            found = next((place for place in self._slices[slice] if place >= at), None)
            if found is not None:
                return found
        return self.next(0)

    def previous(self, at: int) -> int | None:
        """The last position with an occurrence before this one, from the end again before the start."""
        if not self.total:
            return None
        for slice in range(min(at // self._size, len(self._slices) - 1), -1, -1):
            found = next((place for place in reversed(self._slices[slice]) if place < at), None)
            if found is not None:
                return found
        return self.previous(len(self._slices) * self._size)

    def order(self, near: int) -> list[int]:
        """All slices, that around a position first, then those behind it, then those before it, nearest first."""
        first = min(near // self._size, max(len(self._slices) - 1, 0))
        return [*range(first, len(self._slices)), *range(first - 1, -1, -1)]
