"""What a process has of memory: resident, as objects of Python, and in the heap of the C library."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Heap:
    """`blocks` is the number of Python's small blocks; `used` and `free` are MB of the C library's heap.

    `free` is what was given back to that heap and not to the system. Both are 0 where the library does not tell.
    """

    blocks: int
    used: float
    free: float


class _Info(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )


def heap() -> Heap:
    """The heap now."""
    asked = _asked()
    if asked is None:
        return Heap(sys.getallocatedblocks(), 0.0, 0.0)
    info = asked()
    return Heap(sys.getallocatedblocks(), (info.uordblks + info.hblkhd) / 1e6, info.fordblks / 1e6)


def resident() -> float:
    """Return the resident memory in MB; 0 where the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * 4096 / 1e6


@cache
def _asked() -> Any:
    """The function `mallinfo2` of the GNU C library, None without it."""
    if not sys.platform.startswith("linux"):
        return None
    found = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if found is not None:
        found.restype = _Info
    return found
