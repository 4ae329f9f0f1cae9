"""Labels of plain text: what a file says is never read as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent


SIDES = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignRight


def draw_words(painter: QPainter, rect: QRect | QRectF, alignment: Qt.AlignmentFlag, text: str) -> None:
    """`alignment` is the window's, mirrored with it; a Hebrew title in an English window still begins at the left."""
    window = painter.layoutDirection()
    side = absolute(alignment, window)
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    painter.drawText(QRectF(rect), side, text)
    painter.setLayoutDirection(window)


def absolute(alignment: Qt.AlignmentFlag, window: Qt.LayoutDirection) -> Qt.AlignmentFlag:
    """As `QStyle.visualAlignment` answers, whose class takes milliseconds of the start to load."""
    if not alignment & Qt.AlignmentFlag.AlignHorizontal_Mask:
        alignment |= Qt.AlignmentFlag.AlignLeft
    if (
        window == Qt.LayoutDirection.RightToLeft
        and alignment & SIDES
        and not alignment & Qt.AlignmentFlag.AlignAbsolute
    ):
        alignment ^= SIDES
    return alignment | Qt.AlignmentFlag.AlignAbsolute


MOST_SHOWN = 1_000  # characters of a label or a message; of more, Qt would shape every letter
MOST_TIP = 2_000


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning where nobody could read all of it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """`role`: one of the style sheet's, such as dim, faint, section, heading, chip, error."""
    out = QLabel(text)
    out.setTextFormat(Qt.TextFormat.PlainText)
    out.setWordWrap(wrap)
    if role:
        out.setProperty("role", role)
    return out


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet selects by, and style the widget anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """One line that gives way: what does not fit ends in an ellipsis, and the whole is in the tooltip."""

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(shortened(text))
        self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        super().setText(shortened(text))

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 1, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 3, super().minimumSizeHint().height())

    def setToolTip(self, text: str) -> None:
        """What the tooltip says while the text is cut, "" for the text itself."""
        self._tip = shortened(text, MOST_TIP)
        super().setToolTip(self._tip)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Made ready here, since whoever overrides `event` has all of Qt's kinds of events loaded at the start."""
        from html import escape  # late: it brings all the entities of HTML

        super().enterEvent(event)
        super().setToolTip("" if self.is_whole else self._tip or f"<qt>{escape(self.text())}</qt>")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        draw_words(painter, self.contentsRect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, self._shown())
        painter.end()

    @property
    def is_whole(self) -> bool:
        """Whether all of it can be read."""
        return self._shown() == self.text()

    def _shown(self) -> str:
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
