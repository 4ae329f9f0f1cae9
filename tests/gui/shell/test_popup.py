"""Small windows beside what they are about."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.popup import Popup

FRAME = 4  # pixels that a platform may put around windows


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    host.setGeometry(0, 0, 400, 300)
    host.show()
    return host


@pytest.fixture
def field() -> QLineEdit:
    return QLineEdit()


@pytest.fixture
def popup(host: QWidget, field: QLineEdit) -> Popup:
    popup = Popup(host, "somePopup")
    QVBoxLayout(popup).addWidget(field)
    popup.resize(120, 60)
    return popup


@pytest.mark.parametrize(
    ("at", "wanted"), [(QPoint(395, 295), False), (QPoint(-50, -50), False), (QPoint(100, 100), True)]
)
def test_a_popup_is_seen_whole_and_closed_by_escape(
    host: QWidget, popup: Popup, field: QLineEdit, at: QPoint, *, wanted: bool
) -> None:
    popup.open_at(at, field)
    assert host.frameGeometry().adjusted(-FRAME, -FRAME, FRAME, FRAME).contains(popup.geometry())
    if wanted:
        assert (popup.pos() - at).manhattanLength() <= 2 * FRAME
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_without_room_below_it_stands_over_what_it_is_about(popup: Popup, field: QLineEdit) -> None:
    popup.open_at(QPoint(10, 290), field, above=30)
    row = range(260 - FRAME, 290)
    assert popup.geometry().bottom() <= row.stop - 30 + 2 * FRAME
    popup.hide()
    popup.open_at(QPoint(10, 100), field, above=30)
    assert popup.geometry().top() >= 100
