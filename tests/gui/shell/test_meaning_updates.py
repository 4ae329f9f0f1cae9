"""New texts are prepared for the search by meaning while the window is open; an error is reported once."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from stemmata.domain.errors import CancelledError, KnownError
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.search import meaning_updates
from stemmata.gui.search.meaning_updates import MeaningUpdates


class World(QObject):
    """Services whose updates end when a test says so."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[Future[int]] = []
        self.reports: list[str] = []
        self.bridge = Bridge(self)
        self.searches_meaning = True
        self.meaning = SimpleNamespace(update=self._update)
        shared = cast("WindowContext", SimpleNamespace(services=self, bridge=self.bridge))
        self.parts = MeaningUpdates(shared, lambda error: self.reports.append(str(error)), self)

    def _update(self) -> Future[int]:
        self.updates.append(Future())
        return self.updates[-1]


@pytest.fixture
def world(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(meaning_updates, "PAUSE_MS", 0)
    world = World()
    yield world
    world.bridge.close()


def update(world: World, qtbot: QtBot, outcome: int | Exception) -> None:
    before = len(world.updates)
    world.bridge.changed.emit([])
    qtbot.waitUntil(lambda: len(world.updates) > before)
    if isinstance(outcome, Exception):
        world.updates[-1].set_exception(outcome)
    else:
        world.updates[-1].set_result(outcome)
    qtbot.waitUntil(lambda: not world.parts.is_running)


def test_a_change_starts_an_update(world: World, qtbot: QtBot) -> None:
    update(world, qtbot, 3)
    assert world.reports == []


def test_changes_during_an_update_start_the_next_one_after_it(world: World, qtbot: QtBot) -> None:
    world.bridge.changed.emit([])
    qtbot.waitUntil(lambda: len(world.updates) == 1)
    world.bridge.changed.emit([])
    world.updates[0].set_result(1)
    qtbot.waitUntil(lambda: len(world.updates) == 2)
    world.updates[1].set_result(0)


def test_an_error_is_reported_once_until_an_update_succeeds(world: World, qtbot: QtBot) -> None:
    for outcome in (KnownError("down"), KnownError("down"), CancelledError("stopped"), 0, KnownError("down")):
        update(world, qtbot, outcome)
    assert world.reports == ["down", "down"]


def test_nothing_happens_while_it_is_off(world: World, qtbot: QtBot) -> None:
    world.searches_meaning = False
    world.bridge.changed.emit([])
    qtbot.waitUntil(lambda: not world.parts.is_waiting)
    assert world.updates == []
