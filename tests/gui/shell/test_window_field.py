"""Fields of the window leave its keys to the window. Qt's offscreen platform has other keys than X11, so these tests
send the events of X11 as its fields get them: accepted, unless the field ignores them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.window_field import WindowField

Key = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def field(qtbot: QtBot) -> WindowField:
    field = WindowField()
    qtbot.addWidget(field)
    return field


def takes(field: WindowField, key: Key, modifiers: Qt.KeyboardModifier = CTRL) -> bool:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, "")
    event.accept()
    field.event(event)
    return event.isAccepted()


def test_export_and_the_raw_entry_keep_their_keys(field: WindowField) -> None:
    field.setText("abc")
    assert [takes(field, key) for key in (Key.Key_E, Key.Key_U, Key.Key_A)] == [False, False, True]
    assert takes(field, Key.Key_E, SHIFT)


def test_undo_and_redo_are_those_of_the_window_when_the_field_has_nothing_to_undo(field: WindowField) -> None:
    redo = CTRL | SHIFT
    assert (takes(field, Key.Key_Z), takes(field, Key.Key_Z, redo)) == (False, False)
    QTest.keyClicks(field, "abc")
    assert (takes(field, Key.Key_Z), takes(field, Key.Key_Z, redo)) == (True, False)
    field.undo()
    assert (takes(field, Key.Key_Z), takes(field, Key.Key_Z, redo)) == (False, True)
