"""Buttons in the looks that the style sheet knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent  # the window is painted before anybody presses one

MIRRORED = {"chevron-left": "chevron-right", "chevron-right": "chevron-left"}  # back and on
Look = Literal["", "primary", "danger", "link", "chip"]


class PushButton(QPushButton):
    """Enter presses it as Space does, outside dialogs and beside their default button too."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


def push_button(text: str, on_click: Callable[[], object] | None = None, *, look: Look = "") -> QPushButton:
    out = PushButton(text)
    out.setAutoDefault(False)  # else Qt makes some button of a dialog the one that Enter presses in its fields
    if look:
        out.setProperty(look, True)
    if on_click is not None:
        out.clicked.connect(lambda: on_click())
    return out


class IconButton(QToolButton):
    """A button that shows an icon, and its name to those who cannot see it. Without one it keeps the place for it."""

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
        mirrored = MIRRORED.get(self._icon, self._icon) if self.isRightToLeft() else self._icon
        if mirrored:
            self.setIcon(self._theme.icon(mirrored))
        size = self._theme.px(metrics.ICON)
        self.setIconSize(QSize(size, size))


class ArrowButton(IconButton):
    """Its arrow points on or back, whichever way the window is read."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._restyle()
