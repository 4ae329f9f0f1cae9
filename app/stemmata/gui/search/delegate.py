"""Paints the rows of the search results: headings of sessions, and hits with three lines of their text."""

from __future__ import annotations

from itertools import zip_longest

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from stemmata.domain.search.hits import Hit
from stemmata.gui.search.rows import (
    MoreRow,
    ResultHitRow,
    ResultRow,
    ResultsHeading,
    ResultsModel,
    SavedRow,
    SessionHeading,
)
from stemmata.gui.search.snippet_layout import LINES, LaidOut, laid_out, parts_of
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import draw_words, shortened

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WRAPPING = 1.05  # lines are broken at words, so they hold a little less than fits
MOST_LAID_OUT = 64  # snippets whose lines are kept: more than a window shows


class ResultsDelegate(QStyledItemDelegate):
    """Paints the rows. The number of lines of a hit is estimated from the width of its text, which is fast."""

    def __init__(self, theme: Theme, model: ResultsModel, parent: QListView) -> None:
        super().__init__(parent)
        self._theme, self._model, self._list = theme, model, parent
        self.width = 0  # for which heights are computed; 0 for that of the list
        self._sizes: list[tuple[ResultRow, int]] = []  # heights of the rows, for the width of the list
        self._advances: dict[int, tuple[Hit, int]] = {}  # width of each hit's text on one line, by entry
        self._kept: dict[tuple[str, int, int], LaidOut] = {}  # lines by snippet, width and number of lines
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._figures = QFontMetrics(self._theme.font("ui"))
        self._small = QFontMetrics(self._theme.font("small"))
        # for the heights, which the list asks for a thousand at a time
        self._line, self._head = self._figures.height(), self._small.height() + 2 * self._px(4)
        self._heading = self._figures.height() + self._px(6) + metrics.BORDER
        self.beside = 2 * self._px(6) + self._px(7)  # pixels of a row beside its text
        self.forget()

    def forget(self) -> None:
        """Forget the sizes of the texts, after another search."""
        self._advances.clear()
        self._kept.clear()
        self._sizes.clear()

    def fit(self, width: int) -> None:
        """Compute heights for this width of the rows from now on."""
        if width != self.width:
            self.width = width
            self._sizes.clear()

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; the width is that of the list."""
        return QSize(0, self.height_of(self._model.row_at(index.row())))

    def heights(self) -> list[int]:
        """Return the heights of all rows; a height that is known for the width of the list is kept."""
        rows = self._model.rows
        before = self._sizes
        self._sizes = [
            known if known is not None and known[0] is row else (row, self.height_of(row))
            for row, known in zip_longest(rows, before[: len(rows)])
        ]
        return [height for _row, height in self._sizes]

    def height_of(self, row: ResultRow | None) -> int:
        """Return the height of a row. A hit whose text was not read yet gets the height of most hits."""
        if isinstance(row, ResultHitRow):
            return self._head + self._lines(row) * self._line
        return self._heading if isinstance(row, SessionHeading) else self._theme.px(metrics.MENU_ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        rect: QRect = option.rect
        row = self._model.row_at(index.row())
        painter.save()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.fillRect(rect, self._theme.color("selection"))
            strip = QRect(rect.topLeft(), QSize(metrics.LANE_LINE, rect.height()))
            painter.fillRect(self._mirrored(strip, rect), self._theme.color("accent"))
        elif option.state & QStyle.StateFlag.State_MouseOver and not isinstance(row, SessionHeading | ResultsHeading):
            painter.fillRect(rect, self._theme.color("hover"))
        match row:
            case SessionHeading():
                self._paint_session(painter, rect, row, is_first=not index.row())
            case ResultHitRow():
                self._paint_hit(painter, rect, row, is_selected=is_selected)
            case MoreRow():
                self._paint_line(painter, self._inner(rect), row.text, "accent")
            case SavedRow():
                self._paint_line(painter, rect.adjusted(self._px(6), 0, -self._px(6), 0), row.text, "text")
            case ResultsHeading():
                self._paint_line(painter, rect.adjusted(self._px(6), 0, -self._px(6), 0), row.text, "faint")
        painter.restore()

    def _paint_session(self, painter: QPainter, rect: QRect, row: SessionHeading, *, is_first: bool) -> None:
        if not is_first:
            line = QRect(rect.left(), rect.top(), rect.width(), metrics.BORDER)
            painter.fillRect(line, self._theme.color("line"))
        inner = rect.adjusted(self._px(6), metrics.BORDER, -self._px(6), 0)
        font = self._theme.font("title")
        needed = QFontMetrics(font).horizontalAdvance(shortened(row.title)) + self._px(5)
        facts = self._fitting(row.facts, max(inner.width() - needed, inner.width() // 3))
        width = self._small.horizontalAdvance(facts)
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("faint"))
        draw_words(painter, inner, RIGHT, facts)
        title = QRect(inner)
        title.setWidth(max(inner.width() - width - self._px(5), 0))
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        text = QFontMetrics(font).elidedText(shortened(row.title), Qt.TextElideMode.ElideRight, title.width())
        draw_words(painter, self._mirrored(title, inner), LEFT, text)

    def _fitting(self, facts: str, width: int) -> str:
        """Return as many of the last facts beside a title as fit into a width; the very last fact is the number of
        hits.
        """
        while self._small.horizontalAdvance(facts) > width and " · " in facts:
            facts = facts.partition(" · ")[2]
        return self._small.elidedText(facts, Qt.TextElideMode.ElideRight, width)

    def _paint_hit(self, painter: QPainter, rect: QRect, row: ResultHitRow, *, is_selected: bool) -> None:
        inner = self._inner(rect).adjusted(0, self._px(4), 0, -self._px(4))
        head = QRect(inner.left(), inner.top(), inner.width(), self._small.height())
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the parts are painted from left to right
        painter.setFont(self._theme.font("small"))
        who = QRect(head.topLeft(), QSize(self.room_of_name(row, head.width()), head.height()))
        left = self._paint_word(painter, who, row.who, row.color)
        left = self._paint_word(
            painter, QRect(left, head.top(), head.right() - left, head.height()), row.when, "faint"
        )
        if row.chip:
            self._paint_chip(painter, left, head, row.chip)
        found = self._laid_out(row.snippet, inner.width(), self._lines(row))
        painter.setPen(self._theme.color("text" if is_selected else "dim"))
        found.layout.draw(painter, QPointF(inner.left(), head.bottom() + 1), self._marks(found))

    def _paint_word(self, painter: QPainter, place: QRect, text: str, color: str) -> int:
        """Paint a text at the left, and return where the next one begins."""
        shown = self._small.elidedText(shortened(text), Qt.TextElideMode.ElideRight, max(place.width(), 0))
        painter.setPen(self._theme.color(color))
        painter.drawText(place, LEFT, shown)
        return place.left() + self._small.horizontalAdvance(shown) + (self._px(4) if shown else 0)

    def room_of_name(self, row: ResultHitRow, width: int) -> int:
        """Return the width for the name in the first line of a hit: its date and its branch are whole if they can be.

        At least a quarter of the line is the name's.
        """
        chip = self._small.horizontalAdvance(row.chip) + 3 * self._px(4) if row.chip else 0
        beside = self._small.horizontalAdvance(row.when) + 2 * self._px(4) + chip
        return max(width - beside, min(self._small.horizontalAdvance(shortened(row.who)), width // 4))

    def _paint_chip(self, painter: QPainter, left: int, head: QRect, text: str) -> None:
        shown = self.fitting_chip(text, head.right() - left)
        width = self._small.horizontalAdvance(shown) + 2 * self._px(4)
        place = QRectF(left, head.top(), width, head.height()).translated(0.5, 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(self._theme.color("bg"))
        painter.drawRoundedRect(place, place.height() / 2, place.height() / 2)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)

    def fitting_chip(self, text: str, room: int) -> str:
        """Return as much of a chip's text as a chip of `room` pixels holds."""
        return self._small.elidedText(text, Qt.TextElideMode.ElideRight, max(room - 2 * self._px(4), 0))

    def _paint_line(self, painter: QPainter, place: QRect, text: str, color: str) -> None:
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color(color))
        shown = self._small.elidedText(shortened(text), Qt.TextElideMode.ElideRight, place.width())
        draw_words(painter, place, LEFT, shown)

    def _marks(self, found: LaidOut) -> list[QTextLayout.FormatRange]:
        out = []
        for start, stop in found.spans:
            mark = QTextLayout.FormatRange()
            look = QTextCharFormat()
            look.setBackground(self._theme.color("match"))
            look.setForeground(self._theme.color("text"))
            mark.start, mark.length, mark.format = start, stop - start, look
            out.append(mark)
        return out

    def _laid_out(self, snippet: str, width: int, lines: int) -> LaidOut:
        found = self._kept.get((snippet, width, lines))
        if found is None:
            if len(self._kept) >= MOST_LAID_OUT:
                self._kept.clear()
            found = laid_out(snippet, self._theme.font("ui"), width, lines)
            self._kept[snippet, width, lines] = found
        return found

    def _lines(self, row: ResultHitRow) -> int:
        """Return the number of lines for the text of a hit: as many as it probably takes, at most LINES."""
        if row.read is None:
            return LINES
        measured = self._advances.get(row.hit.entry)
        if measured is None or measured[0] is not row.read:
            measured = row.read, self._figures.horizontalAdvance(parts_of(row.snippet)[0])
            self._advances[row.hit.entry] = measured
        width = (self.width or self._list.viewport().width()) - self.beside
        if measured[1] <= width:
            return 1  # what fits on one line is not broken
        lines = min(LINES, -int(-measured[1] * WRAPPING // max(width, 1)))
        with_space = width + self._figures.horizontalAdvance(" ")  # a space at the end of a line takes no room
        if lines == LINES and measured[1] <= (LINES - 1) * with_space:  # it may take one line less, so it is laid out
            lines = self._laid_out(row.snippet, width, LINES).layout.lineCount()
        return lines

    def _inner(self, rect: QRect) -> QRect:
        """Return the rectangle of a hit's text in its row."""
        return rect.adjusted(self._px(6) + self._px(7), 0, -self._px(6), 0)

    def _mirrored(self, place: QRect, row: QRect) -> QRect:
        if not self._list.isRightToLeft():
            return place
        return QRect(row.left() + row.right() - place.right(), place.top(), place.width(), place.height())

    def _px(self, step: int) -> int:
        return self._theme.px(metrics.SPACE[step])
