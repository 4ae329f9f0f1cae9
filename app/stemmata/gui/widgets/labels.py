"""Labels of plain text. Foreign text is never interpreted as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent


SIDES = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignRight


def draw_words(painter: QPainter, rect: QRect | QRectF, alignment: Qt.AlignmentFlag, text: str) -> None:
    """Draw text with an alignment of the window's reading direction.

    The text's own direction does not move it: a Hebrew title in an English window is left-aligned.
    """
    window = painter.layoutDirection()
    side = absolute(alignment, window)
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    painter.drawText(QRectF(rect), side, text)
    painter.setLayoutDirection(window)


def absolute(alignment: Qt.AlignmentFlag, window: Qt.LayoutDirection) -> Qt.AlignmentFlag:
    """Return the alignment with left and right resolved, as `QStyle.visualAlignment` does.

    `QStyle` is not used because loading its class takes milliseconds at the start.
    """
    if not alignment & Qt.AlignmentFlag.AlignHorizontal_Mask:
        alignment |= Qt.AlignmentFlag.AlignLeft
    if (
        window == Qt.LayoutDirection.RightToLeft
        and alignment & SIDES
        and not alignment & Qt.AlignmentFlag.AlignAbsolute
    ):
        alignment ^= SIDES
    return alignment | Qt.AlignmentFlag.AlignAbsolute


MOST_SHOWN = 1_000  # characters of a label or a message; Qt would shape every letter of a longer text
MOST_TIP = 2_000


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """Return the text, cut to `most` characters with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a plain-text label. `role` is one of the style sheet's: dim, faint, section, heading, chip, error …"""
    out = QLabel(text)
    out.setTextFormat(Qt.TextFormat.PlainText)
    out.setWordWrap(wrap)
    if role:
        out.setProperty("role", role)
    return out


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses as a selector, and apply the style sheet again."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """A label of one line. Text that does not fit is elided; the tooltip then shows all of it."""

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
        """Whether the whole text is visible."""
        return self._shown() == self.text()

    def _shown(self) -> str:
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
