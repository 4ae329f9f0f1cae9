"""Importing this module restores Python's own import function, which PySide replaces.

PySide's function reads and keeps the source of every imported module, to see whether it contains
`from __feature__ import …` (snake_case, true_property). No module of this program does. Reading takes 25 ms of the
start and 400 ms of the first message, which loads an SDK of 3,000 modules; the kept sources take 29 MB, of which
`linecache.clearcache` returns none to the system. The sources of the 63 modules that were imported before PySide take
3 MB. They are dropped at once, so the next modules use this memory.
"""

from __future__ import annotations

import builtins
import linecache

import PySide6.QtCore  # noqa: F401 - puts them there


def restore() -> None:
    """Put Python's own import function back in place of PySide's, and drop the kept sources. May be called twice."""
    original = getattr(builtins, "__orig_import__", None)  # PySide stores the original function here
    if original is not None:
        builtins.__import__ = original
    linecache.clearcache()


restore()
