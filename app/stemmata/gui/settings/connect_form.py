"""The form of one connection: name, address, key, and the result of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.chat.connections import Connection, KeyOrigin
from stemmata.domain.list_items import CONNECTIONS
from stemmata.gui.settings.connect_choices import (
    ConnectChoice,
    free_name,
    heading,
    key_text,
    name_at,
)
from stemmata.gui.settings.item_form import ItemControls, tr
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property


class ConnectForm(QWidget):
    """The form of a connection. The emitted key is "" if the user typed none; it is cleared after it is emitted."""

    test_requested = Signal(object, str)  # Connection, key
    save_requested = Signal(object, str)
    remove_requested = Signal(str)  # name
    default_requested = Signal(str)
    height_changed = Signal()  # rows or words were shown or hidden

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.choice: ConnectChoice | None = None  # the shown connection
        self.taken: Sequence[str] = ()  # names of the connections that there are
        self.title = label("", "title")
        self.controls = ItemControls(theme, CONNECTIONS, lambda: None)
        self.key, self._name = self.controls.edit("key"), self.controls.edit("name")
        self._address = self.controls.edit("base_url")
        self._address.textChanged.connect(lambda _text: self._name.setPlaceholderText(self._free_name()))
        self.storage = label("", "small", wrap=True)
        self.result = label("", "small", wrap=True)
        self.test = push_button(self.tr("Test"), self._on_test)
        self.save = push_button(self.tr("Save"), self._on_save, look="primary")
        self.remove = push_button(self.tr("Remove"), self._on_remove, look="danger")
        self.default = push_button(self.tr("Make default"), self._on_make_default)
        self.more = push_button(self.tr("Variable, proxy, certificates…"), self._on_more, look="link")
        self._left: tuple[QWidget, QWidget | None] | None = None  # the pressed button, the widget with the focus
        self._lay_out()

    def show_choice(self, choice: ConnectChoice, *, is_default: bool) -> None:
        """Fill the fields. Stored keys are never shown."""
        self.choice = choice
        connection = choice.connection
        self.title.setText(heading(choice))
        self.save.setText(self.tr("Save") if choice.is_saved else self.tr("Connect"))
        self.controls.fill(connection, key="")
        self._name.setReadOnly(choice.is_saved)  # stored entries name their connection
        for key in ("base_url", "api"):
            self._form.setRowVisible(self.controls[key], choice.is_open)
        self.remove.setVisible(choice.is_saved)
        self.default.setVisible(choice.is_saved and not is_default)
        self._show_more(on=bool(connection.proxy or connection.ca_file))
        self.show_result("", works=False)

    def show_origin(self, origin: KeyOrigin | None, problem: str) -> None:
        """Show where the key is stored. `problem` is the reason why it is only kept for this run."""
        connection = Connection(name="") if self.choice is None else self.choice.connection
        self.storage.setText(key_text(origin, connection, problem))
        kept = origin in (KeyOrigin.KEYRING, KeyOrigin.MEMORY)
        hint = self.tr("A new key replaces the stored one") if kept else ""
        if origin is KeyOrigin.NOT_NEEDED:
            hint = self.tr("Not needed") if connection.is_local else self.tr("Only if the server requires one")
        self.key.setPlaceholderText(hint)

    def show_result(self, text: str, *, works: bool) -> None:
        """Show the result of a test or the reason of a failure."""
        set_property(self.result, "role", "good" if works else "error")
        self.result.setText(text)
        self.result.setVisible(bool(text))
        self._tell_height()

    def _tell_height(self) -> None:
        layout = self.layout()
        if layout is not None:
            layout.activate()  # else the rows inside it are as wide as with what was just hidden until the next turn
        self.height_changed.emit()

    def show_busy(self, text: str) -> None:
        """Show that an answer is pending, or with "" that it arrived. The pressed button keeps the keyboard focus."""
        pressed = next((button for button in (self.test, self.save) if text and button.hasFocus()), None)
        self.test.setEnabled(not text)
        self.save.setEnabled(not text)
        if pressed is not None:
            self._left = pressed, self.window().focusWidget()
        elif not text and self._left is not None:
            button, given = self._left
            self._left = None
            if self.window().focusWidget() is given:  # the user has not moved the focus meanwhile
                button.setFocus()
        if text:
            set_property(self.result, "role", "small")
            self.result.setText(text)
            self.result.show()

    def forget_key(self) -> None:
        """Clear the typed key, including the field's undo history."""
        self.key.clear()
        self.key.setModified(False)

    def connection(self) -> Connection:
        """Return the connection in the fields, which must be valid; values without a field are kept."""
        before = Connection(name="") if self.choice is None else self.choice.connection
        return replace(before, **self.controls.values() | {"name": self._chosen_name()})

    def _chosen_name(self) -> str:
        return self._name.text().strip() or self._free_name()

    def _free_name(self) -> str:
        """Return a name for a connection without one."""
        return free_name(name_at(self._address.text().strip()), self.taken)

    def _on_test(self) -> None:
        if self._is_valid():
            self.test_requested.emit(self.connection(), self.key.text())

    def _is_valid(self) -> bool:
        """Return whether all values are valid; show the first problem and focus its field."""
        for key, problem in self.controls.problems().items():
            self._show_problem(key, problem)
            return False
        return True

    def _show_problem(self, key: str, problem: str) -> None:
        self.show_result(problem, works=False)
        if self.controls.rows[key].is_rare:
            self._show_more(on=True)
        self.controls[key].setFocus()

    def _on_save(self) -> None:
        if not self._is_valid():
            return
        name = self._chosen_name()
        if self.choice is not None and not self.choice.is_saved and name in self.taken:
            self._show_problem("name", self.tr("A connection named {0} already exists.").format(name))
            return
        key = self.key.text()
        self.forget_key()
        self.save_requested.emit(self.connection(), key)

    def _on_remove(self) -> None:
        self.remove_requested.emit(self._chosen_name())

    def _on_make_default(self) -> None:
        self.default_requested.emit(self._chosen_name())

    def _on_more(self) -> None:
        self._show_more(on=True)
        next(self.controls[key] for key, row in self.controls.rows.items() if row.is_rare).setFocus()

    def _show_more(self, *, on: bool) -> None:
        for key, row in self.controls.rows.items():
            if row.is_rare:
                self._form.setRowVisible(self.controls[key], on)
        self._form.setRowVisible(self.more, not on)
        self._tell_height()

    def _lay_out(self) -> None:
        self._form = form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(metrics.SPACE[6])
        form.setVerticalSpacing(metrics.SPACE[4])
        for key, row in self.controls.rows.items():
            form.addRow(label(tr(row.title), "dim"), self.controls[key])
        self.more.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.more.setProperty("flush", True)  # its text begins where the fields do
        form.addRow("", self.more)  # under the fields that it brings more of
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        for button in (self.remove, self.default):
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.test)
        foot.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(metrics.SPACE[7], metrics.SPACE[6], metrics.SPACE[7], metrics.SPACE[6])
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(self.title)
        column.addLayout(form)
        column.addWidget(self.storage)
        column.addWidget(self.result)
        column.addStretch(1)
        column.addLayout(foot)
        self._buttons: tuple[QPushButton, ...] = (self.test, self.save, self.remove, self.default)
        for button in self._buttons:
            button.setAutoDefault(False)
