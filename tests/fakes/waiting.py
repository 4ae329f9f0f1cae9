"""Waiting for a condition, where there is no window whose events could be waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 60.0  # seconds: more than a busy machine needs for anything that happens at all


def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail when it does not in time."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)
