"""The columns of a tree in pieces, read from rows or, for a large session, stored beside the rows.

A stored piece holds the numbers of some consecutive entries of a session, so that its tree is read without visiting
their rows. Triggers of the archive delete a piece in the transaction that changes or deletes one of its entries;
entries that were added are read from their rows until they fill a piece. A piece names entries by their keys, so that
it does not depend on other entries.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TypeAlias

import orjson
import zstandard

from stemmata.domain.entries.growing import Numbers
from stemmata.domain.entries.tree import ROOT, TYPECODES, Tree

PIECE = 4_096  # entries of a stored piece; fewer where a piece fills a gap
LEAST = 12_288  # entries of a session whose pieces are stored: reading the rows of a smaller one takes a frame
NUMBERS = ("kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported", "system", "tools")
CODES = dict(zip(NUMBERS, TYPECODES[2:], strict=False))  # type codes of the arrays of a tree
FORMAT = 2  # of the data of a stored piece
Values: TypeAlias = "int | array[int]"  # a single number is a column in which all numbers are equal
_WIDE = 8  # bytes of a time or a key
_ORDER = sys.byteorder
_BYTES = range(8) if _ORDER == "little" else range(-1, -9, -1)  # places of a number's bytes, the lowest first


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive entries of a session, as columns.

    `parents` and `targets` are positions in the piece and the keys there, 0 for no parent: those of the first entry,
    of each other entry whose parent is not the entry before it, and of each entry with a target. `label` has the
    position of each entry's label in `labels`.
    """

    keys: Sequence[int]
    numbers: Mapping[str, Values]
    parents: tuple[Sequence[int], Sequence[int]]
    targets: tuple[Sequence[int], Sequence[int]]
    labels: Sequence[int]
    label: Values


def would_help(count: int, visited: int) -> bool:
    """Return whether a tree of `count` entries, of which `visited` were read from rows, should have more pieces."""
    return count >= LEAST and visited >= 2 * PIECE


class TreePieces:
    """Reads and stores pieces."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @cached_property
    def _decompressor(self) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor()

    @cached_property
    def _compressor(self) -> zstandard.ZstdCompressor:
        return zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=True)

    def of(self, session: int) -> list[Piece]:
        """Return the stored pieces of a session in the order of its tree, without damaged ones."""
        rows = self._connection.execute(_STORED, (session,))
        return [piece for row in rows if (piece := self._usable_piece(*row)) is not None]

    def damaged(self, session: int) -> list[int]:
        """Return the first keys of the session's pieces that cannot be used."""
        rows = self._connection.execute(_STORED, (session,))
        return [row[0] for row in rows if self._usable_piece(*row) is None]

    def _usable_piece(self, first: int, last: int, count: int, ends: int, data: bytes) -> Piece | None:
        """Return a stored piece if it can be used; `ends` is how many of its first and last entries exist.

        None when its checksum or its form is wrong, when another version of Stemmata stored it, or when it is one of
        other entries.
        """
        try:
            piece = _unpacked(self._decompressor.decompress(data), first, last)
        except (zstandard.ZstdError, ValueError, TypeError, LookupError, OverflowError):
            return None  # it is read from the rows
        return piece if ends >= min(count, 2) and _fits(piece, count) else None

    def drop(self, session: int, firsts: Iterable[int]) -> None:
        """Delete the pieces of a session that begin with these keys."""
        rows = [(session, first) for first in firsts]
        self._connection.executemany("DELETE FROM tree_pieces WHERE session = ? AND first = ?", rows)

    def keep(self, session: int, tree: Tree, labels: Sequence[int], most: int | None = None) -> bool:
        """Store the pieces of a session that are missing, at most `most`; return whether that was all.

        `tree` is the session's tree as it is in the archive, without entries of other sessions; `labels` are the ids
        of its names. The last entries stay without a piece until they fill one.
        """
        if len(tree) < LEAST:
            return True
        missing = list(self._missing(session, tree))
        for start, stop in missing[:most]:
            piece = self._piece_of(tree, labels, start, stop)
            row = (session, piece.keys[0], piece.keys[-1], len(piece.keys), self._compressor.compress(_packed(piece)))
            self._connection.execute("INSERT INTO tree_pieces VALUES (?, ?, ?, ?, ?)", row)
        return most is None or len(missing) <= most

    def _missing(self, session: int, tree: Tree) -> Iterator[tuple[int, int]]:
        """Yield the positions in the tree of the pieces that are to be stored, as start and stop."""
        at = 0
        query = "SELECT first, last, count FROM tree_pieces WHERE session = ? ORDER BY first"
        for first, last, count in self._connection.execute(query, (session,)).fetchall():
            start = tree.get(first)
            if start is None or start < at or tree.get(last) != start + count - 1:
                self.drop(session, (first,))
                continue
            yield from ((before, min(before + PIECE, start)) for before in range(at, start, PIECE))
            at = start + count
        yield from ((start, start + PIECE) for start in range(at, len(tree) - PIECE + 1, PIECE))

    def _piece_of(self, tree: Tree, labels: Sequence[int], start: int, stop: int) -> Piece:
        """Return the entries of a tree from `start` to `stop` as a piece.

        Keys of parents and targets come from the rows, because a tree has no entries of other sessions.
        """
        columns = tree.columns
        breaks = [at for at in tree.breaks(start, stop) if at > start]
        targets = _with_target(columns.target[start:stop], start)
        linked = sorted({start, *breaks, *targets})
        wanted = orjson.dumps([columns.key[at] for at in linked]).decode()
        links = dict(zip(linked, self._connection.execute(_LINKS, (wanted,)).fetchall(), strict=True))
        names = columns.name[start:stop].tolist()
        used = sorted(set(names))
        return Piece(
            _keys(columns.key[start:stop].tolist()),
            {name: _array(code, getattr(columns, name)[start:stop]) for name, code in CODES.items()},
            ([at - start for at in (start, *breaks)], [links[at][0] for at in (start, *breaks)]),
            ([at - start for at in targets], [links[at][1] for at in targets]),
            [labels[name] for name in used],
            positions(names, used),
        )


