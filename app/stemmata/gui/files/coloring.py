"""The colours of a file's lines, computed on another thread than the window's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from stemmata.domain.files.rows import FileRow, RowKind
from stemmata.gui.text.highlighting import StyledRange, styled_ranges

MOST_COLORED = 400_000  # characters of a file whose lines are coloured
ColoredLines: TypeAlias = dict[int, list[StyledRange]]
"""The coloured ranges of each row, from the row's first character on."""


def colored_lines(rows: Sequence[FileRow], language: str) -> ColoredLines:
    """Return the coloured ranges of the rows of a file: of the text as it was, and of the text as it is."""
    out: ColoredLines = {}
    if not language or sum(len(row.text) + 1 for row in rows) > MOST_COLORED:
        return out
    for left_out in (RowKind.ADDED, RowKind.REMOVED):  # the latter last, because its text is shown
        own = [at for at, row in enumerate(rows) if row.kind is not left_out]
        if len(own) < len(rows) or left_out is RowKind.REMOVED:
            _color(out, rows, own, language)
    return out


def _color(out: ColoredLines, rows: Sequence[FileRow], own: Sequence[int], language: str) -> None:
    ranges = iter(styled_ranges("\n".join(rows[at].text for at in own), language))
    current = next(ranges, None)
    start = 0
    for at in own:
        stop = start + len(rows[at].text.encode("utf-16-le", "surrogatepass")) // 2
        found: list[StyledRange] = []
        while current is not None and current.start < stop:
            if current.stop > start:
                found.append(
                    StyledRange(max(current.start, start) - start, min(current.stop, stop) - start, current.color)
                )
            if current.stop > stop:
                break
            current = next(ranges, None)
        out[at] = found
        start = stop + 1
