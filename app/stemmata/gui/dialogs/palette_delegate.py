"""Paints the lines of the command palette, matches marked."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from stemmata.domain.entries import Kind, Role
from stemmata.domain.sessions import Hit
from stemmata.gui.dialogs.palette_rows import ActionRow, HeadingRow, HitRow, PaletteRow, RowRole, pieces
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ICONS = {
    Role.USER: ("dot", "user"),
    Role.ASSISTANT: ("dot", "assistant"),
    Role.TOOL_RESULT: ("triangle-right", "tool"),
    Role.BASH_EXECUTION: ("terminal", "tool"),
}


def icon_of(row: PaletteRow) -> tuple[str, str]:
    """Name and colour of a line's icon."""
    if isinstance(row, HitRow):
        return _hit_icon(row.hit)
    if isinstance(row, ActionRow):
        return row.icon or "command", "dim"
    return "list", "dim"


def _hit_icon(hit: Hit) -> tuple[str, str]:
    if hit.kind is Kind.COMPACTION:
        return "diamond", "summary"
    return ICONS.get(hit.role, ("file", "dim"))


class PaletteDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, self._theme.px(metrics.MENU_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        row: PaletteRow = index.data(RowRole.ROW)
        inner = rect.adjusted(metrics.SPACE[6], 0, -metrics.SPACE[6], 0)
        painter.save()
        if isinstance(row, HeadingRow):
            painter.setFont(self._theme.font("small"))
            painter.setPen(self._theme.color("faint"))
            painter.drawText(inner.adjusted(0, metrics.SPACE[3], 0, 0), LEFT, row.text)
        else:
            if option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(rect, self._theme.color("selection"))
            self._paint_row(painter, inner, row)
        painter.restore()

    def _paint_row(self, painter: QPainter, inner: QRect, row: HitRow | ActionRow | PaletteRow) -> None:
        inner.setRight(self._paint_aside(painter, inner, getattr(row, "aside", "")))
        inner.setRight(self._paint_chip(painter, inner, getattr(row, "chip", "")))
        name, color = icon_of(row)
        ratio = painter.device().devicePixelRatio()
        size = self._theme.px(metrics.ICON)
        pixmap = self._theme.pixmap(name, color, ratio=ratio)
        painter.drawPixmap(QPoint(inner.left(), inner.center().y() - size // 2), pixmap)
        inner.setLeft(inner.left() + size + metrics.SPACE[4])
        self._paint_text(painter, inner, row.text)

    def _paint_aside(self, painter: QPainter, inner: QRect, text: str) -> int:
        """Returns where the room for the rest ends."""
        if not text:
            return inner.right()
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("faint"))
        width = min(painter.fontMetrics().horizontalAdvance(text), inner.width() // 3)
        place = QRect(inner.right() - width, inner.top(), width + 1, inner.height())
        painter.drawText(place, LEFT, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width + 1))
        return place.left() - metrics.SPACE[4]

    def _paint_chip(self, painter: QPainter, inner: QRect, text: str) -> int:
        if not text:
            return inner.right()
        painter.setFont(self._theme.font("small"))
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * metrics.SPACE[4]
        height = painter.fontMetrics().height() + metrics.SPACE[1]
        place = QRectF(inner.right() - width, inner.center().y() - height / 2, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(place, height / 2, height / 2)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        return int(place.left()) - metrics.SPACE[4]

    def _paint_text(self, painter: QPainter, inner: QRect, snippet: str) -> None:
        painter.setFont(self._theme.font("ui"))
        figures = painter.fontMetrics()
        left = inner.left()
        for text, matched in pieces(snippet):
            room = inner.right() - left
            if room <= 0:
                return
            shown = figures.elidedText(text, Qt.TextElideMode.ElideRight, room)
            place = QRect(left, inner.top(), figures.horizontalAdvance(shown), inner.height())
            if matched:
                mark = place.adjusted(0, metrics.SPACE[3], 0, -metrics.SPACE[3])
                painter.fillRect(mark, self._theme.color("match"))
            painter.setPen(self._theme.color("text"))
            painter.drawText(place.adjusted(0, 0, 1, 0), LEFT, shown)
            left = place.right() + 1
