"""The numbers beside the lines of code, as in an editor. They are painted, so they are never selected or copied."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QPainter

from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.json_folds import Fold
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.text.document import TextDocument
from stemmata.gui.theme import metrics

LEAST_DIGITS = 2


class LineNumbers:
    """The numbers of all lines of a text, which several documents may show in parts."""

    _folds: Mapping[int, Fold] = MappingProxyType({})

    def __init__(self, style: CardStyle, text: str, numbers: Sequence[int]) -> None:
        """Create the numbers; 0 stands for a line without a number."""
        self._style, self._text, self._numbers = style, text, numbers
        largest = numbers[-1] if isinstance(numbers, range) and numbers else max(numbers, default=0)
        self._digit = style.font_metrics("code").horizontalAdvance("0")
        self._right = self._digit * max(len(str(largest)), LEAST_DIGITS)
        self.width = self._right + style.space(5)
        self._known = [(0, 0)]  # ascending: a character, and the number of line ends before it

    def line_of(self, start: int) -> int:
        """Return the index of the line with this character, counted from the nearest line whose index is known."""
        at = bisect_right(self._known, (start, len(self._text))) - 1
        place, line = self._known[at]
        if place != start:
            line += self._text.count("\n", place, start)
            self._known.insert(at + 1, (start, line))
        return line

    def paint(self, painter: QPainter, clip: QRect, document: TextDocument, start: int) -> None:
        """Paint the numbers of the lines between the upper and lower edge of `clip`.

        The document shows the text from the character `start` on.
        """
        layout, first = document.documentLayout(), self.line_of(start)
        block = document.findBlock(layout.hitTest(QPointF(0, clip.top()), Qt.HitTestAccuracy.FuzzyHit))
        painter.setFont(self._style.font("code"))
        painter.setPen(self._style.color("faint"))
        while block.isValid():
            box, line = layout.blockBoundingRect(block), block.layout().lineAt(0)
            if box.top() > clip.bottom():
                break
            number = self._number(
                first + block.blockNumber(), is_start=block.blockNumber() > 0 or self._begins(start)
            )
            if number and line.isValid():
                x = self._right - self._digit * len(str(number))
                painter.drawText(QPointF(x, box.top() + line.y() + line.ascent()), str(number))
            block = block.next()

    def action_at(self, document: TextDocument, start: int, point: QPoint, *, is_beside: bool) -> Action | None:
        """Return the action of a click on a mark that folds, or on a folded line; None for none."""
        if not self._folds:
            return None
        layout = document.documentLayout()
        block = document.findBlock(layout.hitTest(QPointF(0, point.y()), Qt.HitTestAccuracy.FuzzyHit))
        fold = self._folds.get(self.line_of(start) + block.blockNumber())
        is_hit = fold is not None and (is_beside or not fold.is_open)
        is_hit = is_hit and layout.blockBoundingRect(block).contains(0, point.y())
        return Action(Request.FOLD, fold.part) if fold is not None and is_hit else None

    def folds(self, document: TextDocument, start: int) -> Iterator[tuple[QRect, str, Fold]]:
        """Yield the lines of a document that fold: their rectangle in it, their text and the part that they fold."""
        if not self._folds:
            return
        layout, first = document.documentLayout(), self.line_of(start)
        block = document.firstBlock()
        while block.isValid():
            fold = self._folds.get(first + block.blockNumber())
            if fold is not None:
                yield layout.blockBoundingRect(block).toAlignedRect(), block.text(), fold
            block = block.next()

    def _number(self, index: int, *, is_start: bool) -> int:
        return self._numbers[index] if is_start and index < len(self._numbers) else 0

    def _begins(self, start: int) -> bool:
        """Whether a line begins at this character; very long lines are divided into parts."""
        return start == 0 or self._text[start - 1] == "\n"


class FoldMarks(LineNumbers):
    """The triangles beside the lines that fold, in place of numbers."""

    def __init__(self, style: CardStyle, text: str, folds: Mapping[int, Fold]) -> None:
        super().__init__(style, text, ())
        self._folds = folds
        self._side = style.px(metrics.ICON)
        self.width = self._side + style.space(2)

    def paint(self, painter: QPainter, clip: QRect, document: TextDocument, start: int) -> None:
        """Paint the triangles of the lines between the upper and lower edge of `clip`."""
        layout, first = document.documentLayout(), self.line_of(start)
        block = document.findBlock(layout.hitTest(QPointF(0, clip.top()), Qt.HitTestAccuracy.FuzzyHit))
        while block.isValid():
            box, line = layout.blockBoundingRect(block), block.layout().lineAt(0)
            if box.top() > clip.bottom():
                break
            fold = self._folds.get(first + block.blockNumber())
            if fold is not None and line.isValid():
                name = "triangle-down" if fold.is_open else "triangle-right"
                y = round(box.top() + line.y() + (line.height() - self._side) / 2)
                painter.drawPixmap(0, y, self._style.icon(name, "faint"))
            block = block.next()


class ShownLines(NamedTuple):
    """The lines of a document: the numbers of the text, and the character of the text with which it begins."""

    numbers: LineNumbers
    start: int

    def action_at(self, document: TextDocument, point: QPoint, *, is_beside: bool) -> Action | None:
        """Return the action of a click at a point of the document, or beside it; None for none."""
        return self.numbers.action_at(document, self.start, point, is_beside=is_beside)

    def folds(self, document: TextDocument) -> Iterator[tuple[QRect, str, Fold]]:
        """Yield the lines of the document that fold."""
        return self.numbers.folds(document, self.start)
