"""The lock that a program holds from its start until its window listens for later starts.

Without it, programs that are started at once would not find each other, and each would open a window.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

if sys.platform != "win32":  # where later starts are not handed over either
    import fcntl

log = logging.getLogger(__name__)


class StartLock:
    """A lock on a file, which names the program that holds it. The system releases it when that program ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Take the lock. Return False while another program holds it.

        A file that cannot be locked, as in a read-only folder, does not prevent a start.
        """
        if sys.platform == "win32":
            return True
        self.release()
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            log.info("Could not open %s: %s", self._path, error.strerror)
            return True
        self._descriptor = descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        except BlockingIOError:
            self.release()
            return False
        except OSError as error:  # a file system without locks, or without space
            log.info("Could not lock %s: %s", self._path, error.strerror)
        return True

    def release(self) -> None:
        """Release the lock, if this program holds it. The file stays, since others may be waiting for it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def holder(self) -> str:
        """Return the process number of the program that took the lock last, or "?"."""
        try:
            number = self._path.read_text(encoding="ascii", errors="replace")
        except OSError as error:
            log.info("Could not read %s: %s", self._path, error.strerror)
            return "?"
        return number if number.isdecimal() and len(number) < 20 else "?"
