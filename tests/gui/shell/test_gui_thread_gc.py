"""Python's search for garbage on the GUI thread: what is searched while the window is used, and what later."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.core import gui_thread_gc
from stemmata.gui.core.gui_thread_gc import GuiThreadGc

pytestmark = pytest.mark.enables_gc


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[GuiThreadGc]:
    """A collector whose timer does not fire: the test calls `look`."""
    assert qapp is not None
    owner, before = QObject(), gc.get_threshold()
    made = GuiThreadGc(owner)
    made._timer.stop()
    gc.set_threshold(50, 2, 2)
    yield made
    made.close()
    gc.set_threshold(*before)
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def searched() -> Iterator[list[int]]:
    """The generations that were searched, in order."""
    out: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            out.append(info["generation"])

    gc.callbacks.append(note)
    yield out
    gc.callbacks.remove(note)


def test_young_objects_are_searched(collector: GuiThreadGc, searched: list[int]) -> None:
    collector.settle()
    collector.collect_when_due()
    assert searched == []
    kept = [[number] for number in range(1_000)]
    collector.collect_when_due()
    collector.collect_when_due()
    assert searched == [0], "once, while there are no more"
    assert len(kept) == 1_000


def test_objects_that_are_too_many_are_not_searched(
    collector: GuiThreadGc, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streaming a megabyte of code makes 200,000 of them, whose search takes 60 ms."""
    monkeypatch.setattr(gui_thread_gc, "MOST_SEARCHED", 2_000)
    collector.settle()
    collector.collect_when_due()
    before = gc.get_freeze_count()
    many = [[number] for number in range(3_000)]
    collector.collect_when_due()
    assert searched == []
    assert gc.get_freeze_count() >= before + 3_000
    del many
    few = [[number] for number in range(1_000)]
    collector.collect_when_due()
    assert searched == [0]
    assert len(few) == 1_000


def test_young_objects_are_counted_although_old_ones_were_deleted(
    collector: GuiThreadGc, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree that took the place of another made 25,000 objects, and Python's counter said 5,500."""
    monkeypatch.setattr(gui_thread_gc, "MOST_SEARCHED", 2_000)
    old = [[number] for number in range(2_000)]
    collector.settle()
    collector.collect_when_due()
    young = [[number] for number in range(3_000)]
    del old
    assert gc.get_count()[0] < 2_000
    collector.collect_when_due()
    assert searched == []
    assert len(young) == 3_000


def test_everything_is_searched_when_the_person_is_away(
    collector: GuiThreadGc, searched: list[int], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui_thread_gc, "GROWN", 1_000)
    gone: list[int] = []

    class Noted:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            gone.append(1)

    collector.collect_all()
    searched.clear()
    old = Noted()
    collector.settle()
    collector.collect_when_due()
    del old
    few = [[number] for number in range(100)]
    collector.collect_all()
    assert searched == [], "too few are new"
    kept = [[number] for number in range(2_000)]
    collector._away.setInterval(0)
    collector._timer.start()
    application = QGuiApplication.instance()
    assert isinstance(application, QGuiApplication)
    application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert not collector._away.isActive(), "came back"
    application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    qtbot.waitUntil(lambda: gone == [1])
    assert 2 in searched
    assert len(kept) + len(few) == 2_100
    searched.clear()
    collector.collect_all()
    assert searched == [], "none is new"


def test_a_closed_window_is_searched_for_when_the_person_is_away(collector: GuiThreadGc, searched: list[int]) -> None:
    collector.settle()
    collector.collect_when_due()
    collector.collect_all_when_away()
    collector.collect_all()
    assert searched == [2]


def test_what_the_start_has_loaded_is_not_searched(collector: GuiThreadGc, searched: list[int]) -> None:
    kept = [[number] for number in range(1_000)]
    collector.collect_when_due()
    collector.settle()
    collector.collect_when_due()
    assert searched == []
    assert gc.get_freeze_count() > len(kept)


def test_a_window_that_is_never_painted_is_searched_all_the_same(
    collector: GuiThreadGc, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui_thread_gc, "STARTING", 500)
    gc.freeze()
    kept = [[number] for number in range(1_000)]
    collector.collect_when_due()
    assert len(searched) == 1
    assert len(kept) == 1_000
