"""Windows that change their looks show the new picture at once, though columns are painted in several turns."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.covers import Cover, Covers
from stemmata.gui.theme.theme import Theme
from tests.gui.theme.columns_window import ColumnsWindow, Painted


@pytest.fixture
def window(qtbot: QtBot) -> ColumnsWindow:
    return ColumnsWindow(qtbot)


@pytest.fixture
def theme(application: QApplication) -> Theme:
    theme = Theme("dark")
    theme.apply(application)
    theme.takes_turns = True
    return theme


def _take(window: ColumnsWindow) -> Covers:
    window.widget.setUpdatesEnabled(False)
    for column in window.columns:
        column.color = QColor("blue")
        column.update()
    window.count()
    return Covers([window.widget])


def test_no_column_is_seen_before_all_are_painted(window: ColumnsWindow) -> None:
    assert window.seen() == {"#ff0000"}
    covers = _take(window)
    shares = []
    for _ in covers.take():
        QApplication.processEvents()
        shares.append(window.count())
        assert window.seen() == {"#ff0000"}
    assert shares == [0, 1, 1]  # into their pictures, one in a turn
    covers.show()
    QApplication.processEvents()
    assert window.seen() == {"#0000ff"}
    assert window.count() == 0


def test_columns_are_painted_one_in_a_turn_below_their_pictures(window: ColumnsWindow) -> None:
    covers = _take(window)
    for _ in covers.take():
        pass
    covers.show()
    QApplication.processEvents()
    window.count()
    shares = []
    for _ in covers.remove():
        QApplication.processEvents()
        shares.append(window.count())
        assert window.seen() == {"#0000ff"}
    assert shares == [1, 1]
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]


def test_a_message_over_the_window_stays_on_top(window: ColumnsWindow, qtbot: QtBot) -> None:
    def color() -> str:
        picture = window.widget.screen().grabWindow(window.widget.winId()).toImage()
        return picture.pixelColor(message.geometry().center()).name()

    message = Painted(window.widget)
    message.color = QColor("green")
    place = window.second.mapTo(window.widget, window.second.rect().center())
    message.setGeometry(place.x(), place.y(), 20, 20)
    message.show()
    qtbot.waitUntil(lambda: color() == "#008000", timeout=3000)
    covers = _take(window)
    for turns in (covers.take, covers.remove):
        for _ in turns():
            QApplication.processEvents()
            assert color() == "#008000"
        covers.show()
        QApplication.processEvents()
        assert color() == "#008000"


def test_a_hidden_page_is_not_laid_out_for_a_picture(window: ColumnsWindow) -> None:
    window.pages.setCurrentWidget(window.hidden)
    window.pages.setCurrentWidget(window.second)
    window.widget.resize(600, 300)
    QApplication.processEvents()
    window.hidden.resizes = 0
    for _ in _take(window).take():
        QApplication.processEvents()
    assert window.hidden.resizes == 0
    window.widget.setUpdatesEnabled(True)
    window.pages.setCurrentWidget(window.hidden)
    assert window.hidden.resizes == 1
    assert window.hidden.size() == window.pages.size()


def test_a_high_column_is_painted_in_strips_that_fit(window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    def picture() -> QImage:
        return window.widget.screen().grabWindow(window.widget.winId()).toImage()

    monkeypatch.setattr("stemmata.gui.theme.covers.MOST_SECONDS", -1)  # one strip in a turn
    monkeypatch.setattr("stemmata.gui.theme.covers.STRIP", 70)
    covers = _take(window)
    window.first.is_striped = True
    turns = sum(1 for _ in covers.take())
    assert turns == 1 + 2 * -(-window.first.height() // 70)
    covers.show()
    QApplication.processEvents()
    covered = picture()
    for _ in covers.remove():
        QApplication.processEvents()
        assert picture() == covered
    assert len({covered.pixelColor(window.first.x() + 30, y).name() for y in range(20, 180)}) > 3


def test_pictures_go_when_another_change_begins(window: ColumnsWindow) -> None:
    covers = _take(window)
    for _ in covers.take():
        pass
    covers.show()
    next(covers.remove())
    covers.close()
    assert all(column.updatesEnabled() for column in window.columns)
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]


def test_a_change_of_theme_ends_without_pictures(theme: Theme, window: ColumnsWindow, qtbot: QtBot) -> None:
    for steps in range(0, 30, 2):
        theme.set_scheme("light" if theme.dark else "dark")
        for _ in range(steps):
            theme.take_turn()
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert window.widget.updatesEnabled()
    assert all(column.updatesEnabled() for column in window.columns)
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]


def test_a_column_that_left_the_window_meanwhile_is_not_covered(window: ColumnsWindow, qtbot: QtBot) -> None:
    """Such as the side of a split view that is closed while the theme changes."""
    covers = _take(window)
    for _ in covers.take():
        pass
    qtbot.addWidget(window.first)
    window.first.setParent(None)
    covers.show()
    assert not [
        cover for cover in window.widget.findChildren(Cover) if cover.column is window.first and cover.isVisible()
    ]
    covers.close()
