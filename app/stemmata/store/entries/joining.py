"""Join the pieces of a tree, which name entries by their keys, to one tree, which names them by their positions."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from stemmata.domain.entries.growing import Numbers, numbers
from stemmata.domain.entries.tree import ROOT, UNRESOLVED, Columns, Tree
from stemmata.domain.entries.whole_columns import consecutive, widened
from stemmata.store.entries.tree_pieces import CODES, Piece, Values

_BYTE = 256


def joined(pieces: Sequence[Piece], texts: tuple[str, ...], names: Mapping[int, int]) -> Tree:
    """Return the tree of these pieces, in order. `names` maps ids of labels to positions in `texts`."""
    count = sum(len(piece.keys) for piece in pieces)
    key = _keys(pieces, count)
    position = _position_in(key)
    parent, breaks = _parents(pieces, count, position)
    constants: dict[tuple[str, int], Numbers] = {}
    columns = [
        _column(code, [(len(piece.keys), piece.numbers[name]) for piece in pieces], count, constants)
        for name, code in CODES.items()
    ]
    targets = [(len(piece.keys), _targets(piece, position)) for piece in pieces]
    labels = [(len(piece.keys), _names(piece, names)) for piece in pieces]
    columns += (_column("i", targets, count, constants), _column("i", labels, count, constants))
    return Tree.of(Columns.of((key, parent, *columns), texts), breaks)


def _keys(pieces: Sequence[Piece], count: int) -> Numbers:
    if pieces and pieces[-1].keys[-1] - pieces[0].keys[0] + 1 == count:
        return consecutive("q", pieces[0].keys[0], count)
    out = array("q")
    for piece in pieces:
        out.extend(piece.keys)
    return numbers("q", out)


def _position_in(keys: Numbers) -> Callable[[int, int], int]:
    """Return a function of a key and a number, which returns the key's position, or the number when it has none."""
    count = len(keys)
    if count and keys[-1] - keys[0] + 1 == count:
        first = keys[0]
        return lambda key, missing: key - first if first <= key < first + count else missing

    def found(key: int, missing: int) -> int:
        at = bisect_left(keys, key)
        return at if at < count and keys[at] == key else missing

    return found


def _parents(pieces: Sequence[Piece], count: int, position: Callable[[int, int], int]) -> tuple[Numbers, Numbers]:
    """Return the parents, and the entries whose parent is not the entry before them."""
    out = array("i")
    out.frombytes(consecutive("i", ROOT, count).cast("B"))
    breaks, start = array("i"), 0
    for piece in pieces:
        for at, key in zip(*piece.parents, strict=True):
            parent = position(key, ROOT)
            if parent != start + at - 1:
                out[start + at] = parent
                breaks.append(start + at)
        start += len(piece.keys)
    return numbers("i", out), numbers("i", breaks)


def _targets(piece: Piece, position: Callable[[int, int], int]) -> Values:
    places, keys = piece.targets
    if not len(places):
        return ROOT
    out = array("i", (ROOT,)) * len(piece.keys)
    for at, key in zip(places, keys, strict=True):
        out[at] = position(key, UNRESOLVED)
    return out


def _names(piece: Piece, names: Mapping[int, int]) -> Values:
    found = [names[label] for label in piece.labels]
    if isinstance(piece.label, int):
        return found[piece.label]
    if piece.label.itemsize == 1 and max(found) < _BYTE:
        return widened(piece.label.tobytes().translate(bytes(found).ljust(_BYTE)))
    return array("i", map(found.__getitem__, piece.label))


def _column(
    code: str, parts: Iterable[tuple[int, Values]], count: int, constants: dict[tuple[str, int], Numbers]
) -> Numbers:
    """Return a column of parts, each with its length. Columns with one equal number everywhere share their memory."""
    listed = list(parts)
    alike = {values if isinstance(values, int) else None for _, values in listed} or {0}
    if None not in alike and len(alike) == 1:
        value = alike.pop()
        assert value is not None
        if (code, value) not in constants:
            constants[code, value] = numbers(code, array(code, (value,)) * count)
        return constants[code, value]
    out = array(code, bytes(array(code).itemsize * count))
    room, start = memoryview(out), 0
    for length, values in listed:
        room[start : start + length] = array(code, (values,)) * length if isinstance(values, int) else values
        start += length
    return numbers(code, out)
