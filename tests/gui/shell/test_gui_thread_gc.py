"""Python's search for garbage on the GUI thread: how often everything is searched."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from stemmata.gui.core import gui_thread_gc
from stemmata.gui.core.gui_thread_gc import GuiThreadGc


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


def test_everything_is_searched_again_only_after_it_has_grown_by_a_quarter(
    collector: GuiThreadGc, searched: list[int]
) -> None:
    collector.settle()
    collector.collect_when_due()
    kept = [[number] for number in range(20_000)]
    while 2 not in searched[1:]:
        kept.append([0])
        collector.collect_when_due()
    searched.clear()
    for _ in range(200):
        kept += [[number] for number in range(20)]
        collector.collect_when_due()
    assert searched.count(2) == 0
    assert searched.count(1) >= 10
    kept += [[number] for number in range(5_000)]
    while 2 not in searched:
        kept += [[number] for number in range(60)]
        collector.collect_when_due()
    assert len(kept) < 40_000


def test_a_circle_that_has_become_old_is_found_in_the_end(collector: GuiThreadGc) -> None:
    collector.settle()
    collector.collect_when_due()
    gone: list[int] = []

    class Noted:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            gone.append(1)

    old = Noted()
    gc.collect(1)
    gc.collect(1)
    del old
    kept: list[list[int]] = []
    while not gone:
        kept += [[number] for number in range(60)]
        collector.collect_when_due()
    assert len(kept) < 100_000


def test_what_the_start_has_loaded_is_not_searched(collector: GuiThreadGc, searched: list[int]) -> None:
    kept = [[number] for number in range(1_000)]
    collector.collect_when_due()
    collector.settle()
    collector.collect_when_due()
    assert searched == []
    assert gc.get_freeze_count() > len(kept)
    collector.settle(anew=True)
    collector.collect_when_due()
    assert searched == [2]


def test_a_window_that_is_never_painted_is_searched_all_the_same(
    collector: GuiThreadGc, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui_thread_gc, "STARTING", 500)
    kept = [[number] for number in range(1_000)]
    collector.collect_when_due()
    assert len(searched) == 1
    assert len(kept) == 1_000


def test_many_young_objects_are_not_searched_while_they_are_made(collector: GuiThreadGc, searched: list[int]) -> None:
    """A summary of a long session makes tens of thousands on its thread, and frees them when it is written."""
    collector.settle()
    collector.collect_when_due()
    work = []
    for _ in range(20):
        work += [[number] for number in range(2 * gui_thread_gc.MOST_YOUNG)]
        collector.collect_when_due()
    assert searched == []
    work.clear()
    few = [[number] for number in range(100)]
    collector.collect_when_due()
    assert len(searched) <= 1  # freed, so little is left to search
    assert len(few) == 100


def test_many_young_objects_are_searched_when_they_stay(collector: GuiThreadGc, searched: list[int]) -> None:
    collector.settle()
    collector.collect_when_due()
    stays = [[number] for number in range(2 * gui_thread_gc.MOST_YOUNG)]
    for _ in range(gui_thread_gc.QUIET):
        collector.collect_when_due()
    assert searched == []
    collector.collect_when_due()
    assert len(searched) == 1
    assert len(stays) == 2 * gui_thread_gc.MOST_YOUNG


def test_a_thread_that_never_rests_does_not_put_a_search_off_for_ever(
    collector: GuiThreadGc, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui_thread_gc, "PATIENCE", 5)
    collector.settle()
    collector.collect_when_due()
    work = []
    for _ in range(gui_thread_gc.PATIENCE + 1):
        work += [[number] for number in range(2 * gui_thread_gc.MOST_YOUNG)]
        collector.collect_when_due()
    assert len(searched) == 1
