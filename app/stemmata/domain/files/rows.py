"""A file as rows for display: its lines with their numbers, the changed lines, and gaps that no call read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from stemmata.domain.files.state import FileState, Gap
from stemmata.domain.text.line_diff import LineBlock, changed_blocks


class RowKind(IntEnum):
    """The kinds of rows. OPEN is a line of one side at a place where the lines of the other side are unknown."""

    SAME = 0
    ADDED = 1
    REMOVED = 2
    OPEN = 3
    GAP = 4


CHANGED = frozenset({RowKind.ADDED, RowKind.REMOVED})


class FileRow(NamedTuple):
    """A row. `number` is the line's number, `lines` the length of a gap; each is None when it is not known."""

    kind: RowKind
    number: int | None
    text: str = ""
    lines: int | None = None


_Line = str | Gap
_Placed = tuple[int | None, _Line]


def whole_rows(state: FileState) -> list[FileRow]:
    """Return the rows of a file: its known lines, and a row for each gap. The empty line at the end is left out."""
    return [_row(RowKind.SAME, placed) for placed in _shown(state)]


def difference_rows(old: FileState, new: FileState) -> list[FileRow]:
    """Return the rows of a file with the lines that were removed (numbered as before) and added (as after)."""
    before, after = _shown(old), _shown(new)
    ours, theirs = [line for _, line in before], [line for _, line in after]
    out: list[FileRow] = []
    at = 0
    for block in changed_blocks(ours, theirs):
        out += (_row(RowKind.SAME, placed) for placed in after[at : block.right])
        out += _changed(before, after, block)
        at = block.right_end
    out += (_row(RowKind.SAME, placed) for placed in after[at:])
    return out


def _changed(before: Sequence[_Placed], after: Sequence[_Placed], block: LineBlock) -> Iterator[FileRow]:
    """Yield the rows of a difference. A line that faces a gap is neither added nor removed."""
    removed, added = before[block.left : block.left_end], after[block.right : block.right_end]
    is_open = any(isinstance(line, Gap) for _, line in (*removed, *added))
    if not is_open:
        yield from (_row(RowKind.REMOVED, placed) for placed in removed)
        yield from (_row(RowKind.ADDED, placed) for placed in added)
        return
    if any(not isinstance(line, Gap) for _, line in added):
        yield from (_row(RowKind.OPEN, placed) for placed in added)
    else:
        yield from (_row(RowKind.OPEN, placed) for placed in (removed or added))


def totals(rows: Sequence[FileRow]) -> tuple[int, int]:
    """Return the number of added and of removed rows."""
    return sum(row.kind is RowKind.ADDED for row in rows), sum(row.kind is RowKind.REMOVED for row in rows)


def _shown(state: FileState) -> list[_Placed]:
    out: list[_Placed] = []
    for at, part in state.numbered():
        if isinstance(part, Gap):
            out.append((at, part))
        elif at is None:
            out += ((None, line) for line in part.text.split("\n"))
        else:
            out += enumerate(part.text.split("\n"), at)
    if out and out[-1][1] == "":
        out.pop()
    return out


def _row(kind: RowKind, placed: _Placed) -> FileRow:
    at, line = placed
    if isinstance(line, Gap):
        return FileRow(RowKind.GAP, at, lines=line.lines)
    return FileRow(kind, at, line)
