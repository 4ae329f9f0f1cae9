"""The drop target: the frame and text of the window while files are dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


class DropTarget(QWidget):
    """A veil with a dashed frame and a sentence over another widget. It lets the mouse and the drag through."""

    def __init__(self, theme: Theme, over: QWidget, text: str) -> None:
        super().__init__(over)
        self._theme, self._over, self._text = theme, over, text
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(text)
        self.hide()
        over.installEventFilter(self)

    @property
    def text(self) -> str:
        """The sentence that says how the files will be used."""
        return self._text

    def appear(self) -> None:
        """Cover the other widget."""
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Keep the size of the covered widget."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._over.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(metrics.VEIL)
        painter.fillRect(self.rect(), theme.color("bg"))
        painter.setOpacity(1)
        inset, radius = theme.px(metrics.SPACE[4]), theme.px(metrics.RADIUS_CARD)
        painter.setPen(QPen(theme.color("accent"), metrics.FOCUS_BORDER, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)
        painter.setFont(theme.font("ui_bold"))
        words = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        room = self.rect().adjusted(inset, inset, -inset, -inset)
        plate = painter.boundingRect(room, words, self._text).adjusted(-2 * inset, -inset, 2 * inset, inset)
        painter.setPen(QPen(theme.color("line"), metrics.BORDER))
        painter.setBrush(theme.color("raised"))
        painter.drawRoundedRect(QRectF(plate), radius, radius)
        painter.setPen(theme.color("text"))
        painter.drawText(room, words, self._text)
