"""Pausing an import between two of its files, or inside one."""

from __future__ import annotations

import threading
from collections.abc import Callable


class PauseSwitch:
    """Lets an import wait before its next file.

    A file under way is rolled back and read again later, since its transaction would block others meanwhile.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paused = False
        self._go_on: Callable[[], None] | None = None

    def pause(self) -> None:
        """Let the import wait, at the latest after the next entries of the file under way."""
        with self._lock:
            self._paused = True

    def resume(self) -> None:
        """Continue the import."""
        with self._lock:
            self._paused = False
            go_on, self._go_on = self._go_on, None
        if go_on is not None:
            go_on()

    @property
    def is_paused(self) -> bool:
        """Whether the import is to wait."""
        return self._paused

    def holds(self, go_on: Callable[[], None]) -> bool:
        """Return whether the import is paused.

        If it is, call `go_on` when it is resumed, on the thread that resumes it.
        """
        with self._lock:
            if self._paused:
                self._go_on = go_on
            return self._paused
