"""Selecting text beyond the upper or lower edge: the transcript scrolls there, and the selection goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

TICK_MS = 30
PART = 4  # of the distance beyond the edge is scrolled in a tick: further out is faster


class DragScroll(QObject):
    """Points are in the viewport's coordinates. `scroll` moves by pixels, `extend` selects up to a point."""

    def __init__(self, viewport: QWidget, scroll: Callable[[int], None], extend: Callable[[QPoint], None]) -> None:
        super().__init__(viewport)
        self._viewport, self._scroll, self._extend = viewport, scroll, extend
        self._point = QPoint()
        self._is_held = False
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    @property
    def is_scrolling(self) -> bool:
        return self._timer.isActive()

    def drag_to(self, point: QPoint) -> None:
        """The mouse is here, with its button down."""
        self._point, self._is_held = point, True
        self._select()
        if not self._beyond:
            self._timer.stop()
        elif not self.is_scrolling:
            self._timer.start()

    def scrolled(self) -> None:
        """By the wheel, or by what came: the selection goes on to what lies under the mouse now."""
        if self._is_held and not self.is_scrolling:
            self._is_held = bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)
            if self._is_held:
                self._select()

    def stop(self) -> None:
        """The button was let go."""
        self._is_held = False
        self._timer.stop()

    @property
    def _beyond(self) -> int:
        """How far above the upper edge the mouse is, negative, or below the lower one."""
        y = self._point.y()
        return min(y, 0) or max(y - self._viewport.height() + 1, 0)

    def _on_tick(self) -> None:
        if not QApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self.stop()  # it was let go where nobody heard of it
            return
        far = self._beyond
        step = min(1 + abs(far) // PART, self._viewport.height())
        self._scroll(step if far > 0 else -step)
        self._select()

    def _select(self) -> None:
        """As far as can be seen."""
        y = min(max(self._point.y(), 0), self._viewport.height() - 1)
        self._extend(QPoint(self._point.x(), y))
