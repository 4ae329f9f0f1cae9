"""The list of sessions as a view: rows of two heights, whose places are computed without asking for each row."""

from __future__ import annotations

from collections.abc import Iterable
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QStyleOptionViewItem

from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.placed_rows import PlacedRows

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent  # only for annotations: not imported before the first paint
    from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

Index = QModelIndex | QPersistentModelIndex
_SELECTING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
MOST_SECONDS = 0.003  # of processor time for pictures of changed rows in one painting
MOST_DEPTH = 6  # deeper sessions are not indented further


def indent_of(depth: int) -> int:
    """Return the indent of a session at a depth, in pixels at 100 %."""
    return metrics.SPACE[6] * min(depth, MOST_DEPTH)


class _Look(NamedTuple):
    """The state and the size of a row. Its picture depends on them, on the data of the model, and on the theme."""

    is_selected: bool
    is_hovered: bool
    has_keys: bool
    is_mirrored: bool
    width: int
    ratio: float  # device pixels for each pixel


class SessionRows(PlacedRows):
    """The list of sessions. → and ← unfold and fold the sessions below a row or in a folder, Space does either.

    The cursor skips the headers of groups. On a folder it selects nothing: the open session stays selected.

    The rows in view are kept as pictures, since Qt repaints the list with each change of the window around it.
    """

    left_upwards = Signal()  # the up key was pressed in the first row, or “/” in any
    delete_requested = Signal()  # the delete key was pressed
    archive_requested = Signal(int)  # store key; the icon of the row under the mouse was pressed

    def __init__(self, theme: Theme, model: SessionsModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        # the row below the pointer when the list was painted, -1 for none; not in the style option, whose state would
        # load `QStyle`, which takes 5 ms of the start
        self.hovered_row = -1
        self.folder = ""  # the folder that the cursor is on, also while the rows are replaced
        self.archives = True  # whether the row under the mouse has the icon that archives its session
        self._pictures: dict[int, tuple[_Look, QPixmap]] = {}  # of the rows in view
        self._old: dict[int, QPixmap] = {}  # pictures of rows that have changed, until there is time for new ones
        self._until = 0.0  # `thread_time` after which a painting makes no more pictures in place of old ones
        self._has_new_size = False  # until it is painted
        self._later = SpareTurn(self, TurnClock(self), self.viewport().update)
        self.setModel(model)
        model.modelReset.connect(self._grow_old)
        model.dataChanged.connect(self._forget)  # Qt does not disconnect an overridden slot of its own
        theme.changed.connect(self._restyle)

    # -- places --------------------------------------------------------------------------------------------------

    def _restyle(self) -> None:
        self._pictures.clear()
        self._old.clear()
        self.doItemsLayout()

    def doItemsLayout(self) -> None:
        """Compute the places of the rows."""
        self.verticalScrollBar().setSingleStep(self._theme.px(metrics.SESSION_ROW) // 2)
        super().doItemsLayout()

    def heights(self) -> Iterable[int]:
        """Return the heights of all rows, in pixels."""
        header, row = self._theme.px(metrics.MENU_ROW), self._theme.px(metrics.SESSION_ROW)
        return (header if is_header else row for is_header in self._model.headers())

    # -- painting ------------------------------------------------------------------------------------------------

    def paint_anew(self) -> None:
        """Paint all rows again, since texts such as “2 min ago” have changed."""
        self._grow_old()
        self.viewport().update()

    def has_keys(self, index: Index) -> bool:
        """Return whether a row has the keyboard focus and needs a focus frame."""
        by_keys = self.hasFocus() and self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        return by_keys and self.currentIndex() == index

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows."""
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        at = self.viewport().mapFromGlobal(QCursor.pos())
        self.hovered_row = self.indexAt(at).row() if self.underMouse() else -1
        painter, self._until = QPainter(self.viewport()), thread_time() + MOST_SECONDS
        for row in self.rows_in(event.rect().top(), event.rect().bottom()):
            index = self._model.index(row)
            option.rect = self.visualRect(index)
            self._paint_row(painter, option, index)
            if row == self.hovered_row and self.archives and index.data(SessionRole.KEY) is not None:
                self._paint_archive(painter, index)
        painter.end()
        self._has_new_size = False
        self._forget_far()

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a row from its picture, and make a new picture first if the row has changed."""
        place, ratio = option.rect, self.devicePixelRatioF()
        if not (place.height() * ratio).is_integer():
            self.itemDelegate().paint(painter, option, index)  # pictures of such rows would not meet
            return
        look = _Look(
            self.selectionModel().isSelected(index), index.row() == self.hovered_row, self.has_keys(index),
            self.isRightToLeft(), place.width(), ratio,
        )  # fmt: skip
        kept = self._pictures.get(index.row())
        if kept is None or kept[0] != look:
            if kept is not None and kept[0]._replace(width=look.width) == look:
                self._grow_old([index.row()])
            waits = self._has_new_size or thread_time() > self._until
            if waits and self._paint_old(painter, place, index.row()):
                self._later.start()
                return
            self._old.pop(index.row(), None)
            kept = look, self._picture(option, index, ratio)
            self._pictures[index.row()] = kept
        painter.drawPixmap(place.topLeft(), kept[1])

    def _paint_old(self, painter: QPainter, place: QRect, row: int) -> bool:
        """Paint the old picture of a row, which may have another width; return whether there is one."""
        old = self._old.get(row)
        size = QSize() if old is None else old.deviceIndependentSize().toSize()
        if old is None or size.height() != place.height():
            return False
        painter.fillRect(place, self._theme.color("panel"))
        painter.drawPixmap(place.right() + 1 - size.width() if self.isRightToLeft() else 0, place.top(), old)
        return True

    def _picture(self, option: QStyleOptionViewItem, index: QModelIndex, ratio: float) -> QPixmap:
        place = option.rect
        out = QPixmap(place.size() * ratio)
        out.setDevicePixelRatio(ratio)
        out.fill(self._theme.color("panel"))
        painter = QPainter(out)
        painter.setLayoutDirection(self.layoutDirection())
        painter.translate(-place.topLeft())
        self.itemDelegate().paint(painter, option, index)
        painter.end()
        return out

    def _forget(self, first: Index, last: Index) -> None:
        self._grow_old([row for row in self._pictures if first.row() <= row <= last.row()])

    def _grow_old(self, rows: Iterable[int] | None = None) -> None:
        """Make new pictures of these rows, or of all rows. If the window changes in turns, the old pictures are shown
        for some turns: painting all rows in view takes 7 ms, too long in a turn that paints other parts, too.
        """
        for row in list(self._pictures if rows is None else rows):
            _look, picture = self._pictures.pop(row)
            if self._theme.takes_turns and self.isVisible():
                self._old[row] = picture

    def _forget_far(self) -> None:
        """Forget the pictures of rows that are not in view."""
        shown = self.rows_in(0, self.viewport().height())
        for pictures in (self._pictures, self._old):
            for row in [row for row in pictures if row not in shown]:
                del pictures[row]

    def archive_place(self, index: Index) -> QRect:
        """Return the rectangle of the icon that archives the session of a row, in the viewport."""
        row, side = self.visualRect(index), self._theme.px(metrics.CONTROL)
        left = metrics.SPACE[2] if self.isRightToLeft() else row.right() - side - metrics.SPACE[2]
        return QRect(left, row.top() + (row.height() - side) // 2, side, side)

    def _paint_archive(self, painter: QPainter, index: QModelIndex) -> None:
        """Paint the icon over the end of the row."""
        place, side = self.archive_place(index), self._theme.px(metrics.ICON)
        is_selected = self.selectionModel().isSelected(index)
        painter.fillRect(place, self._theme.color("selection" if is_selected else "hover"))
        pixmap = self._theme.pixmap("archive", "dim", ratio=self.devicePixelRatioF())
        painter.drawPixmap(place.center() - QPoint(side // 2, side // 2), pixmap)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the old pictures of rows in the first painting at the new size, when all of the window is painted."""
        super().resizeEvent(event)
        self._has_new_size = True

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Take the focus without choosing a session; Qt would choose the first one, which opens it."""
        QAbstractScrollArea.focusInEvent(self, event)
        self.viewport().update()

    def hideEvent(self, event: QHideEvent) -> None:
        """Forget old pictures, because they would be shown first even if the list was hidden for long."""
        super().hideEvent(event)
        self._old.clear()

    def leaveEvent(self, event: QEvent) -> None:
        """Repaint, so that no row is shown as hovered."""
        super().leaveEvent(event)
        self.viewport().update()

    # -- mouse and keys ------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Unfold or fold a row when its triangle or a folder is pressed.

        The right button does not move the cursor, which would open the session: the menu selects its row.
        """
        if event.button() is Qt.MouseButton.RightButton:
            return
        index, at = self.indexAt(event.position().toPoint()), event.position().toPoint()
        is_left = event.button() is Qt.MouseButton.LeftButton
        if is_left and self._model.folder_at(index.row()):
            self._go(index)  # so that the folder stays below the pointer
        if is_left and index.isValid() and self._on_triangle(index, at) and self._model.toggle(index.row()):
            return
        if is_left and self.on_archive(index, at):
            self.archive_requested.emit(int(index.data(SessionRole.KEY)))
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second press as the first, so that quick clicks on a triangle fold and unfold."""
        index, at = self.indexAt(event.position().toPoint()), event.position().toPoint()
        if index.isValid() and self._on_triangle(index, at):
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def on_archive(self, index: Index, at: QPoint) -> bool:
        """Return whether a point of the viewport is on the icon that archives the session of a row."""
        is_session = self.archives and index.isValid() and index.data(SessionRole.KEY) is not None
        return is_session and self.archive_place(index).contains(at)

    def _on_triangle(self, index: QModelIndex, at: QPoint) -> bool:
        """Return whether a point is on the triangle before a session that has others below it, or on a header."""
        if index.data(SessionRole.KEY) is None:
            return True
        if not index.data(SessionRole.BELOW):
            return False
        left = self._theme.px(indent_of(int(index.data(SessionRole.DEPTH))))
        x = self.viewport().width() - at.x() if self.isRightToLeft() else at.x()
        return left <= x < left + self._theme.px(metrics.TRIANGLE_SPACE)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Unfold and fold with the arrow keys: → goes on to the first session below, ← to the row above.

        Space unfolds or folds, and so does Enter on a folder. “/” leads to the filter, and Del asks to delete the
        selected sessions.
        """
        further, back = Qt.Key.Key_Right, Qt.Key.Key_Left
        if self.isRightToLeft():
            further, back = back, further
        index = self.currentIndex()
        if event.text() == "/":
            self.left_upwards.emit()
        elif event.key() == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.customContextMenuRequested.emit(self.visualRect(index).center())  # not every desktop does that
        elif event.key() == Qt.Key.Key_Delete and not event.modifiers():
            if not self.folder:
                self.delete_requested.emit()
        elif not event.modifiers() and self._toggled_by(event.key(), index):
            pass
        elif not index.isValid() or event.key() not in (further, back, Qt.Key.Key_Up):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Up:
            before = index.row()
            super().keyPressEvent(event)
            if self.currentIndex().row() == before and not event.modifiers():
                self.left_upwards.emit()
        else:
            self._fold(index, opens=event.key() == further)

    def _toggled_by(self, key: int, index: QModelIndex) -> bool:
        """Unfold or fold the row if it can be and the key does so; return whether it did."""
        keys = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) if self.folder else (Qt.Key.Key_Space,)
        return key in keys and index.isValid() and self._model.toggle(index.row())

    def _fold(self, index: QModelIndex, *, opens: bool) -> None:
        has_below, is_open = bool(index.data(SessionRole.BELOW)), bool(index.data(SessionRole.EXPANDED))
        if self._model.folder_at(index.row()):
            has_below = opens or is_open
        if has_below and is_open != opens:
            self._model.toggle(index.row())
        elif opens and has_below:
            self._go(self._model.index(index.row() + 1))
        elif not opens:
            above = self._model.visible_above(index.data(SessionRole.KEY))
            above = self._folder_above(index.row()) if above is None else above
            if above is not None:
                self._go(self._model.index(above))

    def _folder_above(self, row: int) -> int | None:
        """Return the row of the folder that contains a session's row; None for a session in a group, and a folder."""
        if self._model.folder_at(row):
            return None
        header = next((above for above in range(row - 1, -1, -1) if self._model.session_at(above) is None), -1)
        return header if self._model.folder_at(header) else None

    def _go(self, index: QModelIndex) -> None:
        self.selectionModel().setCurrentIndex(index, self.selectionCommand(index))
        self.scrollTo(index)

    def go_to_folder(self, folder: str) -> None:
        """Set the cursor on a folder, if it has a row."""
        row = self._model.row_of_folder(folder)
        if row is not None:
            self._go(self._model.index(row))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Remember the folder that the cursor is on."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.folder = self._model.folder_at(current.row())

    def selectionCommand(self, index: Index, event: QEvent | None = None) -> QItemSelectionModel.SelectionFlag:
        """Return how the selection changes with the cursor: not at all on a folder."""
        if index.isValid() and self._model.folder_at(index.row()):
            return QItemSelectionModel.SelectionFlag.NoUpdate
        return super().selectionCommand(index, event)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Return the next session or folder in a direction, with `modifiers` the next session.

        The current row when there is none.
        """
        last, at = self._model.rowCount() - 1, self.currentIndex().row()
        page = max(1, self.viewport().height() // self._theme.px(metrics.SESSION_ROW) - 1)
        move = QAbstractItemView.CursorAction
        ways = {
            move.MoveUp: (at - 1, (-1,)), move.MovePrevious: (at - 1, (-1,)), move.MoveDown: (at + 1, (1,)),
            move.MoveNext: (at + 1, (1,)), move.MovePageUp: (max(0, at - page), (-1, 1)),
            move.MovePageDown: (min(last, at + page), (1, -1)), move.MoveHome: (0, (1,)), move.MoveEnd: (last, (-1,)),
        }  # fmt: skip
        start, steps = ways.get(action, (at, ()))
        for step in steps:
            row = start
            while 0 <= row <= last and not self._takes_cursor(row, modifiers):
                row += step
            if 0 <= row <= last:
                return self._model.index(row)
        return self.currentIndex()

    def _takes_cursor(self, row: int, modifiers: Qt.KeyboardModifier) -> bool:
        is_session = self._model.session_at(row) is not None
        return is_session or (not modifiers & _SELECTING and bool(self._model.folder_at(row)))
