"""What is painted over the chart of the context: where one is in time, where the mouse is, and the focus."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from stemmata.gui.context.chart_body import Scale
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


@dataclass(frozen=True, slots=True)
class ChartMarker:
    theme: Theme
    scale: Scale

    def paint(self, painter: QPainter, position: int, tokens: int, hover: int | None) -> None:
        """The marker at a position, on a context of so many tokens; what comes after it is not there yet: veiled."""
        theme, scale, plot = self.theme, self.scale, self.scale.plot
        if position < scale.count - 1:
            painter.setOpacity(1 - metrics.DIMMED)
            after = QRectF(QPointF(scale.x(position + 1), 0), QPointF(plot.right() + 1, plot.bottom()))
            painter.fillRect(after, theme.color("panel"))
            painter.setOpacity(1)
        if hover is not None:
            painter.setPen(QPen(theme.color("dim"), metrics.BORDER))
            self._line(painter, scale.x(hover + 0.5))
        at = scale.x(position + 0.5)
        painter.setPen(QPen(theme.color("accent"), metrics.FOCUS_BORDER))
        self._line(painter, at)
        painter.setPen(QPen(theme.color("panel"), metrics.FOCUS_BORDER))
        painter.setBrush(theme.color("accent"))
        radius = theme.px(metrics.LANE_DOT) / 2
        painter.drawEllipse(QPointF(at, scale.y(tokens)), radius, radius)

    def paint_focus(self, painter: QPainter, place: QRect) -> None:
        painter.setPen(QPen(self.theme.color("accent"), metrics.BORDER))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        half, radius = metrics.BORDER / 2, self.theme.px(metrics.RADIUS_BAR)
        painter.drawRoundedRect(QRectF(place).adjusted(half, half, -half, -half), radius, radius)

    def _line(self, painter: QPainter, x: float) -> None:
        painter.drawLine(QPointF(x, self.scale.plot.top()), QPointF(x, self.scale.plot.bottom()))
