"""Builds all parts and connects them. The only room that imports every layer; nothing but `__main__` imports it.

`core` opens an archive; `window` and `commands` are the two entrances; `parts` is loaded after the first paint.
Scripts start with `build`.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application


def build(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> Application:
    """Return the application, ready but not shown; see `window.build`."""
    gc.disable()  # as in `__main__`
    try:
        from stemmata.bootstrap import window  # imported late, see decision 26: the command line works without Qt
    finally:
        gc.enable()
    return window.build(argv, environment)
