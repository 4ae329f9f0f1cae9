"""One line of text from anywhere, in the direction of its own script."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle


def draw_words(painter: QPainter, rect: QRect | QRectF, alignment: Qt.AlignmentFlag, text: str) -> None:
    """`alignment` is the window's, mirrored with it; a Hebrew title in an English window still begins at the left."""
    window = painter.layoutDirection()
    side = QStyle.visualAlignment(window, alignment) | Qt.AlignmentFlag.AlignAbsolute
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    painter.drawText(QRectF(rect), side, text)
    painter.setLayoutDirection(window)
