"""Identify processes, to tell whether the process that wrote a record still runs.

Process numbers are reused, so an identity includes the start time.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
import time
from pathlib import Path


class SystemClock:
    """Implements `services.ports.archive.Clock`."""

    def now(self) -> int:
        """Return the time in nanoseconds since the epoch."""
        return time.time_ns()

    def new_id(self) -> str:
        """Return a random id of 8 hex characters."""
        return secrets.token_hex(4)


_START_FIELD = 19  # field of /proc/<pid>/stat after the name in parentheses: start time in clock ticks since boot


def this_process() -> str:
    """Return this process as "pid:start time"; the start time is empty when the system does not report it."""
    pid = os.getpid()
    return f"{pid}:{_started(pid) or ''}"


def is_alive(owner: str) -> bool:
    """Return whether the process with this identity still runs; True when that cannot be determined."""
    number, _, start = owner.partition(":")
    if not number.isdecimal() or int(number) == 0:
        return False
    pid = int(number)
    if not _exists(pid):
        return False
    now = _started(pid)
    return not start or now is None or now == start


def _started(pid: int) -> str | None:
    """Return the start time of a process as text, or None; supported on Linux only."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(")")[2].split()[_START_FIELD]
    except (OSError, IndexError):
        return None


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return _exists_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _exists_on_windows(pid: int) -> bool:
    """Return whether the process exists.

    On Windows, opening an ended process fails, and signal 0 would end a running one.
    """
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259  # STILL_ACTIVE
