"""A window of columns that count how often they are painted, for tests of what is painted when."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot


class Painted(QWidget):
    """A column in one colour that counts how often it was painted and resized."""

    color = QColor("red")
    paints = resizes = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paints += 1
        QPainter(self).fillRect(self.rect(), self.color)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.resizes += 1


class ColumnsWindow:
    """A window of two columns; the second is a page above a hidden one."""

    def __init__(self, qtbot: QtBot, widget: QWidget | None = None) -> None:
        self.widget = widget or QWidget()
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
