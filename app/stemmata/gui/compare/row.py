"""One row of a comparison: the turns of both branches, laid out for painting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import Piece, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.compare.pieces import BarredPieces, EntryPieces
from stemmata.gui.theme import metrics


class SideOf(IntEnum):
    """A side of the comparison."""

    LEFT = 0
    RIGHT = 1

    @property
    def other(self) -> SideOf:
        """The opposite side."""
        return SideOf(1 - self)


class RowPieces:
    """The cards of both sides, each `half` pixels wide, in the coordinates of the row."""

    def __init__(
        self, style: CardStyle, cards: tuple[Sequence[BarredPieces], Sequence[BarredPieces]], half: int
    ) -> None:
        self._style = style
        self._half = half
        self._cards = cards
        self._placed: tuple[list[Piece], list[Piece]] = ([], [])
        self._heights = [self._lay_out(side) for side in SideOf]
        self.height = max(self._heights) + style.px(metrics.CARD_GAP) if any(cards) else style.px(metrics.CARD_GAP)

    def cell(self, side: SideOf) -> QRect:
        """Return the rectangle of a side."""
        return QRect(side * self._half, 0, self._half, self.height)

    def side_at(self, point: QPoint) -> SideOf:
        """Return the side at a point."""
        return SideOf.LEFT if point.x() < self._half else SideOf.RIGHT

    def paint(self, painter: QPainter, exposed: QRect) -> None:
        """Paint the exposed part, with the painter's origin at the row's corner."""
        for side in SideOf:
            for part in self._placed[side]:
                visible = part.rect.intersected(exposed)
                if not visible.isEmpty():
                    painter.save()
                    painter.translate(part.rect.topLeft())
                    part.paint(painter, visible.translated(-part.rect.topLeft()))
                    painter.restore()

    def uncoloured(self) -> Iterator[CodePiece]:
        """Yield code blocks without syntax colours."""
        for parts in self._placed:
            yield from (part for part in parts if isinstance(part, CodePiece) and not part.is_coloured)

    def paint_frame(self, painter: QPainter, side: SideOf, color: str) -> None:
        """Paint a frame around the selected turn."""
        inset = self._style.space(4)
        cell = self.cell(side)
        if self._cards[side]:
            cell.setHeight(min(self._heights[side] + self._style.px(metrics.CARD_GAP), cell.height()))
        box = QRectF(cell.adjusted(inset, inset // 2, -inset, -inset // 2)).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = self._style.px(metrics.RADIUS_CARD)
        painter.setPen(self._style.color(color))
        painter.setBrush(self._style.color("panel"))
        painter.drawRoundedRect(box, radius, radius)

    def action_at(self, point: QPoint) -> tuple[int, Action] | None:
        """Return the action at a point with the store key of its entry, or None. The key is -1 outside entries."""
        under = [part for part in self._placed[self.side_at(point)] if part.rect.contains(point)]
        key = next((part.key for part in under if isinstance(part, EntryPieces)), -1)
        for part in reversed(under):
            action = part.action_at(point - part.rect.topLeft())
            if action is not None:
                return key, action
        return None

    def tip_at(self, point: QPoint) -> str:
        """Return the tooltip at a point, or ""."""
        under = (part for part in reversed(self._placed[self.side_at(point)]) if part.rect.contains(point))
        return next((tip for part in under if (tip := part.tip_at(point - part.rect.topLeft()))), "")

    def text(self, side: SideOf) -> str:
        """Return the text of a side for screen readers."""
        return "\n".join(text for part in self._placed[side] if (text := part.text()))

    def _lay_out(self, side: SideOf) -> int:
        style, margin = self._style, self._style.space(8)
        x = side * self._half + margin
        y = style.px(metrics.CARD_GAP)
        width = self._half - 2 * margin
        spare = max(width - style.px(metrics.READING_WIDTH), 0)
        for card in self._cards[side]:
            for text in _unrealised(card):
                text.realise()
        return y + stack(self._cards[side], x, y, width - spare, self._placed[side])


def _unrealised(piece: Piece) -> Iterator[LongText]:
    stack_ = [piece]
    while stack_:
        part = stack_.pop()
        if isinstance(part, LongText):
            yield part
        stack_.extend(part.children)
