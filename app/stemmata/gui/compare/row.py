"""One row of a comparison: the turns of both branches, laid out for painting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from time import thread_time
from weakref import WeakSet

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QRegion

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.long_text import LongText, unrealised
from stemmata.gui.cards.piece import Piece, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.compare.pieces import BarredPieces, EntryPieces
from stemmata.gui.theme import metrics
from stemmata.gui.transcript.layout import CardInSight, MeasuredCard

MOST_REALISED = 96  # rendered long texts per row, besides those near the visible part
SLOW = 0.002  # seconds of painting a part
FAR = 4  # distance at which long texts are released, in heights of the visible part


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
        self.placed: tuple[list[Piece], list[Piece]] = ([], [])
        self._heights = [0, 0]
        self._realised: list[LongText] = []  # rendered long texts, oldest first
        self.slow: WeakSet[Piece] = WeakSet()  # parts whose painting takes long
        self.height = 0
        self.is_late = False  # whether a visible part is not laid out yet
        self._place()

    def fit(self, sight: CardInSight, side: SideOf, until: float) -> MeasuredCard:
        """Lay out the parts in sight in full. The text of `side` at `sight.keep` must not move.

        It stops when this thread's processor time reaches `until` seconds; `is_late` is then True and a later call
        continues.
        """
        top, bottom, keep = sight
        self.is_late = False
        while bottom > top and (unseen := self._unseen(top, bottom)):
            if thread_time() > until:
                self.is_late = True
                break
            mark = self._mark(side, keep)
            before = self.height if mark is None else mark.rect.y()
            for part in unseen:
                part.realise()
                part.lay_out()
                self._realised.append(part)
                if thread_time() > until:
                    break
            self._place()
            shift = (self.height if mark is None else mark.rect.y()) - before
            top, bottom, keep = top + shift, bottom + shift, keep + shift
        if bottom > top and len(self._realised) > MOST_REALISED:
            self._retire(top, bottom)
        return MeasuredCard(self.height, keep)

    def _mark(self, side: SideOf, keep: int) -> Piece | None:
        """Return the first part at or below `keep`, preferably of this side; None when the row ends above."""
        parts = (part for one in (side, side.other) for part in self.placed[one])
        return next((part for part in parts if part.rect.y() >= keep), None)

    def _unseen(self, top: int, bottom: int) -> list[LongText]:
        """Return the long texts of both sides between `top` and `bottom` that are not rendered, from the top."""
        waiting = (part for placed in self.placed for part in unrealised(placed))
        seen = [part for part in waiting if part.rect.y() < bottom and part.rect.y() + part.rect.height() > top]
        return sorted(seen, key=lambda part: part.rect.y())

    def _retire(self, top: int, bottom: int) -> None:
        """Release rendered texts far from the visible part."""
        room = FAR * (bottom - top)
        for part in reversed(self._realised):
            if part.rect.y() > bottom + room or part.rect.bottom() < top - room:
                part.retire()
        self._realised = [part for part in self._realised if part.is_made]
        self._place()

    def cell(self, side: SideOf) -> QRect:
        """Return the rectangle of a side."""
        return QRect(side * self._half, 0, self._half, self.height)

    def side_at(self, point: QPoint) -> SideOf:
        """Return the side at a point."""
        return SideOf.LEFT if point.x() < self._half else SideOf.RIGHT

    def paint(self, painter: QPainter, exposed: QRegion, until: float) -> QRect:
        """Paint the exposed part, with the painter's origin at the row's corner; return the rest.

        Parts that took long at their last painting wait when this thread's processor time reaches `until` seconds.
        """
        rest = QRect()
        for part in (part for placed in self.placed for part in placed):
            if not exposed.intersects(part.rect):
                continue  # painted already: painting it again would take the time of a part that waits
            visible = part.rect.intersected(exposed.boundingRect())
            start = thread_time()
            if start > until and part in self.slow:
                rest = rest.united(visible)
                continue
            painter.save()
            painter.translate(part.rect.topLeft())
            part.paint(painter, visible.translated(-part.rect.topLeft()))
            painter.restore()
            if thread_time() - start > SLOW:
                self.slow.add(part)
        return rest

    def uncoloured(self) -> Iterator[CodePiece]:
        """Yield code blocks without syntax colours."""
        for parts in self.placed:
            yield from (part for part in parts if isinstance(part, CodePiece) and not part.highlighting.is_done)

    def paint_frame(self, painter: QPainter, side: SideOf, color: str) -> None:
        """Paint a frame around the selected turn; an empty cell gets only a faint outline."""
        inset = self._style.space(4)
        cell = self.cell(side)
        is_empty = not self._cards[side]
        filled = self._style.px(metrics.TOOL_ROW) if is_empty else self._heights[side]
        cell.setHeight(min(filled + self._style.px(metrics.CARD_GAP), cell.height()))
        box = QRectF(cell.adjusted(inset, inset // 2, -inset, -inset // 2)).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = self._style.px(metrics.RADIUS_CARD)
        painter.setPen(self._style.color("line" if is_empty else color))
        painter.setBrush(Qt.BrushStyle.NoBrush if is_empty else self._style.color("panel"))
        painter.drawRoundedRect(box, radius, radius)

    def is_empty(self, side: SideOf) -> bool:
        """Return whether a side has no card."""
        return not self._cards[side]

    def paint_words(self, painter: QPainter, side: SideOf, text: str) -> None:
        """Paint faint words at the top of a side without cards, where the row is high enough for them."""
        line = self._style.px(metrics.TOOL_ROW)
        if self.height < line:
            return
        margin = self._style.space(8)
        place = self.cell(side).adjusted(margin, self._style.px(metrics.CARD_GAP) // 2, -margin, 0)
        place.setHeight(line)
        painter.setFont(self._style.font("small"))
        painter.setPen(self._style.color("faint"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            place, flags, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        )

    def action_at(self, point: QPoint) -> tuple[int, Action] | None:
        """Return the action at a point with the store key of its entry, or None. The key is -1 outside entries."""
        under = [part for part in self.placed[self.side_at(point)] if part.rect.contains(point)]
        key = next((part.key for part in under if isinstance(part, EntryPieces)), -1)
        for part in reversed(under):
            action = part.action_at(point - part.rect.topLeft())
            if action is not None:
                return key, action
        return None

    def tip_at(self, point: QPoint) -> str:
        """Return the tooltip at a point, or ""."""
        under = (part for part in reversed(self.placed[self.side_at(point)]) if part.rect.contains(point))
        return next((tip for part in under if (tip := part.tip_at(point - part.rect.topLeft()))), "")

    def text(self, side: SideOf) -> str:
        """Return the text of a side for screen readers, including parts that are not rendered."""
        return "\n".join(text for part in self.placed[side] if (text := part.text()))

    def _place(self) -> None:
        """Place the parts of both sides; long texts that are not rendered have an estimated height."""
        gap = self._style.px(metrics.CARD_GAP)
        self._heights = [self._place_side(side) for side in SideOf]
        least = 0 if any(self._cards) else self._style.px(metrics.TOOL_ROW)  # a row without cards has words
        self.height = max(*self._heights, least) + gap

    def _place_side(self, side: SideOf) -> int:
        style, margin = self._style, self._style.space(8)
        x = side * self._half + margin
        y = style.px(metrics.CARD_GAP)
        width = self._half - 2 * margin
        spare = max(width - style.px(metrics.READING_WIDTH), 0)
        self.placed[side].clear()
        return y + stack(self._cards[side], x, y, width - spare, self.placed[side])
