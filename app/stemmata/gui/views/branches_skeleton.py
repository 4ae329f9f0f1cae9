"""Rows without words, while a session's tree is being read."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.skeleton import LENGTHS


def paint_skeleton(painter: QPainter, theme: Theme, area: QRect) -> None:
    """A lane with its marks, and a bar beside each."""
    row, lane, thick = theme.px(metrics.NAVIGATOR_ROW), theme.px(metrics.LANE), theme.px(metrics.SPACE[5])
    dot, radius, colour = theme.px(metrics.LANE_DOT) / 2, theme.px(metrics.RADIUS_BAR), theme.color("hover")
    count = area.height() // row
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, theme.px(metrics.LANE_LINE)))
    painter.drawLine(QPointF(lane, row / 2), QPointF(lane, (count - 0.5) * row))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    room = area.width() - 4 * lane
    for at in range(count):
        middle = (at + 0.5) * row
        painter.drawEllipse(QPointF(lane, middle), dot, dot)
        bar = QRectF(3 * lane, middle - thick / 2, room * LENGTHS[at % len(LENGTHS)], thick)
        painter.drawRoundedRect(bar, radius, radius)
