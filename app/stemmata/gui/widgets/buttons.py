"""Buttons in the looks that the style sheet knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

Look = Literal["", "primary", "danger", "link", "chip"]


def push_button(text: str, on_click: Callable[[], object] | None = None, *, look: Look = "") -> QPushButton:
    out = QPushButton(text)
    if look:
        out.setProperty(look, True)
    if on_click is not None:
        out.clicked.connect(lambda: on_click())
    return out


class IconButton(QToolButton):
    """A button that shows an icon, and its name to those who cannot see it."""

    def __init__(self, theme: Theme, icon: str, text: str) -> None:
        super().__init__()
        self._theme = theme
        self._icon = icon
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self._restyle()

    def _restyle(self) -> None:
        self.setIcon(self._theme.icon(self._icon))
        size = self._theme.px(metrics.ICON)
        self.setIconSize(QSize(size, size))
