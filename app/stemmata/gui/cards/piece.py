"""The parts a card is painted from. They are no widgets: a page of them must be laid out within a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter, QPen

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics


class Piece:
    """One part. `place` gives it its rectangle in the card; everything else is relative to that."""

    children: Sequence[Piece] = ()
    names_speaker = False  # a heading: what is said begins right under it
    is_said = False  # words of a speaker
    joint: str | None = None  # of text that goes on in this part: what stands between; None: it begins here

    def __init__(self, style: CardStyle, gap: int = 3) -> None:
        """`gap`: distance to the part above, as a step of `metrics.SPACE`."""
        self.style = style
        self.gap = style.space(gap)
        self.rect = QRect()

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        """Lay out at this place, list oneself and one's children in the order of painting; returns the height."""
        out.append(self)
        height = stack(self.children, x, y, width, out)
        self.rect = QRect(x, y, width, height)
        return height

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


class SinglePiece(Piece, ABC):
    """A part without others in it."""

    @abstractmethod
    def measure(self, width: int) -> int:
        """The height at this width."""

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        height = self.measure(width)
        self.rect = QRect(x, y, width, height)
        out.append(self)
        return height


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
        free: int = 0,
    ) -> None:
        """`padding` above and beside the children, as steps of `metrics.SPACE`; `free` pixels more at the right."""
        super().__init__(style, gap)
        self.children = children
        self._fill, self._border = fill, border
        self._padding = style.space(padding[0]), style.space(padding[1])
        self._radius = style.px(radius)
        self._free = free

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        out.append(self)
        above, beside = self._padding
        height = stack(self.children, x + beside, y + above, width - 2 * beside - self._free, out) + 2 * above
        self.rect = QRect(x, y, width, height)
        return height

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        box = QRectF(0.5, 0.5, self.rect.width() - 1, self.rect.height() - 1)
        painter.setPen(QPen(self.style.color(self._border), metrics.BORDER))
        painter.setBrush(self.style.color(self._fill))
        painter.drawRoundedRect(box, self._radius, self._radius)


def stack(pieces: Sequence[Piece], x: int, y: int, width: int, out: list[Piece]) -> int:
    """Place parts under each other, the first without its gap; returns the height of all."""
    start, above = y, None
    for piece in pieces:
        if y != start:
            y += gap_between(above, piece)
        y += piece.place(x, y, max(width, 1), out)
        above = piece
    return y - start


def gap_between(above: Piece | None, piece: Piece) -> int:
    """Words stand close to the name of who says them: their lines have room of their own."""
    is_close = above is not None and above.names_speaker and piece.is_said
    return min(piece.gap, piece.style.space(1)) if is_close else piece.gap


def paint_pieces(painter: QPainter, pieces: Iterable[Piece], exposed: QRect) -> None:
    """Paint those that an exposed part of the card touches, in order."""
    for piece in pieces:
        visible = piece.rect.intersected(exposed)
        if not visible.isEmpty():
            painter.save()
            painter.translate(piece.rect.topLeft())
            piece.paint(painter, visible.translated(-piece.rect.topLeft()))
            painter.restore()


def pieces_under(pieces: Sequence[Piece], point: QPoint) -> Iterator[Piece]:
    """The placed parts under a point of the card, the topmost first."""
    return (piece for piece in reversed(pieces) if piece.rect.contains(point))


def action_under(pieces: Iterable[Piece], point: QPoint) -> Action | None:
    """What a click at a point of the card asks for: the first of these parts that knows."""
    asked = (piece.action_at(point - piece.rect.topLeft()) for piece in pieces)
    return next((action for action in asked if action is not None), None)
