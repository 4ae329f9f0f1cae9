"""The rows of the list of files: changed files grouped by folder, then the files that were read and not changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby

from PySide6.QtCore import Qt

from stemmata.domain.files.log import FileStep, FileUse
from stemmata.gui.files.words import brief_notes, folder_of, name_of, note_text, relative, title_text, tr, use_text
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.rows import HeadedRowsModel, Index


class FilesRole(IntEnum):
    """The item data role under which a model returns the row itself."""

    ROW = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A heading above files."""

    text: str

    @property
    def spoken(self) -> str:
        """The heading, as a screen reader reads it."""
        return self.text


@dataclass(frozen=True, slots=True)
class UseRow:
    """A file. `name` is the part of its path that the row shows."""

    use: FileUse
    name: str

    @property
    def spoken(self) -> str:
        """The file and how it was used, as a screen reader reads it."""
        return use_text(self.use)

    @property
    def text(self) -> str:
        """The shown name."""
        return self.name


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of a file's history. `step` is its number, `branch` the name of another branch, `color` a colour token.

    The texts are made when they are shown: a file may have thousands of steps.
    """

    step: int
    told: FileStep
    branch: str
    color: str

    @property
    def text(self) -> str:
        """The title of the step: the range of lines that was read, or the prompt or reply before a change."""
        return title_text(self.told)

    @property
    def note(self) -> str:
        """The line under the title."""
        return note_text(self.told, self.branch)

    @property
    def briefs(self) -> tuple[str, ...]:
        """Shorter notes for a narrow column, the longest first."""
        return brief_notes(self.told, self.branch)

    @property
    def spoken(self) -> str:
        """The step and its note, as a screen reader reads it."""
        return f"{self.text}, {self.note}"


Row = HeadRow | UseRow | StepRow


class RowsModel(HeadedRowsModel[Row]):
    """The rows of one of the lists."""

    def __init__(self) -> None:
        super().__init__(HeadRow)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row's text, its text for screen readers, or the row itself for FilesRole.ROW."""
        row = self.row_at(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(row, UseRow):
            return row.use.path
        return row if role == FilesRole.ROW else None


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file with the texts by which it is filtered and sorted; they are made once, and not at each filter."""

    use: FileUse
    shown: str
    folded: str
    folder: str


class FilesModel(RowsModel):
    """The files of a session, filtered by a part of their path."""

    def __init__(self) -> None:
        super().__init__()
        self._listed: list[_Listed] = []
        self._sought, self._everywhere = "", False

    def set_uses(self, uses: Sequence[FileUse], folder: str) -> None:
        """Show the files of a session whose folder is `folder`."""
        self._listed = [_listed(use, folder) for use in uses]
        self._listed.sort(key=lambda each: (not each.use.is_changed, each.folder, each.use.path))
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
        return [each.use for each in self._chosen()]

    def row_of(self, path: str) -> int | None:
        """Return the row of a file; None when it is not shown."""
        found = (at for at, row in enumerate(self.rows) if isinstance(row, UseRow) and row.use.path == path)
        return next(found, None)

    def _chosen(self) -> list[_Listed]:
        return [each for each in self._listed if self._everywhere or each.use.is_here]

    def _refresh(self) -> None:
        words = self._sought.casefold().split()
        self.set_rows([*_rows([each for each in self._chosen() if all(word in each.folded for word in words)])])


def _listed(use: FileUse, root: str) -> _Listed:
    shown = relative(use.path, root)
    return _Listed(use, shown, shown.casefold(), folder_of(use.path, root))


def _rows(listed: Sequence[_Listed]) -> Iterator[Row]:
    """Yield the changed files by folder, then the files that were read and not changed."""
    changed = [each for each in listed if each.use.is_changed]
    for folder, group in groupby(changed, key=lambda each: each.folder):
        yield HeadRow(folder)
        yield from (UseRow(each.use, name_of(each.use.path)) for each in group)
    if len(changed) < len(listed):
        yield HeadRow(tr("Read, not changed · {0}").format(number(len(listed) - len(changed))))
        yield from (UseRow(each.use, each.shown) for each in listed[len(changed) :])
