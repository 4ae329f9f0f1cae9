"""The list of search results: where its rows are, and its cursor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QCursor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem

from stemmata.gui.search.delegate import ResultsDelegate
from stemmata.gui.search.rows import Index, ResultsModel
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.placed_rows import PlacedRows
from stemmata.gui.widgets.rows import beside_headings


class ResultRows(PlacedRows):
    """The list of results. The cursor skips the headings.

    A page that comes or goes changes the width and the height of the list for a moment. So rows are laid out for
    another width in a later turn, and not at all for another height.
    """

    def __init__(self, theme: Theme, model: ResultsModel) -> None:
        super().__init__()
        self._model = model
        self._resized = QTimer(self, singleShot=True, interval=0)
        self._resized.timeout.connect(self._fit)
        self.setModel(model)
        self.delegate = ResultsDelegate(theme, model, self)
        self.setItemDelegate(self.delegate)

    def heights(self) -> Iterable[int]:
        """Return the heights of all rows."""
        return self.delegate.heights()

    def doItemsLayout(self) -> None:
        """Compute the places of the rows; a step of the wheel is as high as the first row."""
        self.delegate.fit(self._room())
        super().doItemsLayout()
        if self._room() != self.delegate.width:  # a scroll bar will come or go, which Qt does in a later turn
            self.delegate.fit(self._room())
            super().doItemsLayout()
        if len(self._tops) > 1:
            self.verticalScrollBar().setSingleStep(self._tops[1])

    def _room(self) -> int:
        """Return the width of the rows, beside the scroll bar if they need one."""
        bar = self.verticalScrollBar().sizeHint().width() if self._tops[-1] > self.viewport().height() else 0
        return self.maximumViewportSize().width() - bar

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the rows in a later turn if they have another width then."""
        self._resized.start()
        QAbstractItemView.resizeEvent(self, event)

    def _fit(self) -> None:
        if self._model.rowCount() and self._room() != self.delegate.width:
            self.scheduleDelayedItemsLayout()

    def visualRect(self, index: Index) -> QRect:
        """Return the rectangle of a row in the viewport, laying out what is due."""
        self.executeDelayedItemsLayout()
        return super().visualRect(index)

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the row at a point of the viewport, laying out what is due."""
        self.executeDelayedItemsLayout()
        return super().indexAt(point)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows."""
        self.executeDelayedItemsLayout()
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        state = option.state
        pointed = self.indexAt(self.viewport().mapFromGlobal(QCursor.pos())) if self.underMouse() else QModelIndex()
        painter = QPainter(self.viewport())
        for row in self.rows_in(event.rect().top(), event.rect().bottom()):
            index = self._model.index(row)
            option.rect, option.state = self.visualRect(index), state
            if self.selectionModel().isSelected(index):
                option.state |= QStyle.StateFlag.State_Selected
            if index == pointed:
                option.state |= QStyle.StateFlag.State_MouseOver
            self.delegate.paint(painter, option, index)
        painter.end()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Paint rows again that have changed.

        Qt's list would lay out all rows; the results do this when a height has changed.
        """
        QAbstractItemView.dataChanged(self, first, last, roles)

    def moveCursor(self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Move to the next hit, across headings."""
        self.executeDelayedItemsLayout()
        current, last = self.currentIndex(), self._model.rowCount() - 1
        if not current.isValid():
            return beside_headings(current, self._model.index(0))
        at, move = current.row(), QAbstractItemView.CursorAction
        page = self.viewport().height()
        moved = {
            move.MoveUp: at - 1, move.MovePrevious: at - 1, move.MoveDown: at + 1, move.MoveNext: at + 1,
            move.MovePageUp: min(at - 1, self._row_from(at, -page) + 1),
            move.MovePageDown: max(at + 1, self._row_from(at, page) - 1),
            move.MoveHome: 0, move.MoveEnd: last,
        }.get(action, at)  # fmt: skip
        return beside_headings(current, self._model.index(min(max(moved, 0), last)))

    def _row_from(self, row: int, pixels: int) -> int:
        """Return the row at a distance from the upper edge of another one."""
        return bisect_right(self._tops, self._tops[row] + pixels) - 1
