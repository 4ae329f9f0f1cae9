"""A placeholder shown while a session loads: grey bars in place of text. They are not animated."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

PARTS = (1, 3, 2, 5, 1, 2, 4)  # lines per placeholder card, without the heading
LENGTHS = (
    0.94,
    0.88,
    0.97,
    0.42,
    0.91,
    0.63,
    0.85,
    0.34,
)  # widths of the bars in turn, as shares of the reading width
HEAD = 0.16


class LoadingSkeleton(QWidget):
    """The placeholder, as wide as the transcript's text."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Create the placeholder; `name` is its accessible name, such as "Opening…"."""
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
        """Yield the bars from the top until the widget is full."""
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
