"""What stands in the place of the rows while there are none: bars while they are being read, else why not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.words import why_nothing
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.skeleton import LENGTHS


class NoRows:
    """`waits`: rows are on their way, and take their time."""

    def __init__(self, theme: Theme, model: BranchesModel, viewport: QWidget) -> None:
        self._theme, self._model, self._viewport = theme, model, viewport
        self.waits = False
        self._why = label("", "dim", wrap=True)
        self._why.setParent(viewport)
        self._why.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)

    @property
    def message(self) -> str:
        """Why there are none, "" while there are some."""
        return "" if self._why.isHidden() else self._why.text()

    def refresh(self) -> None:
        """Other rows, or another room."""
        outline = self._model.outline
        self._why.setVisible(outline is not None and not len(self._model))
        if outline is not None:
            self._why.setText(why_nothing(outline.density))
        margin = self._theme.px(metrics.SPACE[7])
        self._why.setGeometry(self._viewport.rect().adjusted(margin, margin, -margin, -margin))


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
