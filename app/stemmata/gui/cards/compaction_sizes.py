"""The context before and after a compaction, as two bars to one scale; what its entry keeps for ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.path_totals import Category
from stemmata.domain.entries.tokens import Figure, FigureKind
from stemmata.gui.cards.piece import SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.categories import COLORS, category_name, figure_text

AGREES = 1.25  # of a told total and a computed one, at most: beyond it they are not of the same context
MOST = 10**12  # tokens; more than that is no figure but damage
_KINDS = {kind.text: kind for kind in FigureKind}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Size:
    """A context: its total, its parts where they are known, and the window it stood in (0 unknown)."""

    total: Figure
    parts: tuple[tuple[Category, int], ...] = ()
    window: int = 0

    def words(self, name: str) -> str:
        parts = [
            f"{category_name(category)} {figure_text(Figure.estimated(value))}" for category, value in self.parts
        ]
        return ", ".join([f"{name} {figure_text(self.total)}", *parts])


def size_of(breakdown: object) -> Size | None:
    """A breakdown as `domain.shapes` writes it; None for anything else, which a hostile file may hold."""
    if not isinstance(breakdown, Mapping):
        return None
    total = _figure(breakdown.get("total"))
    categories = breakdown.get("categories")
    if total is None or not isinstance(categories, Mapping):
        return None
    found = [(category, _figure(categories.get(category.text))) for category in Category]
    window = _number(breakdown.get("window"))
    return Size(
        total, tuple((category, figure.value) for category, figure in found if figure and figure.value), window
    )


def told_size(total: Figure, seen: Breakdown | None) -> Size:
    """A total that was told, in the proportions that the tree has for this context: none where they disagree."""
    computed = seen.total.value if seen is not None else None
    if seen is None or not computed or not total.value or not 1 / AGREES <= computed / total.value <= AGREES:
        return Size(total)
    shares = [
        (category, round((figure.value or 0) * total.value / computed))
        for category, figure in seen.categories.items()
    ]
    return Size(total, tuple((category, value) for category, value in shares if value))


class SizesPiece(SinglePiece):
    """`Before ▇▇▇▇▇▇▇ 124.6k` over `After ▇ ≈ 9.4k`."""

    def __init__(self, style: CardStyle, before: Size, after: Size, gap: int = 3) -> None:
        super().__init__(style, gap)
        self.rows = ((tr("Before"), before), (tr("After"), after))
        self._whole = max(1, *(max(size.total.value or 0, size.window) for size in (before, after)))

    def measure(self, _width: int) -> int:
        return len(self.rows) * self.style.px(metrics.SMALL_LINE)

    def spans(self, row: int) -> list[tuple[str, QRectF]]:
        """The coloured parts of a bar where they stand; a context of unknown parts is one."""
        _name, size = self.rows[row]
        bar = self._bar(row)
        parts = [(COLORS[category], value) for category, value in size.parts] or [("dim", size.total.value or 0)]
        out, left = [], bar.left()
        for color, value in parts:
            width = min(bar.width() * value / self._whole, bar.right() - left)
            out.append((color, QRectF(left, bar.top(), width, bar.height())))
            left += width
        return out

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        height = self.style.px(metrics.SMALL_LINE)
        painter.setFont(self.style.font("small"))
        for row, (name, size) in enumerate(self.rows):
            line = QRect(0, row * height, self.rect.width(), height)
            painter.setPen(self.style.color("dim"))
            painter.drawText(line, int(_LEFT), name)
            painter.drawText(line, int(_RIGHT), figure_text(size.total))
            self._paint_bar(painter, row)

    def text(self) -> str:
        return "\n".join(size.words(name) for name, size in self.rows)

    def tip_at(self, _point: object) -> str:
        return self.text()

    def _paint_bar(self, painter: QPainter, row: int) -> None:
        bar, radius = self._bar(row), self.style.px(metrics.RADIUS_BAR)
        outline = QPainterPath()
        outline.addRoundedRect(bar, radius, radius)
        painter.save()
        painter.setClipPath(outline)
        painter.fillRect(bar, self.style.color("free"))
        for color, place in self.spans(row):
            painter.fillRect(place, self.style.color(color))
        painter.restore()

    def _bar(self, row: int) -> QRectF:
        font = self.style.font_metrics("small")
        left = max(font.horizontalAdvance(name) for name, _ in self.rows) + self.style.space(5)
        right = max(font.horizontalAdvance(figure_text(size.total)) for _, size in self.rows) + self.style.space(5)
        height, line = self.style.space(4), self.style.px(metrics.SMALL_LINE)
        return QRectF(left, row * line + (line - height) / 2, max(self.rect.width() - left - right, 1), height)


def _figure(value: object) -> Figure | None:
    if not isinstance(value, Mapping):
        return None
    number, kind = value.get("value"), _KINDS.get(str(value.get("kind")))
    if kind is None or kind is FigureKind.UNKNOWN or not isinstance(number, int) or not 0 <= number <= MOST:
        return None
    return Figure(number, kind)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value <= MOST else 0
