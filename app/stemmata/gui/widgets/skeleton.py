"""Bars where words will stand, while what they say is being read. They do not move: it is soon over."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

PARTS = (1, 3, 2, 5, 1, 2, 4)  # lines of what follows each other, the heading not counted
LENGTHS = (0.94, 0.88, 0.97, 0.42, 0.91, 0.63, 0.85, 0.34)  # of the room, one after the other
HEAD = 0.16


class Skeleton(QWidget):
    """The shape of a conversation, in the reading width."""

    def __init__(self, theme: Theme, name: str) -> None:
        """`name`: what is going on, for those who do not see it."""
        super().__init__()
        self.setAccessibleName(name)
        self._theme = theme
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.color("bg"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("hover"))
        radius = self._theme.px(metrics.RADIUS_BAR)
        for bar in self.bars():
            painter.drawRoundedRect(bar, radius, radius)
        painter.end()

    def bars(self) -> Iterator[QRectF]:
        """From the top, as far as there is room."""
        px = self._theme.px
        width = min(self.width() - 2 * px(metrics.SPACE[8]), px(metrics.READING_WIDTH))
        left, y, number = (self.width() - width) / 2, px(metrics.SPACE[8]), 0
        thick, step = px(metrics.SPACE[5]), round(px(metrics.FONT_UI) * metrics.LINE_PERCENT / 100)
        for lines in PARTS:
            for line in range(1 + lines):
                if y + thick > self.height():
                    return
                length = HEAD if line == 0 else LENGTHS[number % len(LENGTHS)]
                yield QRectF(left, y, width * length, thick)
                number += line > 0
                y += step
            y += px(metrics.CARD_GAP)
