"""Hands that chat without a mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.journeys.hands import Keyboard
from tests.journeys.person import Person

Key = Qt.Key
CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


class Keys:
    """Uses only the keyboard: every key goes to the focused widget."""

    def __init__(self, person: Person) -> None:
        self._person, self._window = person, person.window
        self._composer = person.window.transcript.composer
        self._hands = Keyboard(person)

    def start_chat(self) -> None:
        self._press(Key.Key_N, CONTROL)

    def connect(self, url: str) -> None:
        self._press(Key.Key_N, CONTROL | SHIFT)
        dialog = self._person.gui.controllers.connections.dialog
        assert dialog is not None
        self._person.until(dialog.isVisible)
        dialog.list.setFocus()
        QTest.keyClick(dialog.list, Key.Key_End)
        form = dialog.form
        for field, text in ((form.controls.edit("name"), "Fake"), (form.controls.edit("base_url"), url)):
            _to(dialog, field)
            QTest.keyClick(field, Key.Key_A, CONTROL)
            QTest.keyClicks(field, text)
        _to(dialog, form.controls.choice("api"))
        QTest.keyClick(form.controls.choice("api"), Key.Key_A)
        _to(dialog, form.controls.edit("model"))
        QTest.keyClick(form.controls.edit("model"), Key.Key_Return)
        self._person.until(lambda: not dialog.isVisible())

    def send(self, text: str) -> None:
        self._press(Key.Key_L, CONTROL)
        QTest.keyClicks(self._composer.editor, text)
        self._press(Key.Key_Return)

    def stop(self) -> None:
        self._press(Key.Key_L, CONTROL)
        self._press(Key.Key_Escape)

    def edit(self, key: int) -> None:
        self._choose(key)
        self._press(Key.Key_Return)
        self._person.just_go()

    def regenerate(self, key: int) -> None:
        self._choose(key)
        self._press(Key.Key_R, CONTROL | SHIFT)

    def previous_sibling(self, key: int) -> None:
        self._choose(key)
        self._press(Key.Key_BracketLeft)

    def go_to_leaf(self) -> None:
        self._press(Key.Key_G)

    def lift_queued(self, row: int) -> None:
        self._queued(row, Key.Key_Up, ALT)

    def drop_queued(self, row: int) -> None:
        self._queued(row, Key.Key_Delete)

    def fork(self, key: int) -> None:
        self._choose(key)
        self._press(Key.Key_F)

    def _choose(self, key: int) -> None:
        self._person.until(lambda: self._window.branches.list.model.row_of(key) is not None)
        self._hands.choose(key)

    def _queued(self, row: int, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        rows = self._composer.queue.rows
        self._hands.move_to(rows[0])
        for at in range(row):
            QTest.keyClick(rows[at], Key.Key_Down)
        QTest.keyClick(rows[row], key, held)

    def _press(self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        focused = self._window.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, held)


def _to(dialog: QWidget, field: QWidget) -> None:
    """Press Tab until the field has the focus."""
    for _ in range(20):
        if dialog.focusWidget() is field:
            return
        QTest.keyClick(dialog.focusWidget(), Key.Key_Tab)
    raise AssertionError(f"Tab never reached {field.accessibleName()}")
