"""Where the composer stands on the other side of a split view: as high, so that nothing moves when it comes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stemmata.gui.composer.view import Composer
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.surface import set_surface


class ComposerPlace(QWidget):
    """A click anywhere in it, or on its button, asks for the composer."""

    wanted = Signal()

    def __init__(self, composer: Composer) -> None:
        super().__init__()
        set_surface(self, "bg", "top")
        self._composer = composer
        self.button = push_button(self.tr("Write on this side"), self.wanted.emit, look="link")
        column = QVBoxLayout(self)
        column.setContentsMargins(metrics.SPACE[5], 0, metrics.SPACE[5], 0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)
        composer.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._composer:
            self._fit()
        return False

    def _fit(self) -> None:
        self.setFixedHeight(max(self._composer.height(), self.sizeHint().height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.wanted.emit()
