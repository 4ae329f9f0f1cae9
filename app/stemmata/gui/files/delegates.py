"""Paint the rows of the lists of files and of steps."""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from stemmata.domain.files.log import FileUse
from stemmata.gui.files.model import FilesRole, HeadRow, StepRow, UseRow
from stemmata.gui.files.words import added_text, removed_text, tr
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import draw_words, shortened

Index = QModelIndex | QPersistentModelIndex
READABLE = 16  # characters of a name that stay when there is little room
_SEPARATOR = re.compile(r"[/\\]")
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class FileRowPainter(QStyledItemDelegate):
    """Paints headings, files and steps; the list decides which of them it has."""

    def __init__(self, theme: Theme, rows: QListView) -> None:
        super().__init__(rows)
        self._theme, self._list = theme, rows

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        row = index.data(FilesRole.ROW)
        height = metrics.SESSION_ROW if isinstance(row, StepRow) else metrics.MENU_ROW
        return QSize(0, self._theme.px(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        rect: QRect = option.rect
        row = index.data(FilesRole.ROW)
        painter.save()
        inner = rect.adjusted(self._theme.px(metrics.SPACE[6]), 0, -self._theme.px(metrics.SPACE[6]), 0)
        if isinstance(row, HeadRow):
            painter.setClipRect(rect)
            low = inner.adjusted(0, self._theme.px(metrics.SPACE[3]), 0, 0)
            self._text(painter, low, self.ending(row.text, low.width(), "small"), "small", "faint")
        else:
            self._paint_ground(painter, option, index)
            if isinstance(row, UseRow):
                self._paint_use(painter, inner, row)
            elif isinstance(row, StepRow):
                self._paint_step(painter, inner, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        if self._list.selectionModel().isSelected(index):
            painter.fillRect(rect, self._theme.color("selection"))
            strip = QRect(rect.topLeft(), QSize(metrics.LANE_LINE, rect.height()))
            if self._list.isRightToLeft():
                strip.moveRight(rect.right())
            painter.fillRect(strip, self._theme.color("accent"))
        elif option.state & QStyle.StateFlag.State_MouseOver and self._list.underMouse():
            painter.fillRect(rect, self._theme.color("hover"))
        by_keys = self._list.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if by_keys and self._list.hasFocus() and self._list.currentIndex() == index:
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_use(self, painter: QPainter, line: QRect, row: UseRow) -> None:
        use = row.use
        if use.is_changed:
            removed = removed_text(use.removed, more=use.removed_more)
            line = self._from_end(
                painter, line, removed, "small", "bad" if use.removed or use.removed_more else "faint"
            )
            line = self._from_end(painter, line, added_text(use.added), "small", "good" if use.added else "faint")
        else:
            line = self._from_end(painter, line, tr("{0} ×").format(number(use.reads)), "small", "dim")
        chip = self._chip_of(use)
        if chip:
            line = self._paint_chip(painter, line, chip, least=self.readable(row.name))
        shown = row.name if use.is_changed else self.ending(row.name, line.width())
        self._text(painter, line, shown, "ui", "text" if use.is_changed else "dim")

    def readable(self, name: str) -> int:
        """Return the width that a name keeps before a chip is painted, in pixels."""
        measures = QFontMetrics(self._theme.font("ui"))
        return min(measures.horizontalAdvance(shortened(name)), measures.averageCharWidth() * READABLE)

    def ending(self, path: str, width: int, font: str = "ui") -> str:
        """Return as many whole parts of the end of a path as fit, such as `…/search/view.py`.

        The end says more than the folders that many paths begin with. Only a name that does not fit alone is cut.
        """
        measures = QFontMetrics(self._theme.font(font))
        rest = shown = shortened(path)
        while measures.horizontalAdvance(shown) >= width and (parts := _SEPARATOR.split(rest, maxsplit=1))[1:]:
            rest = parts[1]
            shown = f"…/{rest}"
        if measures.horizontalAdvance(shown) >= width:
            shown = rest
        return measures.elidedText(shown, Qt.TextElideMode.ElideMiddle, max(width, 0))

    def _chip_of(self, use: FileUse) -> str:
        if not use.is_here:
            return tr("other branch only")
        return tr("%Ln edits", None, use.edits) if use.edits > 1 else ""

    def _paint_step(self, painter: QPainter, inner: QRect, row: StepRow) -> None:
        gap = self._theme.px(metrics.SPACE[2])
        top = QRect(inner.left(), inner.top() + gap, inner.width(), inner.height() // 2 - gap)
        bottom = QRect(inner.left(), top.bottom() + 1, inner.width(), top.height())
        self._text(painter, top, row.text, "ui", "text")
        painter.setFont(self._theme.font("small"))
        measures, note = painter.fontMetrics(), row.note
        if measures.horizontalAdvance(note) > bottom.width():
            fitting = (brief for brief in row.briefs if measures.horizontalAdvance(brief) <= bottom.width())
            note = next(fitting, note)
        self._text(painter, bottom, note, "small", row.color)

    def _from_end(self, painter: QPainter, line: QRect, text: str, font: str, color: str) -> QRect:
        """Paint a text at the end of a line; return the rest of the line."""
        painter.setFont(self._theme.font(font))
        width = painter.fontMetrics().horizontalAdvance(text) + 2
        place = QRect(line.right() + 1 - width, line.top(), width, line.height())
        self._text(painter, place, text, font, color)
        return line.adjusted(0, 0, -width - self._theme.px(metrics.SPACE[2]), 0)

    def _paint_chip(self, painter: QPainter, line: QRect, text: str, *, least: int) -> QRect:
        """Paint a chip at the end of a line unless less than `least` pixels would remain; return the rest."""
        painter.setFont(self._theme.font("small"))
        pad = self._theme.px(metrics.SPACE[4])
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * pad
        if line.width() - width - pad < least:
            return line
        height = self._theme.px(metrics.PILL) - 2
        box = QRect(line.right() + 1 - width, line.center().y() - height // 2, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(self._theme.color("raised"))
        placed = self._placed(box)
        painter.drawRoundedRect(QRectF(placed).adjusted(0.5, 0.5, -0.5, -0.5), height / 2, height / 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._text(painter, box, text, "small", "dim", center=True)
        return line.adjusted(0, 0, -width - self._theme.px(metrics.SPACE[4]), 0)

    def _placed(self, place: QRect) -> QRect:
        """Mirror a rectangle when the window is right-to-left."""
        if not self._list.isRightToLeft():
            return place
        right = self._list.viewport().width()
        return QRect(right - place.right() - 1, place.top(), place.width(), place.height())

    def _text(
        self, painter: QPainter, place: QRect, text: str, font: str, color: str, *, center: bool = False
    ) -> None:
        painter.setFont(self._theme.font(font))
        painter.setPen(self._theme.color(color))
        fitting = painter.fontMetrics().elidedText(
            shortened(text), Qt.TextElideMode.ElideRight, max(place.width(), 0)
        )
        draw_words(painter, self._placed(place), Qt.AlignmentFlag.AlignCenter if center else LEFT, fitting)
