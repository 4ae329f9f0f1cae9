"""The lines of a file: numbers, changes and gaps. Only visible lines are laid out, so a file may have any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from stemmata.domain.files.rows import CHANGED, FileRow, RowKind
from stemmata.gui.branches.list_view import announce_focus
from stemmata.gui.files.coloring import ColoredLines
from stemmata.gui.files.words import gap_text, row_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.gui.widgets.items_accessible import ItemsInterface

LONGEST = 2_000  # characters of a line that are shown
GROUNDS = {RowKind.ADDED: "good_bg", RowKind.REMOVED: "bad_bg", RowKind.OPEN: "panel", RowKind.GAP: "panel"}
BREAKS = {0x2028: "↵", 0x2029: "¶"}  # Qt would break a line at these characters
SIGNS = {RowKind.ADDED: ("+", "good"), RowKind.REMOVED: ("−", "bad")}


class FileText(QAbstractScrollArea):
    """Shows the rows of a file. The cursor is a line; Shift selects lines, and Copy copies them."""

    leave_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        install_file_text()
        self._theme = theme
        self._rows: Sequence[FileRow] = ()
        self._colored: ColoredLines = {}
        self._at = self._anchor = 0
        self._longest = 0
        self._is_doubtful = False
        self.interface: ItemsInterface | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # code is written from left to right
        self.setAccessibleName(self.tr("Text of the file"))
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        theme.changed.connect(self._restyle)
        theme.code_changed.connect(self._restyle)
        self._restyle()

    # -- display ------------------------------------------------------------------------------------------------

    def show_rows(
        self, rows: Sequence[FileRow], longest: int, first: int = 0, *, keep: bool, doubtful: bool = False
    ) -> None:
        """Show the rows of a file, whose longest line has this many characters, with the cursor at row `first`.

        `keep`: stay at the same height. `doubtful`: dim the lines, which may have changed meanwhile.
        """
        self._is_doubtful = doubtful
        self._rows, self._colored, self._longest = rows, {}, min(longest, LONGEST)
        self._at = self._anchor = min(self._at, max(len(rows) - 1, 0)) if keep else first
        self._fit()
        if not keep:
            self.verticalScrollBar().setValue(max(self._at * self._height - self.viewport().height() // 3, 0))
            self.horizontalScrollBar().setValue(0)
        self.viewport().update()

    def show_colors(self, colored: ColoredLines) -> None:
        """Colour the shown lines."""
        self._colored = colored
        self.viewport().update()

    @property
    def rows(self) -> Sequence[FileRow]:
        """The shown rows."""
        return self._rows

    @property
    def current(self) -> int:
        """The row of the cursor."""
        return self._at

    def go_to(self, at: int, *, select: bool = False) -> None:
        """Move the cursor to a row and scroll to it; `select`: extend the selection."""
        if not self._rows:
            return
        self._at = min(max(at, 0), len(self._rows) - 1)
        if not select:
            self._anchor = self._at
        bar, top = self.verticalScrollBar(), self._at * self._height
        if top < bar.value():
            bar.setValue(top)
        elif top + self._height > bar.value() + self.viewport().height():
            bar.setValue(top + self._height - self.viewport().height())
        self.viewport().update()
        announce_focus(self, self._at)

    def step_change(self, by: int) -> None:
        """Move the cursor to the first row of the next or of the previous change."""
        at = self._at
        while 0 <= at < len(self._rows) and self._rows[at].kind in CHANGED:
            at += by
        while 0 <= at < len(self._rows) and self._rows[at].kind not in CHANGED:
            at += by
        while by < 0 and at > 0 and self._rows[at - 1].kind in CHANGED:
            at -= 1
        if 0 <= at < len(self._rows):
            self.go_to(at)

    def copy(self) -> None:
        """Copy the selected lines, without numbers and signs."""
        first, last = sorted((self._anchor, self._at))
        texts = [row.text for row in self._rows[first : last + 1] if row.kind is not RowKind.GAP]
        put_on_clipboard("\n".join(texts))

    # -- events -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = max(self.viewport().height() // self._height - 1, 1)
        moves = {
            Qt.Key.Key_Up: self._at - 1,
            Qt.Key.Key_Down: self._at + 1,
            Qt.Key.Key_PageUp: self._at - page,
            Qt.Key.Key_PageDown: self._at + page,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._rows) - 1,
        }
        wanted = moves.get(Qt.Key(event.key()))
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        bar = self.horizontalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_N:
            self.step_change(-1 if shifted else 1)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = self._theme.px(metrics.ARROW_STEP)
            bar.setValue(bar.value() + (by if event.key() == Qt.Key.Key_Right else -by))
        elif wanted is not None:
            self.go_to(wanted, select=shifted)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            at = self.at(event.position().toPoint())
            if at is not None:
                self.go_to(at, select=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            y = int(event.position().y()) + self.verticalScrollBar().value()
            self.go_to(y // self._height, select=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # -- accessibility --------------------------------------------------------------------------------------------

    def at(self, point: QPoint) -> int | None:
        """Return the row at a point of the viewport; None below the last row."""
        row = (point.y() + self.verticalScrollBar().value()) // self._height
        return row if 0 <= row < len(self._rows) else None

    def place(self, at: int) -> QRect:
        """Return the rectangle of a row in the viewport."""
        return QRect(0, at * self._height - self.verticalScrollBar().value(), self.viewport().width(), self._height)

    def is_chosen(self, at: int) -> bool:
        """Return whether a row is selected."""
        first, last = sorted((self._anchor, self._at))
        return first <= at <= last

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.color("bg"))
        if self._rows:
            top = self.verticalScrollBar().value()
            first = max((event.rect().top() + top) // self._height, 0)
            last = min((event.rect().bottom() + top) // self._height, len(self._rows) - 1)
            for at in range(first, last + 1):
                self._paint_row(painter, at)
        painter.end()

    def _paint_row(self, painter: QPainter, at: int) -> None:
        row, place = self._rows[at], self.place(at)
        ground = GROUNDS.get(row.kind)
        if ground is not None:
            painter.fillRect(place, self._theme.color(ground))
        several = self._anchor != self._at
        if self.is_chosen(at) and (several or self.hasFocus()):
            chosen = QColor(self._theme.color("selection"))
            chosen.setAlphaF(metrics.DIMMED)
            painter.fillRect(place, chosen)
        if at == self._at and self.hasFocus():
            bar = QRect(place.topLeft(), place.bottomLeft() + QPoint(metrics.LANE_LINE - 1, 0))
            painter.fillRect(bar, self._theme.color("accent"))
        painter.setFont(self._theme.font("code"))
        start, gap = self._gutter, self._theme.px(metrics.SPACE[6])
        if row.kind is RowKind.GAP:
            self._paint_gap(painter, row, place)
            return
        middle = Qt.AlignmentFlag.AlignVCenter
        sign, color = SIGNS.get(row.kind, ("", "faint"))
        painter.setPen(self._theme.color("faint"))
        number = "" if row.number is None else str(row.number)
        numbers = QRect(0, place.top(), start - 2 * gap, place.height())
        painter.drawText(numbers, middle | Qt.AlignmentFlag.AlignRight, number)
        painter.setPen(self._theme.color(color))
        painter.drawText(QRect(start - 2 * gap, place.top(), 2 * gap, place.height()), int(_CENTER), sign)
        painter.setClipRect(place.adjusted(start, 0, 0, 0))
        self._paint_text(painter, at, row, QPointF(start - self.horizontalScrollBar().value(), place.top()))
        painter.setClipping(False)

    def _paint_gap(self, painter: QPainter, row: FileRow, place: QRect) -> None:
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("faint"))
        inside = place.adjusted(self._gutter, 0, 0, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, f"⋯  {gap_text(row)}")

    def _paint_text(self, painter: QPainter, at: int, row: FileRow, where: QPointF) -> None:
        text = row.text if len(row.text) <= LONGEST else f"{row.text[:LONGEST]}…"
        text = text.translate(BREAKS)
        layout = QTextLayout(text, self._theme.font("code"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTabStopDistance(self._character * self._theme.tab_width)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        layout.setTextOption(option)
        formats = []
        for part in () if self._is_doubtful else self._colored.get(at, ()):
            one = QTextLayout.FormatRange()
            one.start, one.length = part.start, part.stop - part.start
            one.format = QTextCharFormat()
            one.format.setForeground(self._theme.color(part.color))
            formats.append(one)
        layout.setFormats(formats)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        if line.isValid():
            is_dim = row.kind is RowKind.OPEN or (self._is_doubtful and row.kind is RowKind.SAME)
            painter.setPen(self._theme.color("dim" if is_dim else "text"))
            layout.draw(painter, where + QPointF(0, (self._height - line.height()) / 2))

    def _fit(self) -> None:
        digits = len(str(max((row.number or 0 for row in self._rows[-3:]), default=0)))
        gap = self._theme.px(metrics.SPACE[6])
        self._gutter = round(self._character * max(digits, 3)) + 4 * gap
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(len(self._rows) * self._height - self.viewport().height(), 0))
        vertical.setPageStep(self.viewport().height())
        vertical.setSingleStep(self._height)
        width = self._gutter + round(self._character * (self._longest + 2))
        horizontal.setRange(0, max(width - self.viewport().width(), 0))
        horizontal.setPageStep(self.viewport().width())
        horizontal.setSingleStep(round(self._character * 4))

    def _restyle(self) -> None:
        font = self._theme.font("code")
        self._character = QFontMetricsF(font).horizontalAdvance("0")
        self._height = round(font.pixelSize() * metrics.CODE_LINE_PERCENT / 100)
        self._fit()
        self.viewport().update()


_CENTER = Qt.AlignmentFlag.AlignCenter


class FileTextItems:
    """The lines of a file for screen readers."""

    def __init__(self, view: FileText) -> None:
        self._view = view

    def count(self) -> int:
        """Return the number of lines and gaps."""
        return len(self._view.rows)

    def current(self) -> int | None:
        """Return the row of the cursor, None without rows."""
        return self._view.current if self._view.rows else None

    def is_selected(self, index: int) -> bool:
        """Return whether a row is selected."""
        return self._view.is_chosen(index)

    def place(self, index: int) -> QRect:
        """Return the rectangle of a row in the viewport."""
        return self._view.place(index)

    def at(self, point: QPoint) -> int | None:
        """Return the row at a point of the viewport."""
        return self._view.at(point)

    def name_of(self, index: int) -> str:
        """Return the number, the change and the text of a row."""
        return row_text(self._view.rows[index])


def install_file_text() -> None:
    """Register the factory of the accessible interface, once per process."""
    application = QCoreApplication.instance()
    if application is not None and not application.property("reads files"):
        application.setProperty("reads files", True)
        QAccessible.installFactory(_interface_of)


def _interface_of(_name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, FileText):
        return None
    thing.interface = ItemsInterface(thing, FileTextItems(thing), many=True)
    return cast("QAccessibleInterface", thing.interface)
