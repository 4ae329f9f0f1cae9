"""A table of the session folders found on this machine, with a check box per tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from stemmata.domain.settings.settings import changed_setting, setting_of
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import PushButton
from stemmata.gui.widgets.figures import size_text
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
COLUMNS = 4
FIGURES = (2, 3)


class DiscoveredTable(QWidget):
    """The table; all boxes are checked at first."""

    selection_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._found: tuple[Discovered, ...] = ()
        self.boxes: list[QCheckBox] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._body = QWidget()
        self._layout.addWidget(self._body)
        self._fill(self.tr("Looking for sessions on this machine…"))

    def show_discovered(self, found: Sequence[Discovered]) -> None:
        """Show the folders found."""
        self._found = tuple(found)
        self._fill(self.tr("No sessions of a supported tool were found in the usual folders. Choose files instead."))
        self._body.show()  # now, and not with the next events, because a dialog asks for its height
        self.selection_changed.emit()

    @property
    def paths(self) -> list[str]:
        """Session files of the checked folders."""
        return [path for found in self._ticked for path in found.files]

    @property
    def folders(self) -> list[str]:
        """The checked folders, without folders of projects, which also contain many other files."""
        return [found.folder for found in self._ticked if not found.is_of_project]

    @property
    def count(self) -> int:
        """Number of session files in the checked folders."""
        return sum(len(found.files) for found in self._ticked)

    @property
    def _ticked(self) -> list[Discovered]:
        return [found for found, box in zip(self._found, self.boxes, strict=True) if box.isChecked()]

    def _fill(self, nothing: str) -> None:
        self._layout.removeWidget(self._body)
        self._body.hide()
        self._body.deleteLater()
        self._body = QWidget()
        self._layout.addWidget(self._body)
        self.boxes = []
        grid = QGridLayout(self._body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(metrics.SPACE[6])
        for column in FIGURES:
            grid.setColumnMinimumWidth(column, self._theme.px(metrics.FIGURES))
        grid.setVerticalSpacing(metrics.SPACE[4])
        grid.setColumnStretch(1, 1)
        if not self._found:
            grid.addWidget(label(nothing, "dim", wrap=True), 0, 0, 1, COLUMNS)
            return
        self._put_heading(grid)
        for at, found in enumerate(self._found):
            self._put_row(grid, 2 * at + 1, found)

    def _put_heading(self, grid: QGridLayout) -> None:
        grid.addWidget(label(self.tr("Source"), "small"), 0, 1)
        for column, text in ((2, self.tr("Found")), (3, self.tr("Size"))):
            grid.addWidget(_right(label(text, "small")), 0, column)

    def _put_row(self, grid: QGridLayout, row: int, found: Discovered) -> None:
        rule = QFrame()
        rule.setProperty("edge", "top")
        rule.setFixedHeight(metrics.BORDER)
        grid.addWidget(rule, row, 0, 1, COLUMNS)
        box = QCheckBox()
        box.setChecked(True)
        box.setAccessibleName(found.name)
        box.toggled.connect(lambda _on: self.selection_changed.emit())
        self.boxes.append(box)
        name = QVBoxLayout()
        name.setSpacing(metrics.SPACE[1])
        name.addWidget(ElidedLabel(found.name))
        name.addWidget(ElidedLabel(short_path(found.folder), "small"))
        grid.addWidget(box, row + 1, 0)
        grid.addLayout(name, row + 1, 1)
        files = self.tr("%Ln files", None, len(found.files))
        grid.addWidget(_right(label(files, "dim")), row + 1, 2)
        grid.addWidget(_right(label(size_text(found.size), "dim")), row + 1, 3)


def _right(cell: QLabel) -> QLabel:
    cell.setAlignment(RIGHT)
    return cell


def short_path(folder: str) -> str:
    """Return the path with `~` for the home folder."""
    home = str(Path.home())
    return "~" + folder[len(home) :] if folder == home or folder.startswith(home + "/") else folder


class ImportButton(PushButton):
    """A button that shows the number of files of the checked tools and requests their import.

    A file may hold several sessions, so the number of sessions is known only when the files are read.
    """

    import_requested = Signal(list)  # list[str], paths

    def __init__(self, table: DiscoveredTable) -> None:
        super().__init__()
        self._table = table
        self.setProperty("primary", True)
        self.clicked.connect(lambda: self.import_requested.emit(table.paths))
        table.selection_changed.connect(self._show_count)
        self._show_count()

    def _show_count(self) -> None:
        count = self._table.count
        what = self.tr("%Ln files", None, count) if count else ""
        self.setText(self.tr("Import {0}").format(what).strip())
        self.setEnabled(count > 0)


def setting_with(followed: Sequence[str], folders: Sequence[str], *, on: bool) -> str | None:
    """Return the setting of followed folders with or without these folders; None when that changes nothing."""
    before = setting_of(map(short_path, followed))
    after = changed_setting(before, list(map(short_path, folders)), on=on)
    return None if after == before else after


class FollowBox(QCheckBox):
    """The check box for following the checked folders of a table."""

    def __init__(self, table: DiscoveredTable) -> None:
        super().__init__()
        self._table = table
        self._followed: Sequence[str] | None = None
        self.setObjectName("followBox")
        self.setText(self.tr("Keep following these folders"))
        self.setAccessibleDescription(
            self.tr("New messages of these tools are imported automatically while Stemmata is open.")
        )
        set_plain_tip(self, self.accessibleDescription())
        table.selection_changed.connect(self._on_selection_changed)

    def show_followed(self, folders: Sequence[str]) -> None:
        """Check the box if all checked folders are already followed, now and after each change of the table."""
        self._followed = tuple(map(short_path, folders))
        self._on_selection_changed()

    def setting(self, followed: Sequence[str]) -> str | None:
        """Return the new value of the setting of followed folders; None to leave it unchanged."""
        return setting_with(followed, self._folders, on=self.isChecked())

    @property
    def _folders(self) -> list[str]:
        """The checked folders with `~` for the home folder."""
        return list(map(short_path, self._table.folders))

    def _on_selection_changed(self) -> None:
        self.setVisible(bool(self._table.boxes))  # without folders there is nothing to follow
        if self._followed is not None:
            folders = self._folders
            self.setChecked(bool(folders) and set(folders) <= set(self._followed))
