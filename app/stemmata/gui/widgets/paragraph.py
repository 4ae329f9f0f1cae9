"""Some lines of plain text that stand as far apart as those of the transcript: a label knows no distance of lines."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.painting import absolute


class Paragraph(QLabel):
    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)

    def heightForWidth(self, width: int) -> int:
        around = 2 * self.margin()
        lines = self._laid_out(max(width - around, 1)).lineCount()
        return max(lines, 1) * self._distance + around

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(hint.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self._distance)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        place = self.contentsRect().adjusted(self.margin(), self.margin(), -self.margin(), -self.margin())
        layout = self._laid_out(max(place.width(), 1))
        free = place.height() - layout.lineCount() * self._distance
        top = 0 if self.alignment() & Qt.AlignmentFlag.AlignTop else free / 2
        layout.draw(painter, QPointF(place.left(), place.top() + max(top, 0)))
        painter.end()

    @property
    def _distance(self) -> int:
        return max(self.fontMetrics().height(), round(self.font().pixelSize() * metrics.LINE_PERCENT / 100))

    def _laid_out(self, width: int) -> QTextLayout:
        option = QTextOption(
            absolute(self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask, self.layoutDirection())
        )
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout = QTextLayout(self.text().replace("\n", "\N{LINE SEPARATOR}"), self.font())
        layout.setTextOption(option)
        layout.beginLayout()
        inset = (self._distance - self.fontMetrics().height()) / 2
        line, top = layout.createLine(), inset
        while line.isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            line, top = layout.createLine(), top + self._distance
        layout.endLayout()
        return layout
