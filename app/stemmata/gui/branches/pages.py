"""The words of the navigator's rows, read a page at a time and kept while they may be seen again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from stemmata.domain.entries.session_facts import EntryRow
from stemmata.services.ports.archive import Pages

PAGE = 64  # keys a call: what the store allows on the window's thread
KEPT = 2048


class EntryRows:
    """Entries never change, so a row once read stays right."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._rows: OrderedDict[int, EntryRow | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def load(self, keys: Iterable[int]) -> None:
        """Read those that are not here yet."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        for start in range(0, len(missing), PAGE):
            page = missing[start : start + PAGE]
            found = self._pages.rows(page)
            self._rows.update((key, found.get(key)) for key in page)
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)

    def get(self, key: int) -> EntryRow | None:
        """The row, read when it is not here; None when the archive has it no more."""
        if key not in self._rows:
            self.load([key])
        self._rows.move_to_end(key)
        return self._rows[key]

    def clear(self) -> None:
        self._rows.clear()
