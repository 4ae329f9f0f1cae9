"""The button that leads back to the end of a list, and says how much came there meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import number


class JumpButton(QToolButton):
    """Floats over the lower right corner of its parent; `show_new` puts it there, after each change of size too."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._over = parent
        self.setToolTip(self.tr("Go to the end"))
        self.setProperty("floating", True)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_new(self, count: int, most: int) -> None:
        """`3 new below`; a mere arrow where nothing is new. More than `most` are said to be more."""
        text = self.tr("%Ln new below", None, count) if count else ""
        if count > most:
            text = self.tr("{0}+ new below").format(number(most))
        if text != self.text():
            self._show(text)
        corner, distance = self._over.rect().bottomRight(), self._theme.px(metrics.SPACE[5])
        self.move(corner.x() + 1 - self.width() - distance, corner.y() + 1 - self.height() - distance)
        self.raise_()  # over what was made after it

    def _show(self, text: str) -> None:
        styles = Qt.ToolButtonStyle
        self.setText(text)
        self.setToolButtonStyle(styles.ToolButtonTextBesideIcon if text else styles.ToolButtonIconOnly)
        self.setAccessibleName(", ".join(filter(None, (self.tr("Go to the end"), text))))
        side = self._theme.px(metrics.JUMP_BUTTON)
        self.setFixedSize(QSize(self.sizeHint().width() if text else side, side))

    def _restyle(self) -> None:
        icon = self._theme.px(metrics.ICON)
        self.setIcon(self._theme.icon("jump-down"))
        self.setIconSize(QSize(icon, icon))
        self._show(self.text())
