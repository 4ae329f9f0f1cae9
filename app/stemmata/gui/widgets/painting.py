"""One line of text from anywhere, in the direction of its own script."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter

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