def positions(values: Sequence[int], among: Sequence[int]) -> Values:
    """Return the position of each value in `among`, which has all that occur."""
    if len(among) == 1:
        return 0
    where = {value: at for at, value in enumerate(among)}
    return array(_code_of(among), map(where.__getitem__, values))


def _code_of(labels: Sequence[int]) -> str:
    return "B" if len(labels) <= 256 else "i"


_STORED = """
    SELECT first, last, count, (
        SELECT count(*) FROM entries WHERE key IN (first, last) AND entries.session = tree_pieces.session), data
    FROM tree_pieces WHERE session = ? ORDER BY first"""
_LINKS = """
    SELECT ifnull(parent, 0), ifnull(target, 0) FROM entries
    WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"""


def _with_target(targets: Numbers, start: int) -> list[int]:
    """Return the positions of the entries that have a target; `targets` are the targets of the entries from `start`
    on.
    """
    if targets.tobytes() == _NONE * len(targets):
        return []
    return [start + at for at, target in enumerate(targets) if target != ROOT]


_NONE = array("i", (ROOT,)).tobytes()


def _array(code: str, column: Numbers) -> array[int]:
    out = array(code)
    out.frombytes(column.tobytes())
    return out


def _keys(keys: list[int]) -> Sequence[int]:
    return range(keys[0], keys[-1] + 1) if keys[-1] - keys[0] + 1 == len(keys) else keys


# -- the data of a stored piece: a line of JSON that describes the columns, then their bytes ----------------------


def _packed(piece: Piece) -> bytes:
    keys = () if isinstance(piece.keys, range) else piece.keys
    count = len(piece.keys)
    columns = [
        array("q", keys),
        *(_filled(code, piece.numbers[name], count) for name, code in CODES.items()),
        _filled(_code_of(piece.labels), piece.label, count),
        *(array(code, values) for code, values in zip("iqiq", (*piece.parents, *piece.targets), strict=True)),
    ]  # fmt: skip
    packed = [_packed_column(column) for column in columns]
    header = {
        "format": FORMAT,
        "first": piece.keys[0],
        "labels": list(piece.labels),
        "columns": [shape for shape, _ in packed],
    }
    return b"\n".join((orjson.dumps(header), b"".join(data for _, data in packed)))


