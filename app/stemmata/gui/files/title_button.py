"""A link with the title of a session, elided where it does not fit."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from stemmata.gui.widgets.buttons import PushButton

ROUNDING = 2  # pixels: the width of a text is rounded differently for the title and for its beginning


class TitleButton(PushButton):
    """A button in the look of a link, as wide as its title or as the room beside its neighbours."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._title = title
        self.setAutoDefault(False)
        self.setProperty("link", True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size for the whole title."""
        width = self._beside() + self.fontMetrics().horizontalAdvance(self._title) + ROUNDING
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a size without width: any title can be elided."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = max(self.width() - self._beside(), 0)
        self.setText(self.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room))

    def _beside(self) -> int:
        """Return the width of the borders and the padding."""
        return super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
