"""Paint the rows of the session list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.rows import SessionRows, indent_of
from stemmata.gui.sessions.words import new_short
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import draw_words, shortened

if TYPE_CHECKING:
    from PySide6.QtGui import QHelpEvent  # only for annotations: not imported before the first paint
    from PySide6.QtWidgets import QAbstractItemView

WIDEST = "$88.88"  # as wide as nearly every figure
NEARLY_FULL = 0.75
FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class SessionDelegate(QStyledItemDelegate):
    """Paints title, facts and a thin bar for the context; group headers are one dim line."""

    def __init__(self, theme: Theme, model: SessionsModel, parent: SessionRows) -> None:
        super().__init__(parent)
        self._list = parent
        self._row = QRect()  # the row being painted
        self._theme = theme
        self._model = model  # queried directly for speed: the list requests the size of every row at once
        theme.changed.connect(self._resize)
        self._resize()

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the size of a header or of a session's row."""
        return self._header_size if self._model.session_at(index.row()) is None else self._row_size

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Show the action of the icon under the mouse, else the tooltip of the session."""
        if not self._list.on_archive(index, event.pos()):
            return super().helpEvent(event, view, option, index)
        is_archived = index.data(SessionRole.SESSION).archived
        QToolTip.showText(event.globalPos(), self.tr("Unarchive") if is_archived else self.tr("Archive"), view)
        return True

    def _resize(self) -> None:
        self._header_size = QSize(0, self._theme.px(metrics.MENU_ROW))
        self._row_size = QSize(0, self._theme.px(metrics.SESSION_ROW))

    def _placed(self, place: QRect, row: QRect) -> QRect:
        """Mirror a rectangle within the row when the window is right-to-left."""
        if not self._list.isRightToLeft():
            return place
        return QRect(QPoint(row.left() + row.right() - place.right(), place.top()), place.size())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one row."""
        self._row = rect = option.rect
        painter.save()
        session = index.data(SessionRole.SESSION)
        if session is None:
            self._paint_header(painter, rect, index)
            self._paint_focus(painter, rect, index)
        else:
            self._paint_background(painter, option, index)
            self._paint_session(painter, rect, session, index)
        painter.restore()

    def _paint_header(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        is_open = index.data(SessionRole.EXPANDED)
        edge = metrics.SPACE[6 if is_open is None else 5]  # text below the column's title, triangles as in rows
        inner = rect.adjusted(edge, metrics.SPACE[4], -metrics.SPACE[5], 0)
        text = str(index.data())
        if is_open is None:
            text = f"{shortened(text)} · {number(int(index.data(SessionRole.COUNT)))}"
        else:
            inner.setLeft(inner.left() + self._paint_triangle(painter, inner, is_open=is_open))
        self._text(painter, inner, text, "small", "faint")

    def _paint_triangle(self, painter: QPainter, line: QRect, *, is_open: bool) -> int:
        """Paint the triangle of a row that unfolds at the beginning of a line, and return the room it takes."""
        size = self._theme.px(metrics.SPACE[5])
        place = QRect(line.left(), line.center().y() - size // 2, size, size)
        name = "triangle-down" if is_open else "triangle-left" if self._list.isRightToLeft() else "triangle-right"
        pixmap = self._theme.pixmap(name, "dim", size=metrics.SPACE[5], ratio=painter.device().devicePixelRatio())
        painter.drawPixmap(self._placed(place, self._row).topLeft(), pixmap)
        return size + metrics.SPACE[2]

    def _paint_background(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        if self._list.selectionModel().isSelected(index):
            painter.fillRect(rect, self._theme.color("selection"))
            strip = QRect(rect.topLeft(), QSize(metrics.LANE_LINE, rect.height()))
            painter.fillRect(self._placed(strip, rect), self._theme.color("accent"))
        elif index.row() == self._list.hovered_row:
            painter.fillRect(rect, self._theme.color("hover"))
        self._paint_focus(painter, rect, index)

    def _paint_focus(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        if self._list.has_keys(index):
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_session(
        self, painter: QPainter, rect: QRect, session: Session, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        indent, below = (
            self._theme.px(indent_of(int(index.data(SessionRole.DEPTH)))),
            int(index.data(SessionRole.BELOW)),
        )
        inner = rect.adjusted(indent, metrics.SPACE[3], -metrics.SPACE[5], -metrics.SPACE[3])
        if index.row() == self._list.hovered_row and self._list.archives:
            inner.setRight(rect.right() - self._theme.px(metrics.CONTROL) - metrics.SPACE[3])  # before the icon
        half = inner.height() // 2
        if below:
            line = inner.adjusted(metrics.SPACE[5], 0, 0, -half)
            self._paint_triangle(painter, line, is_open=bool(index.data(SessionRole.EXPANDED)))
        inner.setLeft(inner.left() + self._theme.px(metrics.TRIANGLE_SPACE))
        top, bottom = inner.adjusted(0, 0, 0, -half), inner.adjusted(0, inner.height() - half, 0, 0)
        if below:
            top.setRight(self._paint_count(painter, top, number(below)))
        if session.starred:
            top.setRight(self._paint_icon(painter, top, "star-filled", "warning"))
        if index.data(SessionRole.RUNNING):
            top.setRight(self._paint_dot(painter, top))
        sign = str(index.data(SessionRole.SIGN) or "")
        if sign:
            top.setRight(self._paint_icon(painter, top, sign, "faint"))
        is_dim = session.archived or not index.data(SessionRole.MATCHES)
        self._text(painter, top, str(index.data()), "ui", "dim" if is_dim else "text")
        fill = index.data(SessionRole.FILL)
        if fill is not None and self._has_room_for_fill(painter, bottom, index):
            bottom.setRight(self._paint_fill(painter, bottom, float(fill)))
        new = index.data(SessionRole.NEW)
        if new:
            bottom.setRight(self._paint_tags(painter, bottom, (new_short(new),)))
        for figure in reversed(self._aligned(painter, bottom, index)):
            bottom.setRight(self._paint_figure(painter, bottom, figure))
        if session.tags:
            bottom.setRight(self._paint_tags(painter, bottom, session.tags))
        self._paint_facts(painter, bottom, index)

    def _aligned(self, painter: QPainter, line: QRect, index: QModelIndex | QPersistentModelIndex) -> tuple[str, ...]:
        """Return the figures of a row; in a narrow column without unknown figures, which would take up space."""
        figures: tuple[str, ...] = index.data(SessionRole.FIGURES)
        painter.setFont(self._theme.font("small"))
        measures = painter.fontMetrics()
        taken = len(figures) * (measures.horizontalAdvance(WIDEST) + metrics.SPACE[4])
        is_wide = measures.horizontalAdvance(str(index.data(SessionRole.BRIEF))) <= line.width() - taken
        return figures if is_wide else tuple(filter(None, figures))

    def _has_room_for_fill(self, painter: QPainter, line: QRect, index: QModelIndex | QPersistentModelIndex) -> bool:
        """Return whether the brief facts stay whole beside the bar of the context's fill; not beside figures."""
        if index.data(SessionRole.FIGURES):
            return False
        painter.setFont(self._theme.font("small"))
        branches = self._theme.px(metrics.SPACE[8]) if index.data(SessionRole.SESSION).branches > 1 else 0
        needed = painter.fontMetrics().horizontalAdvance(str(index.data(SessionRole.BRIEF))) + branches
        if index.data(SessionRole.SESSION).tags:
            needed *= 2  # tags take up to half of the line
        return needed + self._theme.px(metrics.FILL_BAR) + metrics.SPACE[4] <= line.width()

    def _paint_facts(self, painter: QPainter, line: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        """Paint the facts; in a narrow column, an icon with the number of branches replaces the words.

        In a still narrower column, the words before the time are shortened and there is no icon, so that the time
        stays whole. If the row also has two figures, the tool's name stays whole instead, and there is no time.
        """
        whole, session = str(index.data(SessionRole.FACTS)), index.data(SessionRole.SESSION)
        painter.setFont(self._theme.font("small"))
        measures = painter.fontMetrics()
        if (width := measures.horizontalAdvance(whole)) <= line.width():
            self._text(painter, line, whole, "small", "dim")
            if index.data(SessionRole.FOLLOWED):
                self._paint_followed(painter, line, width)
            return
        brief, count = str(index.data(SessionRole.BRIEF)), number(session.branches)
        size, gap, time = self._theme.px(metrics.SPACE[6]), metrics.SPACE[3], str(index.data(SessionRole.TIME))
        if len(index.data(SessionRole.FIGURES)) > 1 and measures.horizontalAdvance(brief) > line.width():
            self._text(painter, line, _without_end(brief, time), "small", "dim")
            return
        room = line.width() - gap - size - measures.horizontalAdvance(count)
        width = measures.horizontalAdvance(beside := _with_end(brief, time, room, measures))
        if session.branches <= 1 or width > room:
            self._text(painter, line, _with_end(brief, time, line.width(), measures), "small", "dim")
            return
        brief = beside
        self._text(painter, QRect(line.topLeft(), QSize(width, line.height())), brief, "small", "dim")
        sign = QRect(line.left() + width + gap, line.center().y() - size // 2, size, size)
        pixmap = self._theme.pixmap("branch", "dim", size=metrics.SPACE[6], ratio=painter.device().devicePixelRatio())
        painter.drawPixmap(self._placed(sign, self._row).topLeft(), pixmap)
        left = sign.right() + 1
        self._text(painter, QRect(left, line.top(), line.right() + 1 - left, line.height()), count, "small", "dim")

    def _paint_followed(self, painter: QPainter, line: QRect, width: int) -> None:
        """Paint the sign of a followed source behind facts of a width, where there is room for it."""
        size, gap = self._theme.px(metrics.SPACE[5]), metrics.SPACE[3]
        if width + gap + size > line.width():
            return
        place = QRect(line.left() + width + gap, line.center().y() - size // 2, size, size)
        ratio = painter.device().devicePixelRatio()
        pixmap = self._theme.pixmap("refresh", "faint", size=metrics.SPACE[5], ratio=ratio)
        painter.drawPixmap(self._placed(place, self._row).topLeft(), pixmap)

    def _paint_figure(self, painter: QPainter, line: QRect, text: str) -> int:
        """Paint a figure at the end of the line, and return the right edge of the remaining space.

        All figures of one kind end at the same place, also if the other figure of a row is unknown.
        """
        painter.setFont(self._theme.font("small"))
        measures = painter.fontMetrics()
        left = line.right() - measures.horizontalAdvance(text)
        self._text(painter, QRect(left, line.top(), line.right() + 1 - left, line.height()), text, "small", "dim")
        return min(left, line.right() - measures.horizontalAdvance(WIDEST)) - metrics.SPACE[4]

    def _paint_tags(self, painter: QPainter, line: QRect, tags: tuple[str, ...]) -> int:
        """Paint tags as chips in the right half of the line, and return the right edge of the remaining space."""
        painter.setFont(self._theme.font("small"))
        measures, inset = painter.fontMetrics(), self._theme.px(metrics.SPACE[3])
        height, gap = measures.height() + metrics.SPACE[1], metrics.SPACE[2]
        right = line.right() + gap
        for text in reversed(_fitting(tags, line.width() // 2, measures, 2 * inset + gap)):
            width = measures.horizontalAdvance(text) + 2 * inset
            chip = QRect(right - gap - width, line.center().y() - height // 2, width, height)
            self._paint_chip(painter, self._placed(chip, self._row), text)
            right = chip.left()
        return right - metrics.SPACE[4]

    def _paint_chip(self, painter: QPainter, chip: QRect, text: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("label_bg"))
        painter.drawRoundedRect(chip, metrics.RADIUS_BAR, metrics.RADIUS_BAR)
        painter.setPen(self._theme.color("tool"))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_count(self, painter: QPainter, line: QRect, text: str) -> int:
        """Paint the number of nested sessions in a pill, and return the right edge of the remaining space."""
        painter.setFont(self._theme.font("small"))
        measures = painter.fontMetrics()
        height = measures.height() + metrics.SPACE[1]
        width = max(measures.horizontalAdvance(text) + 2 * self._theme.px(metrics.SPACE[3]), height)
        pill = QRect(line.right() - width, line.center().y() - height // 2, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("faint"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(self._placed(pill, self._row), height / 2, height / 2)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(self._placed(pill, self._row), Qt.AlignmentFlag.AlignCenter, text)
        return pill.left() - metrics.SPACE[3]

    def _paint_icon(self, painter: QPainter, line: QRect, name: str, color: str) -> int:
        """Paint an icon, and return the right edge of the remaining space."""
        size = metrics.SPACE[6]
        ratio = painter.device().devicePixelRatio()
        pixmap = self._theme.pixmap(name, color, size=size, ratio=ratio)
        left = line.right() - self._theme.px(size)
        place = QRect(left, line.center().y() - self._theme.px(size) // 2, self._theme.px(size), self._theme.px(size))
        painter.drawPixmap(self._placed(place, self._row).topLeft(), pixmap)
        return left - metrics.SPACE[2]

    def _paint_dot(self, painter: QPainter, line: QRect) -> int:
        """Paint the dot of a running reply, and return the right edge of the remaining space."""
        side = self._theme.px(metrics.SPACE[4])
        dot = self._placed(QRect(line.right() - side, line.center().y() - side // 2, side, side), self._row)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        painter.drawEllipse(dot)
        return line.right() - side - metrics.SPACE[3]

    def _paint_fill(self, painter: QPainter, line: QRect, fill: float) -> int:
        """Paint the bar of the context's fill, and return the right edge of the remaining space."""
        width = min(self._theme.px(metrics.FILL_BAR), line.width() // 5)
        height = self._theme.px(metrics.SPACE[1] + 1)
        bar = QRect(line.right() - width, line.center().y() - height // 2 + 1, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for part, color in ((1.0, "free"), (fill, "summary" if fill > NEARLY_FULL else "accent")):
            painter.setBrush(self._theme.color(color))
            bar.setWidth(max(round(width * part), height))
            painter.drawRoundedRect(QRectF(self._placed(bar, self._row)), height / 2, height / 2)
        return int(line.right() - width - metrics.SPACE[4])

    def _text(self, painter: QPainter, rect: QRect, text: str, font: str, color: str) -> None:
        painter.setFont(self._theme.font(font))
        painter.setPen(self._theme.color(color))
        shown = _elided(text, rect.width(), painter.fontMetrics())
        draw_words(painter, self._placed(rect, self._row), FLAGS, shown)


def _elided(text: str, width: int, measures: QFontMetrics) -> str:
    """Return the text, elided if it is wider than `width`.

    Qt would also elide a text of exactly this width, since it rounds the width down.
    """
    text = shortened(text)
    if measures.horizontalAdvance(text) <= width:
        return text
    return measures.elidedText(text, Qt.TextElideMode.ElideRight, width)


SEPARATOR = " · "  # between the facts of a session


def _without_end(text: str, end: str) -> str:
    """Return the text before its part `end`; the whole text if nothing is before this part."""
    return text[: text.rfind(end)].removesuffix(SEPARATOR) or text if end else text


def _with_end(text: str, end: str, width: int, measures: QFontMetrics) -> str:
    """Return the text if it fits a width; otherwise shorten the part before `end`."""
    at = text.rfind(end) if end else -1
    if at <= 0 or measures.horizontalAdvance(text) <= width:
        return text
    begin, kept = text[: at - len(SEPARATOR)], text[at - len(SEPARATOR) :]
    room = width - measures.horizontalAdvance(kept)
    begin = measures.elidedText(shortened(begin), Qt.TextElideMode.ElideRight, max(room, 0))
    return begin + kept if len(begin) > 1 else text[at:]


def _fitting(tags: tuple[str, ...], room: int, measures: QFontMetrics, extra: int) -> list[str]:
    """Return the first tags that fit, each with `extra` pixels around it; `+2` replaces the rest.

    The first tag is shortened if necessary.
    """
    out: list[str] = []
    for at, tag in enumerate(map(shortened, tags)):
        rest = f"+{len(tags) - at}"
        after = measures.horizontalAdvance(rest) + extra if at < len(tags) - 1 else 0
        needed = measures.horizontalAdvance(tag) + extra
        if out and needed > room - after:
            return [*out, rest]
        out.append(_elided(tag, room - after - extra, measures))
        room -= needed
    return out
