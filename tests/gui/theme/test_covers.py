"""Windows that change their looks show the new picture at once, though columns are painted in several turns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.covers import Cover, Covers
from stemmata.gui.theme.theme import Theme


class Painted(QWidget):
    """A column in one colour that counts how often it was painted and resized."""

    color = QColor("red")
    paints = resizes = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paints += 1
        QPainter(self).fillRect(self.rect(), self.color)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.resizes += 1


class Window:
    """A window of two columns; the second is a page above a hidden one."""

    def __init__(self, qtbot: QtBot) -> None:
        self.widget = QWidget()
        qtbot.addWidget(self.widget)
        splitter, self.pages = QSplitter(), QStackedWidget()
        self.first, self.second, self.hidden = Painted(), Painted(), Painted()
        splitter.addWidget(self.first)
        splitter.addWidget(self.pages)
        for page in (self.second, self.hidden):
            self.pages.addWidget(page)
        for column in (self.first, self.second, self.hidden):
            column.setMinimumSize(50, 50)
        QVBoxLayout(self.widget).addWidget(splitter)
        self.widget.resize(400, 200)
        self.widget.show()
        qtbot.waitExposed(self.widget)
        qtbot.waitUntil(lambda: self.first.paints > 0 and self.second.paints > 0)
        QApplication.processEvents()

    @property
    def columns(self) -> tuple[Painted, Painted]:
        return self.first, self.second

    def count(self) -> int:
        """Return how often a column was painted since this was asked last."""
        painted = sum(column.paints for column in self.columns)
        for column in self.columns:
            column.paints = 0
        return painted

    def seen(self) -> set[str]:
        """Return the colours of the columns that the window shows."""
        picture = self.widget.screen().grabWindow(self.widget.winId()).toImage()
        places = (column.mapTo(self.widget, column.rect().center()) for column in self.columns)
        return {picture.pixelColor(place).name() for place in places}


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    return Window(qtbot)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    palette, font = qapp.palette(), qapp.font()
    theme = Theme("dark")
    theme.apply(qapp)
    theme.takes_turns = True
    yield theme
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)


def _take(window: Window) -> Covers:
    window.widget.setUpdatesEnabled(False)
    for column in window.columns:
        column.color = QColor("blue")
        column.update()
    window.count()
    return Covers([window.widget])


def test_no_column_is_seen_before_all_are_painted(window: Window) -> None:
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


def test_columns_are_painted_one_in_a_turn_below_their_pictures(window: Window) -> None:
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
    assert all(column.updatesEnabled() for column in window.columns)
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]


def test_a_hidden_page_is_not_laid_out_for_a_picture(window: Window) -> None:
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


def test_pictures_go_when_another_change_begins(window: Window) -> None:
    covers = _take(window)
    for _ in covers.take():
        pass
    covers.show()
    next(covers.remove())
    covers.close()
    assert all(column.updatesEnabled() for column in window.columns)
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]


def test_a_change_of_theme_ends_without_pictures(theme: Theme, window: Window, qtbot: QtBot) -> None:
    for steps in range(0, 30, 2):
        theme.set_scheme("light" if theme.dark else "dark")
        for _ in range(steps):
            theme.take_turn()
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert window.widget.updatesEnabled()
    assert all(column.updatesEnabled() for column in window.columns)
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, Cover)]
