"""Paint the rows of the command palette with highlighted matches."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit
from stemmata.gui.palette.rows import ActionRow, HitRow, PaletteHeading, PaletteRole, PaletteRow, ScopeRow, pieces
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import shortened

Index = QModelIndex | QPersistentModelIndex
BEHIND_MATCH = 4  # the part of a row that words behind its first match get, as a divisor
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ICONS = {
    Role.USER: ("disc", "user"),  # same as in the branches: a disc for prompts, a ring for replies
    Role.ASSISTANT: ("circle", "assistant"),
    Role.TOOL_RESULT: ("triangle-right", "tool"),
    Role.BASH_EXECUTION: ("terminal", "tool"),
}


def icon_of(row: PaletteRow) -> tuple[str, str]:
    """Return the icon name and colour of a row."""
    if isinstance(row, HitRow):
        return _hit_icon(row.hit)
    if isinstance(row, ActionRow):
        return row.icon or "command", "dim"
    if isinstance(row, ScopeRow):
        return "filter", "dim"
    return "list", "dim"


def _hit_icon(hit: Hit) -> tuple[str, str]:
    if hit.kind is Kind.COMPACTION:
        return "diamond", "summary"
    return ICONS.get(hit.role, ("file", "dim"))


class PaletteDelegate(QStyledItemDelegate):
    """Paints headings and rows with icon, text, chip and shortcut."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a menu row."""
        return QSize(0, self._theme.px(metrics.MENU_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        rect: QRect = option.rect
        row: PaletteRow = index.data(PaletteRole.ROW)
        inner = rect.adjusted(metrics.SPACE[6], 0, -metrics.SPACE[6], 0)
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the default is the application’s direction
        if isinstance(row, PaletteHeading):
            painter.setFont(self._theme.font("small"))
            painter.setPen(self._theme.color("faint"))
            painter.drawText(inner.adjusted(0, metrics.SPACE[3], 0, 0), LEFT, row.text)
        else:
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            if selected:
                painter.fillRect(rect, self._theme.color("selection"))
            self._paint_row(painter, inner, row, selected=selected)
        painter.restore()

    def _paint_row(self, painter: QPainter, inner: QRect, row: PaletteRow, *, selected: bool) -> None:
        """Paint icon, text and chip at the left, and the shortcut or the place and time at the right."""
        if isinstance(row, ActionRow):
            inner.setRight(self._paint_keys(painter, inner, row.aside))
        else:
            look = isinstance(row, HitRow) and selected
            aside = self.tr("Press Enter to show") if look else getattr(row, "aside", "")
            inner.setRight(self._paint_aside(painter, inner, aside))
        name, color = icon_of(row)
        ratio = painter.device().devicePixelRatio()
        size = self._theme.px(metrics.ICON)
        pixmap = self._theme.pixmap(name, color, ratio=ratio)
        painter.drawPixmap(QPoint(inner.left(), inner.center().y() - size // 2), pixmap)
        inner.setLeft(inner.left() + size + metrics.SPACE[5])
        chip = getattr(row, "chip", "")
        room = inner.adjusted(0, 0, -self._chip_width(chip), 0)
        inner.setLeft(self._paint_text(painter, room, row.text))
        self._paint_chip(painter, inner, chip)

    def _chip_width(self, text: str) -> int:
        """Return the width of a chip including the gap before it; 0 without text."""
        if not text:
            return 0
        width = QFontMetrics(self._theme.font("small")).horizontalAdvance(text)
        return width + 2 * metrics.SPACE[4] + metrics.SPACE[5]

    def _paint_keys(self, painter: QPainter, inner: QRect, keys: str) -> int:
        """Paint each key as a key cap, and return the right edge of the remaining space."""
        painter.setFont(self._theme.font("small"))
        figures, right = painter.fontMetrics(), inner.right()
        for key in reversed(caps(keys)):
            width = figures.horizontalAdvance(key) + 2 * metrics.SPACE[3]
            height = figures.height() + metrics.SPACE[1]
            place = QRectF(right - width, inner.center().y() - height / 2, width, height)
            self._paint_cap(painter, place, key, metrics.RADIUS_BAR)
            right = int(place.left()) - metrics.SPACE[2]
        return right - metrics.SPACE[4]

    def _paint_aside(self, painter: QPainter, inner: QRect, text: str) -> int:
        """Paint dim text at the right, and return the right edge of the remaining space."""
        if not text:
            return inner.right()
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("faint"))
        text = shortened(text)
        width = min(painter.fontMetrics().horizontalAdvance(text), inner.width() // 3)
        place = QRect(inner.right() - width, inner.top(), width + 1, inner.height())
        painter.drawText(place, LEFT, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width + 1))
        return place.left() - metrics.SPACE[4]

    def _paint_chip(self, painter: QPainter, inner: QRect, text: str) -> None:
        """Paint the chip at the left edge."""
        if text:
            painter.setFont(self._theme.font("small"))
            height = painter.fontMetrics().height() + metrics.SPACE[1]
            width = self._chip_width(text) - metrics.SPACE[5]
            left = inner.left() + metrics.SPACE[5]
            self._paint_cap(painter, QRectF(left, inner.center().y() - height / 2, width, height), text, height / 2)

    def _paint_cap(self, painter: QPainter, place: QRectF, text: str, radius: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(self._theme.color("bg"))
        painter.drawRoundedRect(place, radius, radius)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_text(self, painter: QPainter, inner: QRect, snippet: str) -> int:
        """Paint the text with highlighted matches, and return its right edge."""
        painter.setFont(self._theme.font("ui"))
        figures = painter.fontMetrics()
        left = inner.left()
        for text, matched in in_room(pieces(snippet), figures, inner.width()):
            room = inner.right() - left
            if room <= 0:
                break
            shown = figures.elidedText(text, Qt.TextElideMode.ElideRight, room)
            place = QRect(left, inner.top(), figures.horizontalAdvance(shown), inner.height())
            if matched:
                mark = place.adjusted(0, metrics.SPACE[3], 0, -metrics.SPACE[3])
                painter.fillRect(mark, self._theme.color("match"))
            painter.setPen(self._theme.color("text"))
            painter.drawText(place.adjusted(0, 0, 1, 0), LEFT, shown)
            left = place.right() + 1
        return left


def in_room(parts: Sequence[tuple[str, bool]], figures: QFontMetrics, room: int) -> list[tuple[str, bool]]:
    """Return the parts of a snippet with a shorter beginning, if the first match would not be painted in the room.

    `room` is in pixels; each part has a flag whether it matched.
    """
    texts = [(shortened(text), matched) for text, matched in parts]
    first = next((at for at, (_text, matched) in enumerate(texts) if matched), 0)
    before = "".join(text for text, _matched in texts[:first])
    behind = "".join(text for text, _matched in texts[first + 1 :])
    kept = figures.horizontalAdvance(texts[first][0]) if texts else 0
    kept += min(figures.horizontalAdvance(behind), room // BEHIND_MATCH)
    if not before or figures.horizontalAdvance(before) + kept <= room:
        return texts
    shown = figures.elidedText(before, Qt.TextElideMode.ElideLeft, max(room - kept, 0))
    return [(shown, False), *texts[first:]]


def caps(keys: str) -> list[str]:
    """Split a shortcut into its keys; `Ctrl++` has two keys."""
    plus = keys.endswith("+")
    parts = [part for part in keys.removesuffix("+").split("+") if part]
    return [*parts, "+"] if plus else parts
