"""Arithmetic with whole columns of numbers, as with single numbers.

A column is read as one long integer in which each number takes 8 or 32 bits. Adding, shifting or masking it takes a
few milliseconds for a million numbers. A loop takes ten times as long, and a loop in C keeps Python's lock meanwhile.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator
from itertools import compress
from typing import Literal

from stemmata.domain.entries.growing import Numbers, numbers

PIECE = 32_768  # numbers
BLOCK = 64  # numbers in a sum of `block_sums`; a power of two that divides PIECE
_BITS = 32
_TOP = 1 << _BITS - 1  # the sign of a number
_LARGE = 7 << _BITS - 3  # the sum of four numbers without these bits is not negative
_ORDER = sys.byteorder
_TOP_BYTE = 3 if _ORDER == "little" else 0
_ONES = int.from_bytes(array("I", (1,)) * PIECE, _ORDER)
_PAIRS = int.from_bytes(array("Q", (1,)) * (PIECE // 2), _ORDER)
_FIRST_OF_BLOCK = 0 if _ORDER == "little" else -1
_SPREAD = bytes((0, 255)) + bytes(254)
_BY_TOP = bytes(byte >> 7 for byte in range(256))

# -- bytes ---------------------------------------------------------------------------------------------------------


def either(*columns: bytes | bytearray) -> bytes:
    """Return the bits that are set in at least one of the columns of bytes."""
    whole = 0
    for column in columns:
        whole |= int.from_bytes(column, "little")
    return whole.to_bytes(len(columns[0]), "little")


def both(one: bytes, other: bytes) -> bytes:
    """Return the bits that are set in two columns of bytes."""
    return (int.from_bytes(one, "little") & int.from_bytes(other, "little")).to_bytes(len(one), "little")


def walked(starts: bytes, free: bytes, *, backwards: bool = False) -> bytes:
    """Walk from each mark 1 in `starts` over the bytes 255 in `free`, to the end or to the start of the column.

    A walk ends at the first 0 of `free`. Returns 1 where walks end, 0 where they go over 255, and `free` elsewhere.
    No walk may reach another one. Adding both columns computes this: the addition carries the 1 over the 255, as in 1
    + 999 = 1000.
    """
    order: Literal["big", "little"] = "big" if backwards else "little"
    whole = int.from_bytes(starts, order) + int.from_bytes(free, order)
    return (whole & (1 << 8 * len(free)) - 1).to_bytes(len(free), order)


def marked(marks: bytes) -> Iterator[int]:
    """Iterate the positions of the bytes 1 in a column of 0 and 1.

    Parts of the column without a 1 take hardly any time.
    """
    for start in range(0, len(marks), PIECE):
        part = marks[start : start + PIECE]
        if 1 in part:
            yield from compress(range(start, start + PIECE), part)


def widened(column: bytes) -> array[int]:
    """Return the bytes as an array of numbers of 32 bits."""
    wide = bytearray(4 * len(column))
    wide[3 - _TOP_BYTE :: 4] = column
    return array("i", bytes(wide))


def lowest_bytes(column: Numbers) -> bytes:
    """Return the lowest byte of each number of 32 bits."""
    return column.tobytes()[3 - _TOP_BYTE :: 4]


# -- numbers of any size -------------------------------------------------------------------------------------------


def consecutive(typecode: str, start: int, count: int) -> Numbers:
    """Return the numbers from `start` on, which is -1 or more."""
    out = array(typecode, range(start, start + min(count, PIECE)))
    if count <= PIECE:
        return numbers(typecode, out)
    ones = int.from_bytes(array(typecode, (1,)) * PIECE, _ORDER)
    data = array(typecode, range(PIECE)).tobytes()
    steps = int.from_bytes(data, _ORDER)
    for begin in range(start + PIECE, start + count, PIECE):
        part = (steps + begin * ones).to_bytes(len(data), _ORDER)
        out.frombytes(part[: (start + count - begin) * out.itemsize])
    return numbers(typecode, out)


# -- numbers of 32 bits --------------------------------------------------------------------------------------------


def is_zero(column: Numbers) -> bool:
    """Whether all numbers of a column are zero."""
    return all((data := column[piece].tobytes()) == bytes(len(data)) for piece in _pieces(len(column)))


def masked(column: Numbers, marks: bytes) -> Numbers:
    """Return a column with zeros where the marks are not 1."""
    out = array("i")
    for piece in _pieces(len(column)):
        part, spread = column[piece], marks[piece].translate(_SPREAD)
        wide = bytearray(4 * len(spread))
        for at in range(4):
            wide[at::4] = spread
        out.frombytes((_wide(part) & int.from_bytes(wide, _ORDER)).to_bytes(len(wide), _ORDER))
    return numbers("i", out)


def nonzero(column: Numbers) -> bytes:
    """Return 1 for each number that is not zero, else 0."""
    return b"".join(_signs(column[piece], both=True) for piece in _pieces(len(column)))


def positive(column: Numbers) -> bytes:
    """Return 1 for each number above zero, else 0."""
    return b"".join(_signs(column[piece], both=False) for piece in _pieces(len(column)))


def _signs(column: Numbers, *, both: bool) -> bytes:
    """Return 1 for each number above zero and, if asked for both, below zero."""
    whole, count = _wide(column), len(column)
    top, others = _each(_TOP, count), _each(_TOP - 1, count)
    has_others = (whole & others) + others
    tops = (has_others | whole if both else has_others & ~whole) & top
    return tops.to_bytes(4 * count, _ORDER)[_TOP_BYTE::4].translate(_BY_TOP)


def calculated(of_columns: Callable[..., int], of_numbers: Callable[..., int], *columns: Numbers) -> Numbers:
    """Return the results of a function of one number of each column.

    `of_columns` computes the same with the length and the long integers of pieces of the columns, if their numbers
    are not negative and not very large.
    """
    out = array("i")
    for piece in _pieces(len(columns[0])):
        parts = [column[piece] for column in columns]
        count, wide = len(parts[0]), [_wide(part) for part in parts]
        large = _each(_LARGE, count)
        if any(whole & large for whole in wide):
            out.extend(map(of_numbers, *parts))
        else:
            out.frombytes(of_columns(count, *wide).to_bytes(4 * count, _ORDER))
    return numbers("i", out)


def block_sums(column: Numbers) -> array[int]:
    """Return the sum of each BLOCK numbers that follow on each other, without those after the last whole block.

    Pairs are added first, which gives numbers of 64 bits, then pairs of pairs. Each number is added as if zero were
    the lowest number of 32 bits, so that none is negative.
    """
    out, stop = array("q"), len(column) // BLOCK * BLOCK
    for start in range(0, stop, PIECE):
        part = column[start : min(start + PIECE, stop)]
        count = len(part)
        halves = (_PAIRS >> _BITS * (PIECE - count)) * (2 * _TOP - 1)
        wide = _wide(part) ^ _each(_TOP, count)
        sums = (wide & halves) + (wide >> _BITS & halves)
        step = 2 * _BITS
        while step < BLOCK * _BITS:
            sums += sums >> step
            step *= 2
        data = (sums & (1 << _BITS * count) - 1).to_bytes(4 * count, _ORDER)
        of_blocks = memoryview(data).cast("q")[_FIRST_OF_BLOCK :: BLOCK // 2]
        out.extend([value - _TOP * BLOCK for value in of_blocks.tolist()])
    return out


def quarters(count: int, whole: int) -> int:
    """Return a fourth of each number, rounded down."""
    return whole >> 2 & _each((1 << _BITS - 2) - 1, count)


def quarters_up(count: int, *wide: int) -> int:
    """Return a fourth of the sums, rounded up."""
    return quarters(count, sum(wide) + _each(3, count))


def differences(count: int, one: int, other: int) -> int:
    """Return the differences, which may be negative: the top bits are computed apart, so that no number borrows."""
    top = _each(_TOP, count)
    return (one | top) - (other & ~top) ^ (one ^ ~other) & top


def _each(value: int, count: int) -> int:
    """Return a column of which each number is `value`; `count` is at most PIECE."""
    return (_ONES >> _BITS * (PIECE - count)) * value


def _wide(column: Numbers) -> int:
    return int.from_bytes(column.tobytes(), _ORDER)


def _pieces(count: int) -> Iterator[slice]:
    """Yield the parts of a column that are computed together: they fit into the processor's cache."""
    return (slice(start, start + PIECE) for start in range(0, count, PIECE))
