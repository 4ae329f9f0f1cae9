"""Imports as Python makes them.

PySide puts functions of its own in the place of Python's import. They read the source of every module that is
imported from then on, and keep it, to see whether it says `from __feature__ import …` (snake_case, true_property).
Nothing here does; looking for it takes up to a tenth of a second, and keeping the sources takes 34 MB of memory.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - puts them there


def restore() -> None:
    """Take PySide's functions out again. May be called twice."""
    original = getattr(builtins, "__orig_import__", None)  # where PySide keeps it
    if original is not None:
        builtins.__import__ = original
