"""Each column is gone to by its own keys, wherever the keyboard is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.journeys.person import Person

ALT = Qt.KeyboardModifier.AltModifier
KEYS = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4)


@pytest.fixture
def reading(person: Person, session_file: Path) -> Person:
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    person.window.activateWindow()
    person.window.transcript.composer.editor.setFocus()
    return person


def columns(person: Person) -> list[QWidget]:
    window = person.window
    return [window.sessions.list, window.branches.list, window.transcript.view, window.context]


def press(person: Person, key: Qt.Key) -> None:
    QTest.keyClick(person.window, key, ALT)


def test_every_column_is_reached_from_the_composer(reading: Person) -> None:
    editor = reading.window.transcript.composer.editor
    for key, column in zip(KEYS, columns(reading), strict=True):
        editor.setFocus()
        reading.until(editor.hasFocus)
        press(reading, key)
        focused = reading.window.focusWidget()
        assert focused is column or column.isAncestorOf(focused)
    assert editor.toPlainText() == ""


def test_a_hidden_column_is_shown_and_a_shown_one_stays(reading: Person) -> None:
    window = reading.window
    window.actions_table["show-branches"].trigger()
    assert not window.branches.isVisible()
    for _ in range(2):
        press(reading, Qt.Key.Key_2)
        assert window.branches.isVisible()
        assert window.branches.list.hasFocus()
        assert window.actions_table["show-branches"].isChecked()


def test_the_transcript_is_the_one_of_the_active_side(reading: Person) -> None:
    window = reading.window
    window.actions_table["split-view"].trigger()
    window.actions_table["other-side"].trigger()
    press(reading, Qt.Key.Key_2)
    assert window.branches.list.hasFocus()
    press(reading, Qt.Key.Key_3)
    reading.until(window.beside.view.hasFocus)
