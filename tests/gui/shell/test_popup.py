"""Small windows beside what they are about."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.popup import Popup, fit

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


class Asking(QDialog):
    """A dialog that asks for a size."""

    wanted = QSize(300, 200)

    def sizeHint(self) -> QSize:
        return self.wanted


@pytest.fixture
def asking(qtbot: QtBot) -> Asking:
    dialog = Asking()
    qtbot.addWidget(dialog)
    fit(dialog)
    dialog.show()
    dialog.move(200, 200)
    return dialog


def test_a_dialog_that_changes_its_height_again_and_again_stays_where_it_is(asking: Asking) -> None:
    middle = asking.geometry().center()
    for height in (300, 200) * 3:
        asking.wanted = QSize(300, height)
        fit(asking)
        assert asking.size() == asking.wanted
        assert asking.geometry().center() == middle


def test_a_dialog_that_becomes_higher_keeps_its_title_on_the_screen(asking: Asking) -> None:
    asking.move(200, 0)
    asking.wanted = QSize(300, 500)
    fit(asking)
    assert asking.frameGeometry().top() == asking.screen().availableGeometry().top()


def test_a_dialog_that_the_user_has_made_larger_stays_so(asking: Asking) -> None:
    asking.resize(500, 400)
    asking.wanted = QSize(300, 250)
    fit(asking)
    assert asking.size() == QSize(500, 400)
    asking.wanted = QSize(300, 450)
    fit(asking)
    assert asking.size() == QSize(500, 450)
