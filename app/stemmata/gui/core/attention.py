"""Whether the user is scrolling. While the user scrolls, work on other threads pauses if no user waits for its
result. Such work takes Python's lock at each call of Qt, and would double the time of a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep

REST = 0.15  # seconds after the last step of scrolling
NAP = 0.05  # seconds between two looks


class Attention:
    """Notes when the window is scrolled. `clock` returns seconds, `nap` waits for that many."""

    def __init__(self, clock: Callable[[], float] = monotonic, nap: Callable[[float], object] = sleep) -> None:
        self._clock, self._nap = clock, nap
        self._until = float("-inf")

    def scrolled(self, _value: int = 0) -> None:
        """Note that the window has been scrolled."""
        self._until = self._clock() + REST

    @property
    def is_scrolled(self) -> bool:
        """Whether the window was scrolled a moment ago."""
        return self._clock() < self._until

    def when_free(self, is_wanted: Callable[[], bool]) -> Callable[[], bool]:
        """Return a function for another thread that waits while the window is scrolled, and returns `is_wanted`.

        Work calls it between its steps. It does not wait when the work is no longer wanted.
        """

        def go_on() -> bool:
            while self.is_scrolled and is_wanted():
                self._nap(NAP)
            return is_wanted()

        return go_on
