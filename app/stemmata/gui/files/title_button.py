"""A link with the title of a session, elided where it does not fit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from stemmata.gui.widgets.buttons import PushButton
from stemmata.gui.widgets.labels import literal

ROUNDING = 2  # pixels: the width of a text is rounded differently for the title and for its beginning


class TitleButton(PushButton):
    """A button in the look of a link, as wide as its title or as the room beside its neighbours."""

    def __init__(self, title: str) -> None:
        super().__init__(literal(title))
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
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Elide the title again in a new font or style, which may leave the width of the button as it is."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._elide()

    def _elide(self) -> None:
        room = max(self.width() - self._beside(), 0)
        self.setText(literal(self.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room)))

    def _beside(self) -> int:
        """Return the width of the borders and the padding."""
        width = super().sizeHint().width()  # first, since it applies the style sheet's font
        return width - self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
