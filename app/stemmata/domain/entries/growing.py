"""Columns of numbers that grow at their end, while each earlier version of them stays as it is.

A session of 40,000 entries grows by a few entries in each turn of a chat. If each version of its tree had separate
arrays, a turn would copy several megabytes. Instead, the versions share a *buffer* with free room at its end, and a
version is a view of the beginning of the buffer. New numbers are written behind the end of all views.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeAlias

Numbers: TypeAlias = "memoryview[int]"  # cannot be written to; a slice of it shares its memory
PIECE = 4_096  # numbers that are collected without a break: a third of a millisecond
SPARE = 8  # a new buffer has room for one number more for each `SPARE` numbers, and for `SPARE` more


def numbers(typecode: str, values: Iterable[int] = ()) -> Numbers:
    """Return a column with these values; `typecode` as for an array.

    An array or a column of this type is taken, not copied.
    """
    if isinstance(values, memoryview) and values.format == typecode and values.readonly:
        return values
    taken = values if isinstance(values, array) and values.typecode == typecode else collected(typecode, values)
    return memoryview(taken).toreadonly()


def collected(typecode: str, values: Iterable[int]) -> array[int]:
    """Return an array of the values of an iterator; `typecode` as for an array.

    They are collected in pieces, because a single call would keep Python's lock, for which the window may wait.
    """
    if isinstance(values, bytes | bytearray | list):
        return array(typecode, values)
    out, source, count = array(typecode), iter(values), -1
    while count < len(out):
        count = len(out)
        out.extend(islice(source, PIECE))
    return out


def picked(column: Numbers, ranges: Sequence[range]) -> Numbers:
    """Return the parts of a column at these ranges of positions, one after the other. A single part is not copied."""
    if len(ranges) == 1:
        return column[ranges[0].start : ranges[0].stop]
    out = array(column.format)
    for part in ranges:
        out.frombytes(column[part.start : part.stop].tobytes())
    return memoryview(out).toreadonly()


def appended(column: Numbers, more: array[int] | Numbers) -> Numbers:
    """Return the column with more numbers after it; `column` remains valid and unchanged.

    `more` has the typecode of the column. Only `more` is copied if `column` is the longest view of its buffer and the
    buffer has room; otherwise everything is copied to a new buffer.
    """
    if not len(more):
        return column
    start, stop = len(column), len(column) + len(more)
    buffer = column.obj
    if not (isinstance(buffer, _Buffer) and buffer.take(start, stop)):
        buffer = _Buffer(column.format, bytes(column.itemsize * (stop + stop // SPARE + SPARE)))
        buffer.used = []
        memoryview(buffer)[:start] = column
    whole = memoryview(buffer)
    whole[start:stop] = more
    buffer.used.append(stop)
    return whole[:stop].toreadonly()


class _Buffer(array):  # type: ignore[type-arg]  # `array` takes no type argument before Python 3.12
    """An array of numbers whose beginning several columns share, so that a longer column needs no copy.

    `used` is a list with one item, the length of the longest column in this array. A thread that appends numbers
    takes the item out, and puts the new length in when it is done. Another thread that finds the list empty copies
    the array instead; so no lock is needed.
    """

    __slots__ = ("used",)
    used: list[int]

    def take(self, start: int, stop: int) -> bool:
        """Reserve the positions from `start` up to `stop`; return whether the caller may write numbers there."""
        if stop > len(self):
            return False
        try:
            used = self.used.pop()
        except IndexError:
            return False
        if used != start:
            self.used.append(used)
        return used == start
