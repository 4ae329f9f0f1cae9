"""The parts a card is painted from. They are no widgets: a page of them must be laid out within a frame."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter, QPen

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics


class Piece:
    """One part. `place` gives it its rectangle in the card; everything else is relative to that."""

    children: Sequence[Piece] = ()

    def __init__(self, style: CardStyle, gap: int = 3) -> None:
        """`gap`: distance to the part above, as a step of `metrics.SPACE`."""
        self.style = style
        self.gap = style.space(gap)
        self.rect = QRect()

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        """Lay out at this place, list oneself and one's children in the order of painting; returns the height."""
        height = self.measure(width)
        self.rect = QRect(x, y, width, height)
        out.append(self)
        return height

    def measure(self, width: int) -> int:
        raise NotImplementedError

    def paint(self, painter: QPainter, clip: QRect) -> None:
        """Paint with the painter's origin at the rectangle's corner. `clip` in the same coordinates."""

    def paint_over(self, painter: QPainter) -> None:
        """Painted above all parts while the mouse is over this one."""

    def action_at(self, _point: QPoint) -> Action | None:
        return None

    def tip_at(self, _point: QPoint) -> str:
        return ""

    def text(self) -> str:
        """What a screen reader says."""
        return ""


class Frame(Piece):
    """A box around other parts."""

    def __init__(
        self,
        style: CardStyle,
        children: Sequence[Piece],
        *,
        fill: str = "panel",
        border: str = "line",
        padding: tuple[int, int] = (0, 5),
        radius: int = metrics.RADIUS_CONTROL,
        gap: int = 3,
    ) -> None:
        """`padding` above and beside the children, as steps of `metrics.SPACE`."""
        super().__init__(style, gap)
        self.children = children
        self._fill, self._border = fill, border
        self._padding = style.space(padding[0]), style.space(padding[1])
        self._radius = style.px(radius)

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        out.append(self)
        above, beside = self._padding
        height = stack(self.children, x + beside, y + above, width - 2 * beside, out) + 2 * above
        self.rect = QRect(x, y, width, height)
        return height

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        box = QRectF(0.5, 0.5, self.rect.width() - 1, self.rect.height() - 1)
        painter.setPen(QPen(self.style.color(self._border), metrics.BORDER))
        painter.setBrush(self.style.color(self._fill))
        painter.drawRoundedRect(box, self._radius, self._radius)


def stack(pieces: Sequence[Piece], x: int, y: int, width: int, out: list[Piece]) -> int:
    """Place parts under each other, the first without its gap; returns the height of all."""
    start = y
    for piece in pieces:
        if y != start:
            y += piece.gap
        y += piece.place(x, y, max(width, 1), out)
    return y - start
