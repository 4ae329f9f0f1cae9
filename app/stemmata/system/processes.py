"""Which process wrote something, and whether it still runs. Numbers are used again: the time of the start tells."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


class SystemClock:
    """Implements `services.ports.Clock`."""

    def now(self) -> int:
        return time.time_ns()

    def new_id(self) -> str:
        import secrets  # brings OpenSSL, which opening the window does not need

        return secrets.token_hex(4)


_START_FIELD = 19  # of /proc/<pid>/stat behind the name in parentheses: clock ticks from boot to the start


def this_process() -> str:
    """ "pid:start time", the start time empty where the system does not tell it."""
    pid = os.getpid()
    return f"{pid}:{_started(pid) or ''}"


def is_alive(owner: str) -> bool:
    """Whether the process of this name still runs; when in doubt it does."""
    number, _, start = owner.partition(":")
    if not number.isdecimal() or int(number) == 0:
        return False
    pid = int(number)
    if not _exists(pid):
        return False
    now = _started(pid)
    return not start or now is None or now == start


def _started(pid: int) -> str | None:
    """Linux only; None elsewhere."""
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
    """Opening is refused for a process that is gone. There, signal 0 would end it."""
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259  # STILL_ACTIVE
