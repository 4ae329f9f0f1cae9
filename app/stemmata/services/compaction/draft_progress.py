"""How far the draft of a summary is."""

from __future__ import annotations

from collections.abc import Callable

VISITS = 3  # of each entry: its row and its body are read, and its operations are computed
MOST = 99  # percent until the summary is there


class DraftProgress:
    """Counts visits of entries, and tells the percentage when it changes."""

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
