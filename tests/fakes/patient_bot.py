"""pytest-qt's robot with the patience of all tests: its own five seconds are too short for a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot

from tests.fakes.waiting import PATIENCE

LIMIT_MS = int(PATIENCE * 1000)


class PatientBot(QtBot):
    """A bot that waits up to `PATIENCE` for a condition or signal unless a test names another limit."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = LIMIT_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = LIMIT_MS, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitExposed(self, widget: Any, *, timeout: int = LIMIT_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)

    def waitActive(self, widget: Any, *, timeout: int = LIMIT_MS) -> Any:
        return super().waitActive(widget, timeout=timeout)
