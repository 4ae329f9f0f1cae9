"""Importing this module restores Python's own import function, which PySide replaces.

PySide's function reads and keeps the source of every imported module, to see whether it contains
`from __feature__ import …` (snake_case, true_property). No module of this program does. Reading takes 25 ms of the
start and 400 ms of the first message, which loads an SDK of 3,000 modules; the kept sources take 29 MB, of which
`linecache.clearcache` returns none to the system.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - puts them there


def restore() -> None:
    """Put Python's own import function back in place of PySide's. May be called twice."""
    original = getattr(builtins, "__orig_import__", None)  # PySide stores the original function here
    if original is not None:
        builtins.__import__ = original


restore()
