"""Reads of the archive for work that takes long, and how far that work is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import TypeVar

from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import Session
from stemmata.services.ports.archive import Archive, ArchiveReader

T = TypeVar("T")

AT_ONCE = 200  # entries of one read
VISITS = 3  # of each entry of a summary: its row and its body are read, and its operations are computed
MOST = 99  # percent until the summary is there


class ReadInParts:
    """Reads the archive in short jobs from another thread, so that the reads of the window come in between.

    Every read raises CancelledError once `is_wanted` is false. `tell` gets the number of entries of each read.
    """

    def __init__(
        self,
        archive: Archive,
        is_wanted: Callable[[], bool],
        tell: Callable[[int], object] = lambda _count: None,
    ) -> None:
        self._archive, self._is_wanted, self._tell = archive, is_wanted, tell

    def session(self, key: int) -> Session:
        """As described in `EntrySource`."""
        return self._read(lambda reader: reader.session(key))

    def tree(self, session: int) -> Tree:
        """As described in `EntrySource`."""
        return self._read(lambda reader: reader.tree(session))

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        """As described in `EntrySource`."""
        return self._in_parts(keys, lambda reader, part: reader.rows(part))

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]:
        """As described in `EntrySource`."""
        return self._in_parts(keys, lambda reader, part: reader.bodies(part))

    def _in_parts(
        self, keys: Sequence[int], read: Callable[[ArchiveReader, Sequence[int]], dict[int, T]]
    ) -> dict[int, T]:
        def read_part(part: Sequence[int]) -> dict[int, T]:
            return self._read(lambda reader: read(reader, part))

        found: dict[int, T] = {}
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            found |= read_part(part)
            self._tell(len(part))
        return found

    def _read(self, job: Callable[[ArchiveReader], T]) -> T:
        if not self._is_wanted():
            raise CancelledError
        return self._archive.read(job).result()


class DraftProgress:
    """Counts the visits of a summary's entries, and tells the percentage when it changes."""

    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell = tell
        self._visits, self._done, self._percent = 0, 0, 0

    def begin(self, entries: int) -> None:
        """Expect the visits of this many entries."""
        self._visits, self._done = VISITS * entries, 0

    def add(self, visits: int) -> None:
        """Count visits; visits before the beginning are ignored."""
        self._done += visits
        percent = min(MOST, 100 * self._done // self._visits) if self._visits else 0
        if percent != self._percent:
            self._percent = percent
            self._tell(percent)
