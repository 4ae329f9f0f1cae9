"""A small window beside what it is about, dropped by Esc or a click elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget


class Popup(QFrame):
    """Gives the keys back to its host when it closes."""

    def __init__(self, host: QWidget, name: str) -> None:
        super().__init__(host, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setProperty("overlay", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._host = host

    def open_at(self, at: QPoint, first: QWidget, *, above: int = 0) -> None:
        """Show under this global point, or as near as lets all of it be seen, with the focus on one of its parts.

        `above` is the height of what it is about, which ends at the point: without room below it stands over that.
        """
        window = self._host.window().geometry()
        x = max(window.left(), min(at.x(), window.right() - self.width()))
        lowest = window.bottom() - self.height()
        y = at.y() if at.y() <= lowest or not above else at.y() - above - self.height()
        y = max(window.top(), min(y, lowest))
        self.move(x, y)
        self.show()
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._host.activateWindow()  # not every platform gives the window its keys back
        super().hideEvent(event)
