"""The scroll bar below lines and tables that are wider than the card."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QWheelEvent

from stemmata.gui.cards.piece import Piece, SinglePiece
from stemmata.gui.cards.sideways import Sideways
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics


class SidewaysBar(SinglePiece):
    """The scroll bar below a block; it takes no room while all of the block fits."""

    def __init__(self, style: CardStyle, sideways: Sideways) -> None:
        super().__init__(style, 0)
        self.sideways = self._position = sideways
        self._grip = 0  # pixels from the handle's left edge to the mouse

    def measure(self, _width: int) -> int:
        return self.style.px(metrics.SCROLL_BAR) if self._position.most else 0

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        inset = self.style.space(1)
        handle = QRectF(self._handle()).adjusted(0, inset, 0, -inset)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.style.color("faint" if self._position.is_held else "line"))
        painter.drawRoundedRect(handle, handle.height() / 2, handle.height() / 2)

    def press(self, x: int) -> None:
        """Start to drag the handle; a press beside the handle first moves it there."""
        handle = self._handle()
        self._position.is_held = True
        self._grip = x - handle.x() if handle.left() <= x <= handle.right() else handle.width() // 2
        self.drag(x)

    def drag(self, x: int) -> None:
        """Move the handle to the mouse."""
        free = self.rect.width() - self._handle().width()
        if free > 0:
            self._position.move_to(round((x - self._grip) * self._position.most / free))

    def release(self) -> None:
        """End the drag of the handle."""
        self._position.is_held = False

    def _handle(self) -> QRect:
        """Return the rectangle of the handle, which is always wide enough for the mouse."""
        start, end = self._position.share
        width = max(round((end - start) * self.rect.width()), self.style.px(metrics.CONTROL))
        most = max(self._position.most, 1)
        x = round((self.rect.width() - width) * self._position.offset / most)
        return QRect(x, 0, width, self.rect.height())


def wheel(pieces: Iterable[Piece], event: QWheelEvent) -> bool:
    """Scroll the block under the mouse by a sideways wheel, or a wheel with Shift; returns whether there is one."""
    turned, exact = event.angleDelta(), event.pixelDelta()
    is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    delta = _along(exact, shifted=is_shifted) or _along(turned, shifted=is_shifted) * metrics.WHEEL_STEP // 120
    sideways = next((piece.sideways for piece in pieces if piece.sideways is not None and piece.sideways.most), None)
    if sideways is None or not delta:
        return False
    sideways.move_to(sideways.offset - delta)
    return True


def _along(delta: QPoint, *, shifted: bool) -> int:
    """Return the horizontal part of a turn of the wheel; 0 when the turn is mostly vertical."""
    if shifted:
        return delta.x() or delta.y()
    return delta.x() if abs(delta.x()) > abs(delta.y()) else 0
