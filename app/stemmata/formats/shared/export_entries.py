"""Fetch the rows and bodies of many entries page by page, for a writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.sources.export import ExportSource

PAGE = 64


def ids_of(source: ExportSource) -> list[str]:
    """Return the source ids of all entries of the tree, in tree order."""
    count = len(source.tree)
    pages = (range(start, min(start + PAGE, count)) for start in range(0, count, PAGE))
    return [row.id for page in pages for row in source.rows(page)]


def entries_of(source: ExportSource, entries: Sequence[int]) -> Iterator[tuple[int, EntryRow, Body]]:
    """Yield index, row and body of the given entries in the given order.

    At most one page of PAGE entries is in memory.
    """
    for start in range(0, len(entries), PAGE):
        page = entries[start : start + PAGE]
        yield from zip(page, source.rows(page), source.bodies(page), strict=True)
