"""Lists of rows between headings: their model, and the cursor that skips the headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
RowT = TypeVar("RowT")
_ROOT = QModelIndex()


class HeadedRowsModel(QAbstractListModel, Generic[RowT]):
    """Rows between headings, which cannot be selected. `heading` is the class of the headings."""

    def __init__(self, heading: type[object]) -> None:
        super().__init__()
        self._heading = heading
        self.rows: tuple[RowT, ...] = ()

    def set_rows(self, rows: Sequence[RowT]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def row_at(self, index: Index) -> RowT | None:
        """Return the row; None for one that is gone: Qt asks for the clicked row after the click was handled."""
        return self.rows[index.row()] if 0 <= index.row() < len(self.rows) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make every row except headings selectable."""
        row = self.row_at(index)
        if row is None or isinstance(row, self._heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def beside_headings(current: QModelIndex, moved: QModelIndex) -> QModelIndex:
    """Return where the cursor goes from `current` when a key moved it to `moved`, which may be a heading.

    It goes to the next row in the direction of the key that can be selected; where the list ends before, to the
    nearest one back. It stays where it is when no row can be selected.
    """
    onward = -1 if moved.row() < current.row() else 1
    for by in (onward, -onward):
        index = moved
        while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
            index = index.siblingAtRow(index.row() + by)
        if index.isValid():
            return index
    return current
