"""Garbage with Qt objects in it is found on the GUI thread, whatever other threads do."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread, current_thread, main_thread

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.domain.errors import KnownError
from stemmata.gui.core.gui_thread_gc import GuiThreadGc
from tests.journeys.chatting import Chat
from tests.journeys.person import Person

pytestmark = pytest.mark.enables_gc

ENOUGH = 5_000  # objects another thread makes: many more than are made between two searches


class Noted(QObject):
    """A part of a reference circle that records the thread on which it is deleted."""

    def __init__(self, gone: list[Thread]) -> None:
        super().__init__()
        self.me, self.gone = self, gone

    def __del__(self) -> None:
        self.gone.append(current_thread())


@pytest.fixture
def eager(person: Person) -> Iterator[Person]:
    """Run Python's garbage collection as often as possible."""
    collector = person.gui.findChild(GuiThreadGc)
    assert collector is not None
    person.until(lambda: person.gui.is_warm and not collector._unsettled)  # no search before
    before = gc.get_threshold()
    gc.set_threshold(50, 2, 2)
    yield person
    gc.set_threshold(*before)


def test_what_qt_owns_goes_on_its_own_thread(eager: Person) -> None:
    gone: list[Thread] = []
    for _ in range(50):
        Noted(gone)
    kept: list[list[int]] = []
    busy = Thread(target=lambda: kept.extend([number] for number in range(ENOUGH)))
    busy.start()
    busy.join()
    assert gone == []
    eager.until(lambda: len(gone) == 50)
    assert set(gone) == {main_thread()}
    assert len(kept) == ENOUGH


def test_python_searches_by_itself_only_while_there_is_no_window(person: Person) -> None:
    assert not gc.isenabled()
    person.application.close()
    assert gc.isenabled()


def test_nor_where_the_window_could_not_be_built(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(b"no archive at all" * 999)
    with pytest.raises(KnownError):
        build(["--profile", str(tmp_path / "profile"), "--store", str(tmp_path / "archive")])
    assert gc.isenabled()


def test_what_was_loaded_is_not_searched_again(person: Person) -> None:
    """A whole search of the modules that the window loads is longer than a frame."""
    person.until(lambda: person.gui.is_warm)
    person.until(lambda: len(gc.get_objects()) < gc.get_freeze_count() / 3)


def test_a_session_that_is_opened_is_not_searched(person: Person, tmp_path: Path) -> None:
    """Python counts the objects of the session before against its own, so that its counter says nothing."""
    person.until(lambda: person.gui.is_warm)
    collector = person.gui.findChild(GuiThreadGc)
    assert collector is not None
    collector.collect_when_due()
    made = [[number] for number in range(1_000)]
    before = gc.get_freeze_count()
    person.gui.opened.started.emit()
    collector.collect_when_due()
    assert gc.get_freeze_count() >= before + len(made)


def test_a_window_that_is_closed_beside_another_is_found(person: Person) -> None:
    person.until(lambda: person.gui.is_warm)
    first, second = person.gui.workspaces[0], person.gui.open_window()
    person.until(lambda: second.is_warm)
    gone = weakref.ref(first)
    first.window.close()
    del first
    collector = person.gui.findChild(GuiThreadGc)
    assert collector is not None

    def is_gone() -> bool:
        collector.collect_all_when_away()
        collector.collect_all()  # as when the person has turned to another program
        return gone() is None

    person.until(is_gone)
    assert person.gui.workspaces == [second]


def test_an_application_that_is_closed_is_found(qtbot: QtBot, tmp_path: Path) -> None:
    def open_and_close() -> list[weakref.ref[QObject]]:
        application = build(["--profile", str(tmp_path / "profile")])
        application.window.show()
        qtbot.waitUntil(lambda: application.gui.is_warm)
        workspace = application.gui.workspaces[0]
        parts: list[QObject] = [application.gui, workspace, application.window, workspace.controllers]
        application.close()
        return [weakref.ref(part) for part in parts]

    gone = open_and_close()

    def is_gone() -> bool:
        gc.collect()  # the event loop deletes what Qt owns; what is left is a cycle of Python objects
        return [part() for part in gone] == [None] * len(gone)

    qtbot.waitUntil(is_gone)


def test_a_turn_leaves_no_garbage_of_ours(chat: Chat) -> None:
    """A search for garbage is rare, so that old trees would take more memory the longer the session is."""
    collector = chat.person.gui.findChild(GuiThreadGc)
    assert collector is not None
    chat.hands.send("one")
    chat.until_told(2)
    chat.person.until(lambda: chat.person.gui.is_warm)
    collector.close()
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for count, text in enumerate(("two", "three"), 2):
            chat.hands.send(text)
            chat.until_told(2 * count)
        gc.collect()
        found = [type(each) for each in gc.garbage]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert [kind for kind in found if kind.__module__.startswith("stemmata.") or kind is Future] == []
