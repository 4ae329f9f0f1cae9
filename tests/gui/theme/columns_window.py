"""A window of columns that count how often they are painted, for tests of what is painted when."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot


class Painted(QWidget):
    """A column in one colour that counts how often it was painted and resized."""

    color = QColor("red")
    paints = resizes = 0
    is_striped = False  # whether each line is darker than the one below it

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paints += 1
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.color)
        for y in range(self.height() if self.is_striped else 0):
            painter.fillRect(0, y, self.width(), 1, QColor(0, 0, min(y, 255)))

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.resizes += 1


class ColumnsWindow:
    """A window of two columns; the second is a page above a hidden one."""

    def __init__(
        self, qtbot: QtBot, widget: QWidget | None = None, layout: Callable[[QWidget], QVBoxLayout] = QVBoxLayout
    ) -> None:
        self.widget = widget or QWidget()
        qtbot.addWidget(self.widget)
        self.splitter, self.pages = splitter, _ = QSplitter(), QStackedWidget()
        self.first, self.second, self.hidden = Painted(), Painted(), Painted()
        splitter.addWidget(self.first)
        splitter.addWidget(self.pages)
        for page in (self.second, self.hidden):
            self.pages.addWidget(page)
        for column in (self.first, self.second, self.hidden):
            column.setMinimumSize(50, 50)
        self.layout = layout(self.widget)
        self.layout.addWidget(splitter)
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
