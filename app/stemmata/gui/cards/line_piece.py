"""A single line: words at the left, words at the right, some of them to be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics

Flags = Qt.AlignmentFlag
_ELISIONS = {"right": Qt.TextElideMode.ElideRight, "middle": Qt.TextElideMode.ElideMiddle}


@dataclass(frozen=True, slots=True)
class Word:
    """Some text of a line in one font and colour. `hover`: only while the mouse is over the card."""

    text: str
    color: str = "faint"
    font: str = "small"
    action: Action | None = None
    icon: str = ""
    chip: bool = False
    hover: bool = False
    tip: str = ""
    shorten: Literal["right", "middle"] = "right"  # where it is cut when there is no room


class LinePiece(Piece):
    """The last word at the left is cut short where there is no room. `action`: a click anywhere else on the line."""

    def __init__(
        self,
        style: CardStyle,
        left: Sequence[Word],
        right: Sequence[Word] = (),
        *,
        height: int = metrics.SMALL_LINE,
        action: Action | None = None,
        gap: int = 3,
    ) -> None:
        super().__init__(style, gap)
        self._left, self._right = list(left), list(right)
        self._height = style.px(height)
        self._action = action
        self._boxes: list[tuple[QRect, Word]] = []
        self.hovered = False  # the card, not the line

    def measure(self, _width: int) -> int:
        return self._height

    def natural_width(self) -> int:
        """Width of all words with nothing cut short."""
        words = [*self._left, *self._right]
        return sum(map(self._width, words)) + max(len(words) - 1, 0) * self.style.space(4)

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        self._arrange()
        for box, word in self._boxes:
            self._paint_word(painter, box, word)

    def action_at(self, point: QPoint) -> Action | None:
        word = self._word_at(point)
        return word.action if word is not None and word.action is not None else self._action

    def tip_at(self, point: QPoint) -> str:
        word = self._word_at(point)
        return word.tip if word is not None else ""

    def text(self) -> str:
        return " ".join(word.text for word in (*self._left, *self._right) if not word.hover)

    def _word_at(self, point: QPoint) -> Word | None:
        self._arrange()
        return next((word for box, word in self._boxes if box.contains(point)), None)

    def _arrange(self) -> None:
        """Boxes of the words: the right ones first, then what is left of the width."""
        self._boxes = []
        gap, edge = self.style.space(4), self.rect.width()
        for word in reversed([word for word in self._right if self.hovered or not word.hover]):
            width = self._width(word)
            self._boxes.append((QRect(edge - width, 0, width, self._height), word))
            edge -= width + gap
        x = 0
        for word in self._left:
            width = min(self._width(word), max(edge - x, 0))
            self._boxes.append((QRect(x, 0, width, self._height), word))
            x += width + gap

    def _width(self, word: Word) -> int:
        width = self.style.font_metrics(word.font).horizontalAdvance(word.text) + 1
        if word.icon:
            width += self.style.px(metrics.ICON) + (self.style.space(2) if word.text else 0)
        return width + (2 * self.style.space(3) if word.chip else 0)

    def _paint_word(self, painter: QPainter, box: QRect, word: Word) -> None:
        painter.setFont(self.style.font(word.font))
        if word.chip:
            self._paint_chip(painter, box)
            box = box.adjusted(self.style.space(3), 0, -self.style.space(3), 0)
        if word.icon:
            side = self.style.px(metrics.ICON)
            ratio = painter.device().devicePixelRatio()
            painter.drawPixmap(box.x(), (self._height - side) // 2, self.style.icon(word.icon, word.color, ratio))
            box = box.adjusted(side + self.style.space(2), 0, 0, 0)
        if word.text:
            painter.setPen(self.style.color(word.color))
            text = word.text
            font_metrics = self.style.font_metrics(word.font)
            if font_metrics.horizontalAdvance(text) > box.width():
                text = font_metrics.elidedText(text, _ELISIONS[word.shorten], box.width())
            painter.drawText(box, int(Flags.AlignLeft | Flags.AlignVCenter), text)

    def _paint_chip(self, painter: QPainter, box: QRect) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.style.color("label_bg"))
        radius = self.style.px(metrics.RADIUS_BAR)
        inset = self.style.space(1) / 2
        painter.drawRoundedRect(QRectF(box).adjusted(0, inset, 0, -inset), radius, radius)


class HeadPiece(LinePiece):
    """The first line of a card, which also carries what the tree and the context say about its entry."""

    def decorate(self, left: Sequence[Word], before: Sequence[Word], after: Sequence[Word]) -> None:
        """Add words behind those at the left, and before and behind those at the right."""
        self._left = [*self._own_left, *left]
        self._right = [*before, *self._own_right, *after]

    def __init__(
        self, style: CardStyle, left: Sequence[Word], right: Sequence[Word] = (), *, height: int = metrics.HEADER_LINE
    ) -> None:
        super().__init__(style, left, right, height=height)
        self._own_left, self._own_right = list(left), list(right)
