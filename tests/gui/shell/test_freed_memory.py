"""Memory that is free after a large session was read goes back to the system, once nobody waits for the window."""

from __future__ import annotations

from threading import get_ident

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.core import freed_memory
from stemmata.gui.core.freed_memory import LARGE, MANY_TEXTS, FreedMemory


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(freed_memory, "REST_MS", 0)
    return []


@pytest.fixture
def memory(qapp: QApplication, calls: list[str]) -> FreedMemory:
    return FreedMemory(QObject(qapp), lambda: calls.append("given back"))


def test_memory_is_given_back_once_after_a_large_session(memory: FreedMemory, calls: list[str], qtbot: QtBot) -> None:
    memory.tree_read(LARGE)
    memory.tree_read(LARGE)  # it grew
    assert memory.is_waiting
    assert not calls
    qtbot.waitUntil(lambda: bool(calls))
    qtbot.waitUntil(lambda: not memory.is_waiting)
    assert calls == ["given back"]


def test_the_window_does_not_wait_for_it(qapp: QApplication, calls: list[str], qtbot: QtBot) -> None:
    """To give back what a digest of a million entries had read took 18 ms of a turn."""
    threads: list[int] = []
    memory = FreedMemory(QObject(qapp), lambda: threads.append(get_ident()))
    memory.tree_read(LARGE)
    qtbot.waitUntil(lambda: bool(threads))
    assert threads != [get_ident()]


def test_a_usual_session_gives_nothing_back(memory: FreedMemory) -> None:
    memory.tree_read(LARGE - 1)
    memory.texts_read(MANY_TEXTS - 1)
    assert not memory.is_waiting


def test_memory_is_given_back_after_many_texts_were_read(memory: FreedMemory, calls: list[str], qtbot: QtBot) -> None:
    memory.texts_read(MANY_TEXTS)
    qtbot.waitUntil(lambda: bool(calls))


def test_nothing_is_given_back_after_the_end(memory: FreedMemory, calls: list[str]) -> None:
    memory.tree_read(LARGE)
    memory.close()
    assert not memory.is_waiting
    QApplication.processEvents()
    assert not calls


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_systems_without_the_function_are_left_alone(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", platform)
    freed_memory.give_free_memory_back()
