"""What can be done with an entry, as icons in the margin beside its card: they cover nothing that is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter

from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.line_piece import Word
from stemmata.gui.cards.piece import SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics


class MarginActions(SinglePiece):
    """Under each other from the top. What finds no room is in the menu that the last of them opens then."""

    def __init__(self, style: CardStyle, words: Sequence[Word], room: QRect) -> None:
        """`room`: the margin beside the card, in its coordinates."""
        super().__init__(style)
        self._row = style.px(metrics.SMALL_LINE)
        fitting = max(room.height() // self._row, 1)
        more = Word("", "dim", icon="more", action=Action(Request.MENU), tip=tr("What can be done with this"))
        self.words = list(words) if len(words) <= fitting else [*words[: fitting - 1], more]
        side = min(self._row, room.width())
        left = room.left() + (room.width() - side) // 2
        self.place(left, room.top(), side, [])

    def measure(self, _width: int) -> int:
        return len(self.words) * self._row

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        side = self.style.px(metrics.ICON)
        for box, word in self._boxes():
            corner = box.center() - QPoint(side // 2, side // 2)
            painter.drawPixmap(corner, self.style.icon(word.icon, word.color))

    def action_at(self, point: QPoint) -> Action | None:
        return next((word.action for box, word in self._boxes() if box.contains(point)), None)

    def tip_at(self, point: QPoint) -> str:
        return next((word.tip for box, word in self._boxes() if box.contains(point)), "")

    def _boxes(self) -> Iterator[tuple[QRect, Word]]:
        for at, word in enumerate(self.words):
            yield QRect(0, at * self._row, self.rect.width(), self._row), word
