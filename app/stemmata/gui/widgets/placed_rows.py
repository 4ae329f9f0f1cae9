"""A list whose rows' places are computed from their heights, without asking for the size of each row.

Qt asks a delegate for the size of every row whenever it lays a list out, which takes longer than a frame for a
thousand rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
)
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QListView

Index = QModelIndex | QPersistentModelIndex


class PlacedRows(QListView):
    """A list of rows one below the other. Qt's own layout of the list is never computed."""

    def __init__(self) -> None:
        super().__init__()
        self._tops = [0]  # upper edge of each row; the last item is the height of all rows

    def heights(self) -> Iterable[int]:
        """Return the heights of all rows, in pixels."""
        raise NotImplementedError

    def doItemsLayout(self) -> None:
        """Compute the places of the rows."""
        self._tops = [*accumulate(self.heights(), initial=0)]
        QAbstractItemView.doItemsLayout(self)

    def updateGeometries(self) -> None:
        """Set the range of the scroll bar."""
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setRange(0, max(0, self._tops[-1] - page))
        self.horizontalScrollBar().setRange(0, 0)

    def verticalOffset(self) -> int:
        """Return the position of the view, in pixels."""
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        """Return 0: the list does not scroll sideways."""
        return 0

    def visualRect(self, index: Index) -> QRect:
        """Return the rectangle of a row in the viewport."""
        row = index.row()
        if not index.isValid() or row + 1 >= len(self._tops):
            return QRect()
        top = self._tops[row]
        return QRect(0, top - self.verticalOffset(), self.viewport().width(), self._tops[row + 1] - top)

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the row at a point of the viewport."""
        at = point.y() + self.verticalOffset()
        if not 0 <= at < self._tops[-1] or not 0 <= point.x() < self.viewport().width():
            return QModelIndex()
        return self.model().index(bisect_right(self._tops, at) - 1, 0)

    def rows_in(self, top: int, bottom: int) -> range:
        """Return the rows that reach into a part of the viewport."""
        offset, last = self.verticalOffset(), len(self._tops) - 2
        first = max(0, bisect_right(self._tops, offset + top) - 1)
        return range(first, min(last, bisect_right(self._tops, offset + bottom) - 1) + 1)

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll until a row is visible."""
        self.executeDelayedItemsLayout()
        row, bar, page = index.row(), self.verticalScrollBar(), self.viewport().height()
        if not index.isValid() or row + 1 >= len(self._tops):
            return
        top, bottom = self._tops[row], self._tops[row + 1]
        if hint is QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue((top + bottom - page) // 2)
        elif top < bar.value() or hint is QAbstractItemView.ScrollHint.PositionAtTop:
            bar.setValue(top)
        elif bottom > bar.value() + page or hint is QAbstractItemView.ScrollHint.PositionAtBottom:
            bar.setValue(bottom - page)

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select the rows that a rectangle of the viewport touches."""
        first, last = (self.indexAt(QPoint(0, y)) for y in sorted((rect.top(), rect.bottom())))
        last = last if last.isValid() else self.model().index(self.model().rowCount() - 1, 0)
        selection = QItemSelection(first, last) if first.isValid() else QItemSelection()
        self.selectionModel().select(selection, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Return the region of the selected rows in the viewport."""
        out = QRegion()
        for part in map(selection.at, range(selection.count())):
            out += self.visualRect(part.topLeft()).united(self.visualRect(part.bottomRight()))
        return out

    def isIndexHidden(self, _index: Index) -> bool:
        """Return False: no row is hidden."""
        return False

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Repaint all visible rows. Qt would not: its own layout of the list has no rows."""
        self.viewport().update()
