"""Gives freed memory back to the system after a large session was read.

The C library of Linux keeps freed memory for later. While the tree of a million entries is read and counted, it
collects 20 to 40 MB in small pieces, and 10 MB while the texts of 14,000 entries are read for a digest. The library
never gives this memory back by itself. Giving it back takes 2 to 7 ms, and 18 ms after a digest of a million entries,
so a separate thread does it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.services.futures import run_in_thread

LARGE = 100_000  # entries of a session that is worth it
MANY_TEXTS = 2_000  # entries whose texts were read that are worth it
REST_MS = 2_000  # time after a tree was read in which its context is counted and shown


class FreedMemory(QObject):
    """Calls `give_back` a while after a large session was opened or read again."""

    def __init__(self, parent: QObject, give_back: Callable[[], object] | None = None) -> None:
        super().__init__(parent)
        self._give_back = give_back or give_free_memory_back
        self._given: Future[object] | None = None
        self._turn = SpareTurn(self, TurnClock(self), self._begin)
        self._timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._timer.timeout.connect(self._turn.start)

    @property
    def is_waiting(self) -> bool:
        """Whether memory is about to be given back."""
        is_giving = self._given is not None and not self._given.done()
        return self._timer.isActive() or self._turn.is_active or is_giving

    def tree_read(self, entries: int) -> None:
        """Give free memory back in a while if the tree that was read has many entries."""
        if entries >= LARGE:
            self._timer.start()

    def texts_read(self, entries: int) -> None:
        """Give free memory back in a while if the texts of many entries were read."""
        if entries >= MANY_TEXTS:
            self._timer.start()

    def _begin(self) -> None:
        self._given = run_in_thread(self._give_back)

    def close(self) -> None:
        """Stop giving memory back."""
        self._timer.stop()
        self._turn.stop()


def give_free_memory_back() -> None:
    """Give free memory back if the C library is GNU's; other libraries have no such function."""
    if sys.platform == "linux":
        import ctypes

        if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
            trim(0)
