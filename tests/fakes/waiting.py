"""Waiting for a condition, where there is no window whose events could be waited for."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Fails when it does not hold in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)
