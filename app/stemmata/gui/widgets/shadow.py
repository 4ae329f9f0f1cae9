"""The shadow of what lies over the window."""

from __future__ import annotations

from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


def cast_shadow(widget: QWidget, theme: Theme) -> None:
    shadow = QGraphicsDropShadowEffect(widget)
    shadow.setBlurRadius(theme.px(metrics.HEADER))
    shadow.setOffset(0, theme.px(metrics.SPACE[5]))
    widget.setGraphicsEffect(shadow)
