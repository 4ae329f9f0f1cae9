"""Imports as Python makes them, from the import of this module on.

PySide puts functions of its own in the place of Python's import. They read the source of every module that is
imported from then on, and keep it, to see whether it says `from __feature__ import …` (snake_case, true_property).
Nothing here does. Looking for it takes 25 ms of the start and 400 ms of the first message, which loads an SDK of
3,000 modules; the kept sources take 29 MB, of which `linecache.clearcache` returns none to the system.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - puts them there


def restore() -> None:
    """Take PySide's functions out again. May be called twice."""
    original = getattr(builtins, "__orig_import__", None)  # where PySide keeps it
    if original is not None:
        builtins.__import__ = original


restore()
