"""The dialog for connecting a model: servers found on this machine, new connections, and saved connections."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.domain.chat.connections import Connection
from stemmata.gui.settings.connect_choices import ConnectChoice, found, kinds, saved_choices
from stemmata.gui.settings.connect_form import ConnectForm
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip
from stemmata.gui.widgets.popup import dialog_size, fit
from stemmata.gui.widgets.surface import line, set_surface

CHOICE = Qt.ItemDataRole.UserRole


class ConnectDialog(QDialog):
    """The dialog that connects models; it does not block the window.

    It contains no key except the text of the field for a new key.
    """

    chosen = Signal(object)  # ConnectChoice whose key's location is to be shown

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connectDialog")
        self.setWindowTitle(self.tr("Connect a model"))
        self._theme = theme
        self._saved: tuple[Connection, ...] = ()
        self._default = ""
        self._found: tuple[Connection, ...] | None = None
        self._choices: list[ConnectChoice] = []
        self._shown: list[tuple[str, list[ConnectChoice], str]] = []  # the groups of the list
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Connections"))
        self.list.currentItemChanged.connect(self._on_chosen)
        self.form = ConnectForm(theme)
        self._lay_out()
        theme.changed.connect(self._fit)
        self._fit()
        self._fill("")

    def sizeHint(self) -> QSize:
        """Return the size of a dialog at the current scale, less high when the form is; it never becomes lower."""
        size, layout = dialog_size(self._theme, self), self.form.layout()
        form = layout.totalHeightForWidth(size.width() - self.list.width()) if layout is not None else 0
        least = self.height() if self.isVisible() else self._theme.px(metrics.CONNECT)
        return QSize(size.width(), min(size.height(), max(form, least)))

    def show_connections(self, saved: Sequence[Connection], default: str, select: str = "") -> None:
        """Show the saved connections, and select the one named `select`; "" keeps the selection."""
        self._saved, self._default = tuple(saved), default
        self.form.taken = [connection.name for connection in saved]
        self._fill(select)

    def show_found(self, servers: Sequence[Connection]) -> None:
        """Show the servers found on this machine.

        The first one is selected if no connection is saved and no key is typed.
        """
        self._found = tuple(servers)
        untouched = not self._saved and not self.form.key.text()
        offered = found(servers, self._saved)
        self._fill(offered[0].title if offered and untouched else "")

    @property
    def choice(self) -> ConnectChoice | None:
        """The connection that is selected in the list; None without one."""
        row = self.list.currentRow()
        at = self.list.item(row).data(CHOICE) if row >= 0 else None
        return None if at is None else self._choices[at]

    @property
    def titles(self) -> list[str]:
        """The titles of all rows."""
        return [choice.title for choice in self._choices]

    def choose(self, title: str) -> None:
        """Select the first row with this title, if any."""
        titles = self.titles
        if title in titles:
            self._select(titles.index(title))

    def _select(self, choice: int) -> None:
        rows = range(self.list.count())
        self.list.setCurrentRow(next(row for row in rows if self.list.item(row).data(CHOICE) == choice))

    def _fill(self, select: str) -> None:
        before, groups = self.choice, self._groups()
        if groups != self._shown:
            self._shown = groups
            self.list.blockSignals(True)  # the rows are taken away one by one: none of them is chosen
            self.list.clear()
            self._choices = []
            for title, choices, none in groups:
                self._add_group(title, choices, none)
            self.list.blockSignals(False)
        if not select and before in self._choices:
            self._select(self._choices.index(before))
        else:
            self._select(0)
            self.choose(select or ("" if before is None else before.title))

    def _groups(self) -> list[tuple[str, list[ConnectChoice], str]]:
        """Return each group's title, its choices, and the words that are shown when there are none."""
        searching = self.tr("Looking for servers…") if self._found is None else self.tr("No server found")
        return [
            (self.tr("Connected"), [*saved_choices(self._saved, self._default)], ""),
            (self.tr("On this machine"), [*found(self._found or (), self._saved)], searching),
            (self.tr("Add"), [*kinds([item.name for item in self._saved])], ""),
        ]

    def _add_group(self, title: str, choices: Sequence[ConnectChoice], none: str = "") -> None:
        if choices or none:
            self._add_words(title, "section")
        if not choices and none:
            self._add_words(none, "faint")
        for choice in choices:
            self._choices.append(choice)
            content = QWidget()
            row = line(ElidedLabel(choice.title), label(choice.note if not choice.is_open else "", "small"))
            row.setContentsMargins(metrics.SPACE[4], 0, metrics.SPACE[4], 0)
            content.setLayout(row)
            set_plain_tip(content, choice.note)
            item = self._item(content)
            item.setData(CHOICE, len(self._choices) - 1)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{choice.title} {choice.note}")

    def _add_words(self, text: str, role: str) -> None:
        words = ElidedLabel(text, role)
        words.setContentsMargins(metrics.SPACE[4], 0, 0, 0)
        self._item(words).setFlags(Qt.ItemFlag.NoItemFlags)

    def _item(self, content: QWidget) -> QListWidgetItem:
        item = QListWidgetItem()
        item.setSizeHint(QSize(0, self._theme.px(metrics.CONTROL)))
        self.list.addItem(item)
        self.list.setItemWidget(item, content)
        return item

    def _on_chosen(self) -> None:
        choice = self.choice
        # showing the same choice again would lose the typed text
        if choice is not None and choice != self.form.choice:
            is_default = choice.is_saved and choice.connection.name == self._default
            self.form.show_choice(choice, is_default=is_default)
            self.chosen.emit(choice)

    def _fit(self) -> None:
        self.list.setFixedWidth(self._theme.px(metrics.CONNECTIONS))
        self.resize(self.sizeHint())

    def _lay_out(self) -> None:
        side = QWidget()
        set_surface(side, "panel", "right")
        left = QVBoxLayout(side)
        left.setContentsMargins(metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5])
        left.addWidget(self.list, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self.form, 1)
        self.form.height_changed.connect(lambda: fit(self))
        self.form.save.setDefault(True)  # once it is in a dialog, which the button asks