def _unpacked(data: bytes, first: int, last: int) -> Piece:
    """Return the piece of decompressed data. Raises ValueError, TypeError, LookupError or OverflowError."""
    end = data.index(b"\n")
    header = orjson.loads(data[:end])
    shapes, labels = header["columns"], header["labels"]
    whole = all(type(number) is int for numbers in (*shapes, labels) for number in numbers)
    if (header["format"], header["first"]) != (FORMAT, first) or not whole or max(shapes)[0] > last - first + 1:
        raise ValueError(header)
    columns: list[Values] = []
    at = end + 1
    codes = ("q", *CODES.values(), _code_of(labels), *"iqiq")
    for code, (count, base, scale, width) in zip(codes, shapes, strict=True):
        columns.append(_unpacked_column(code, data[at : at + count * width], count, base, scale, width))
        at += count * width
    counts = [shape[0] for shape in shapes]
    keys, *numbers, label = columns[: len(CODES) + 2]
    parents, parent_keys, targets, target_keys = (
        _filled(code, values, count)
        for code, values, count in zip("iqiq", columns[-4:], counts[-4:], strict=True)
    )  # fmt: skip
    return Piece(
        range(first, last + 1) if not counts[0] else _filled("q", keys, counts[0]),
        dict(zip(CODES, numbers, strict=True)),
        (parents, parent_keys),
        (targets, target_keys),
        labels,
        label,
    )


def _fits(piece: Piece, count: int) -> bool:
    """Return whether all columns of a piece have `count` entries and name only such entries."""
    columns = (piece.keys, *piece.numbers.values(), piece.label)
    if any(not isinstance(column, int) and len(column) != count for column in columns):
        return False
    label = piece.label if isinstance(piece.label, int) else max(piece.label)
    pairs = all(
        len(places) == len(keys) and (not places or (min(places) >= 0 and max(places) < count))
        for places, keys in (piece.parents, piece.targets)
    )
    return pairs and 0 <= label < len(piece.labels)


def _filled(code: str, values: Values, count: int) -> array[int]:
    return array(code, (values,)) * count if isinstance(values, int) else values


def _packed_column(values: array[int]) -> tuple[tuple[int, int, int, int], bytes]:
    """Return count, base, scale and width of a column, and `count` numbers of `width` bytes: (number - base) / scale.

    All lowest bytes come first, then all second bytes, and so on: equal bytes stand together and are compressed well.
    """
    data, size, count = values.tobytes(), values.itemsize, len(values)
    if data == data[:size] * count:
        return (count, values[0] if count else 0, 1, 0), b""
    if size == 1:
        return (count, 0, 1, 1), data
    base = min(values)
    offsets = [value - base for value in values]
    scale = gcd(*offsets) if size == _WIDE else 1  # of times, most of which are whole milliseconds
    width = ((max(offsets) // scale).bit_length() + 7) // 8
    wide = array("Q", offsets if scale == 1 else [offset // scale for offset in offsets]).tobytes()
    return (count, base, scale, width), b"".join(wide[at % 8 :: 8] for at in _BYTES[:width])


def _unpacked_column(code: str, data: bytes, count: int, base: int, scale: int, width: int) -> Values:
    if not width:
        return base
    out = array(code)
    size = out.itemsize
    wide = bytearray(count * size)
    for at in range(width):
        wide[_BYTES[at] % size :: size] = data[at * count : (at + 1) * count]
    if base or scale != 1:
        wide = bytearray(_moved(bytes(wide), size, base, scale))
    out.frombytes(wide)
    return out


def _moved(data: bytes, size: int, base: int, scale: int) -> bytes:
    """Return number * scale + base for each number of `size` bytes.

    They are computed as one long integer, which takes a tenth of a loop's time. Only a negative base makes numbers
    overflow; then the highest bits are computed apart, so that no number carries into the next one.
    """
    ones = int.from_bytes((1).to_bytes(size, _ORDER) * (len(data) // size), _ORDER)
    found, top = int.from_bytes(data, _ORDER) * scale, 1 << 8 * size - 1
    if base >= 0:
        found += ones * base
    else:
        added, low = ones * (base % (2 * top)), ones * (top - 1)
        found = (found & low) + (added & low) ^ (found ^ added) & ones * top
    return found.to_bytes(len(data), _ORDER)
