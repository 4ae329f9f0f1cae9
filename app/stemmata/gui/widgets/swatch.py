"""A small square of one colour, as in a legend."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


class Swatch(QWidget):
    def __init__(self, theme: Theme, color: str) -> None:
        super().__init__()
        self._theme = theme
        self._color = color
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.SWATCH), self._theme.px(metrics.SWATCH))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(self._color))
        painter.drawRoundedRect(QRectF(self.rect()), metrics.SPACE[1], metrics.SPACE[1])
        painter.end()
