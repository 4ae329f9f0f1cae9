"""The program's own icon, for the desktop and the frames of its windows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from stemmata.assets import resource

SIZES = (16, 24, 32, 48, 64, 128)  # pixels that desktops ask for


def application_icon() -> QIcon:
    """Drawn at every size: what desktops shrink themselves gets blurred."""
    drawing = QSvgRenderer(str(resource("desktop", "stemmata.svg")))
    icon = QIcon()
    for side in SIZES:
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        drawing.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon
