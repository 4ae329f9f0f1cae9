"""Buttons in the looks that the style sheet defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import set_plain_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent  # needed only for the annotation

MIRRORED = {"chevron-left": "chevron-right", "chevron-right": "chevron-left"}  # for right-to-left languages
Look = Literal["", "primary", "danger", "link", "chip"]


class PushButton(QPushButton):
    """A button that Enter presses as Space does, even beside a dialog's default button."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


def push_button(text: str, on_click: Callable[[], object] | None = None, *, look: Look = "") -> QPushButton:
    """Return a push button; `look` is one of the style sheet's looks."""
    out = PushButton(text)
    out.setAutoDefault(False)  # otherwise Qt would let Enter in a dialog's field press this button
    if look:
        out.setProperty(look, True)
    if on_click is not None:
        out.clicked.connect(lambda: on_click())
    return out


class IconButton(QToolButton):
    """A button with an icon, whose accessible name is its text. Without an icon the button keeps its size."""

    def __init__(self, theme: Theme, icon: str, text: str) -> None:
        super().__init__()
        self._theme = theme
        self._icon = icon
        self.setAccessibleName(text)
        set_plain_tip(self, text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_icon(self, icon: str) -> None:
        """Show another icon of the set."""
        self._icon = icon
        self._restyle()

    def _restyle(self) -> None:
        mirrored = MIRRORED.get(self._icon, self._icon) if self.isRightToLeft() else self._icon
        if mirrored:
            self.setIcon(self._theme.icon(mirrored))
        size = self._theme.px(metrics.ICON)
        self.setIconSize(QSize(size, size))


class ArrowButton(IconButton):
    """An icon button whose arrow is mirrored in right-to-left languages."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._restyle()
