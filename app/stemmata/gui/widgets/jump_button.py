"""The button that leads back to the end of a list."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


class JumpButton(QToolButton):
    """Floats over the lower right corner of its parent; `put` after each change of size."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._over = parent
        self.setAccessibleName(self.tr("Go to the end"))
        self.setToolTip(self.tr("Go to the end"))
        self.setProperty("floating", True)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def put(self) -> None:
        within = self._over.rect()
        distance = self.width() + self._theme.px(metrics.SPACE[5])
        self.move(within.width() - distance, within.height() - distance)

    def _restyle(self) -> None:
        side = self._theme.px(metrics.JUMP_BUTTON)
        self.setFixedSize(side, side)
        self.setIcon(self._theme.icon("jump-down"))
