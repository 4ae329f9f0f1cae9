"""The control of a setting that is a table: rows of a name and a choice, which can be added and removed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from stemmata.domain.settings.settings import Value
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.labels import label
from stemmata.services.ports.settings import SettingSpec


class TableRow(QWidget):
    """One row: the name of a tool, the treatment of its results, and a button that removes the row."""

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, spec: SettingSpec, words: Callable[[str], str]) -> None:
        super().__init__()
        self.name, self.choice = QLineEdit(), QComboBox()
        self.name.setMaxLength(spec.most)
        self.name.setPlaceholderText(self.tr("Name of a tool, such as Read"))
        self.name.setAccessibleName(self.tr("Tool"))
        self.choice.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for word in spec.choices:
            self.choice.addItem(words(word), word)
        self.remove = IconButton(theme, "close", self.tr("Remove this tool"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self.name, 1)
        row.addWidget(self.choice)
        row.addWidget(self.remove)
        self.name.editingFinished.connect(self._on_named)
        self.choice.activated.connect(lambda _at: self.changed.emit())
        self.remove.clicked.connect(self.removed)

    def show_row(self, name: str, word: str) -> None:
        """Show a name and its choice."""
        self.name.setText(name)
        self.choice.setCurrentIndex(max(0, self.choice.findData(word)))
        self._tell()

    @property
    def value(self) -> tuple[str, str]:
        """The tool's name, "" until one is typed, and the choice for its results."""
        return self.name.text().strip(), str(self.choice.currentData())

    def _on_named(self) -> None:
        if self.name.isModified():
            self.name.setModified(False)
            self._tell()
            self.changed.emit()

    def _tell(self) -> None:
        """Name the controls after the tool, for screen readers."""
        name = self.value[0] or self.tr("the new tool")
        self.choice.setAccessibleName(self.tr("Results of {0}").format(name))
        self.remove.setAccessibleName(self.tr("Remove {0}").format(name))


class TableField(QWidget):
    """The control of a table. Rows without a name are not stored."""

    chosen = Signal(object)  # dict[str, str]

    def __init__(self, theme: Theme, spec: SettingSpec, words: Callable[[str], str]) -> None:
        super().__init__()
        self._theme, self._spec, self._words = theme, spec, words
        self.rows: list[TableRow] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(metrics.SPACE[2])
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self.add = push_button(QCoreApplication.translate("TableField", "Add a tool"), self._on_added, look="link")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, metrics.SPACE[2], 0, metrics.SPACE[2])
        column.setSpacing(metrics.SPACE[2])
        column.addLayout(self._list)
        column.addWidget(self.problem)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFocusProxy(self.add)

    def show_value(self, value: Value | None) -> None:
        """Show a table; rows that have no name yet stay."""
        table = dict(value) if not isinstance(value, bool | int | str | None) else {}
        if table == self.value:
            return
        for row in [row for row in self.rows if row.value[0]]:
            self._take_out(row)
        for at, (name, word) in enumerate(table.items()):
            self._row(at).show_row(name, word)
        self._check()

    @property
    def value(self) -> dict[str, str]:
        """The table in the rows; of two rows with one name, the first."""
        table: dict[str, str] = {}
        for name, word in (row.value for row in self.rows):
            if name and name.lower() not in map(str.lower, table):
                table[name] = word
        return table

    def _row(self, at: int) -> TableRow:
        row = TableRow(self._theme, self._spec, self._words)
        row.changed.connect(self._on_changed)
        row.removed.connect(lambda: self._on_removed(row))
        self.rows.insert(at, row)
        self._list.insertWidget(at, row)
        return row

    def _take_out(self, row: TableRow) -> None:
        self.rows.remove(row)
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _on_added(self) -> None:
        row = next((row for row in self.rows if not row.value[0]), None) or self._row(len(self.rows))
        row.show_row("", self._spec.choices[1])
        row.name.setFocus()

    def _on_removed(self, row: TableRow) -> None:
        was_named = bool(row.value[0])
        self._take_out(row)
        self.add.setFocus()
        if was_named:
            self._on_changed()

    def _on_changed(self) -> None:
        if self._check():
            self.chosen.emit(self.value)

    def _check(self) -> bool:
        """Return whether no name is used twice; show the problem of one that is."""
        names = [row.value[0].lower() for row in self.rows if row.value[0]]
        twice = next((name for name in names if names.count(name) > 1), "")
        self.problem.setText(self.tr("“{0}” is in the table already.").format(twice) if twice else "")
        self.problem.setVisible(bool(twice))
        return not twice
