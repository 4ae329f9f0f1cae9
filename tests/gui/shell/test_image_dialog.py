"""An image by itself: in the size that fits, in its own, larger and smaller."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.image_dialog import ImageDialog


@pytest.fixture
def dialog(theme: Theme, qtbot: QtBot) -> Iterator[ImageDialog]:
    parent = QWidget()
    parent.resize(1000, 800)
    qtbot.addWidget(parent)
    image = QImage(2000, 1000, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    dialog = ImageDialog(theme, parent, image)
    dialog.show()
    yield dialog
    parent.close()


def test_it_fits_at_first_and_when_the_size_changes(dialog: ImageDialog) -> None:
    room = dialog.area.maximumViewportSize()
    assert dialog.picture.width() <= room.width()
    before = dialog.scale
    dialog.resize(dialog.width() // 2, dialog.height())
    assert dialog.scale < before


def test_keys_change_the_size(dialog: ImageDialog) -> None:
    QTest.keyClick(dialog, Qt.Key.Key_1)
    assert dialog.picture.width() == 2000
    QTest.keyClick(dialog, Qt.Key.Key_Plus)
    assert dialog.picture.width() == 2500
    QTest.keyClick(dialog, Qt.Key.Key_Minus)
    assert dialog.picture.width() == 2000
    QTest.keyClick(dialog, Qt.Key.Key_0)
    assert dialog.picture.width() < 1000
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_it_cannot_grow_without_end(dialog: ImageDialog) -> None:
    for _ in range(40):
        dialog.buttons["in"].click()
    assert dialog.picture.width() == 16_000
    for _ in range(80):
        dialog.buttons["out"].click()
    assert dialog.picture.width() == 100
    dialog.buttons["whole"].click()
    assert dialog.picture.width() == 2000
    dialog.grab()
    dialog.close()


def test_it_tells_the_size_and_asks_to_copy_and_save(dialog: ImageDialog, qtbot: QtBot) -> None:
    assert dialog.facts.text() == "2000 × 1000"
    keys = Qt.KeyboardModifier.ControlModifier
    with qtbot.waitSignal(dialog.copy_requested):
        QTest.keyClick(dialog, Qt.Key.Key_C, keys)
    with qtbot.waitSignal(dialog.save_requested):
        QTest.keyClick(dialog, Qt.Key.Key_S, keys)
    with qtbot.waitSignal(dialog.save_requested):
        dialog.buttons["save"].click()
