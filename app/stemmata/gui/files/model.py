"""The files of a session as rows of a list: grouped by folder, and those that were only read at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from stemmata.domain.files.log import FileUse
from stemmata.gui.files.words import folder_of, name_of, relative, tr, use_text
from stemmata.gui.widgets.figures import number

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RowRole(IntEnum):
    """The item data role under which a model returns the row itself."""

    ROW = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A heading above files."""

    text: str

    @property
    def spoken(self) -> str:
        """The heading for a screen reader."""
        return self.text


@dataclass(frozen=True, slots=True)
class UseRow:
    """A file. `name` is what the row shows of its path."""

    use: FileUse
    name: str

    @property
    def spoken(self) -> str:
        """The file for a screen reader."""
        return use_text(self.use)

    @property
    def text(self) -> str:
        """The shown name."""
        return self.name


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of a file's history. `color` is a colour token, `step` its number."""

    step: int
    text: str
    note: str
    color: str

    @property
    def spoken(self) -> str:
        """The step for a screen reader."""
        return f"{self.text}, {self.note}"


Row = HeadRow | UseRow | StepRow


class RowsModel(QAbstractListModel):
    """Rows of one of the lists; headings cannot be selected."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make every row except headings selectable."""
        if isinstance(self.rows[index.row()], HeadRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row's text, its text for screen readers, or the row itself for RowRole.ROW."""
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(row, UseRow):
            return row.use.path
        return row if role == RowRole.ROW else None


class FilesModel(RowsModel):
    """The files of a session, filtered by a part of their path."""

    def __init__(self) -> None:
        super().__init__()
        self._uses: tuple[FileUse, ...] = ()
        self._folder, self._sought, self._everywhere = "", "", False

    def set_uses(self, uses: Sequence[FileUse], folder: str) -> None:
        """Show the files of a session whose folder is `folder`."""
        self._uses, self._folder = tuple(uses), folder
        self._refresh()

    def set_filter(self, text: str) -> None:
        """Show only the files whose path contains every word of the text."""
        self._sought = text
        self._refresh()

    def set_everywhere(self, *, on: bool) -> None:
        """Show the files of all branches, or those of the shown one."""
        self._everywhere = on
        self._refresh()

    @property
    def uses(self) -> list[FileUse]:
        """The files of the chosen branches, without the filter."""
        return [use for use in self._uses if self._everywhere or use.is_here]

    def row_of(self, path: str) -> int | None:
        """Return the row of a file; None when it is not shown."""
        found = (at for at, row in enumerate(self.rows) if isinstance(row, UseRow) and row.use.path == path)
        return next(found, None)

    def _refresh(self) -> None:
        words = self._sought.casefold().split()
        found = [use for use in self.uses if all(word in self._shown(use).casefold() for word in words)]
        self.set_rows([*self._rows(found)])

    def _shown(self, use: FileUse) -> str:
        return relative(use.path, self._folder)

    def _rows(self, uses: Sequence[FileUse]) -> Iterator[Row]:
        changed = sorted((use for use in uses if use.is_changed), key=self._place)
        for folder, group in groupby(changed, key=lambda use: folder_of(use.path, self._folder)):
            yield HeadRow(folder)
            yield from (UseRow(use, name_of(use.path)) for use in group)
        read = [use for use in uses if not use.is_changed]
        if read:
            yield HeadRow(tr("Only read · {0}").format(number(len(read))))
            yield from (UseRow(use, self._shown(use)) for use in read)

    def _place(self, use: FileUse) -> tuple[str, str]:
        return folder_of(use.path, self._folder), use.path
