"""The form of one connection: name, address, key, and the result of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.chat.connections import Connection, Origin
from stemmata.domain.requests.apis import APIS
from stemmata.gui.settings.connect_choices import (
    ConnectChoice,
    free_name,
    heading,
    is_address,
    key_text,
    name_at,
)
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property


@dataclass(frozen=True, slots=True)
class TextField:
    """A text field of the form. `attribute` is the field's name in Connection; `hint` is the placeholder text."""

    attribute: str
    title: str
    hint: str = ""
    is_rare: bool = False


class ConnectForm(QWidget):
    """The form. `key` is "" if the user typed none; it is emitted once and then cleared."""

    test_requested = Signal(object, str)  # Connection, key
    save_requested = Signal(object, str)
    remove_requested = Signal(str)  # name
    default_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.choice: ConnectChoice | None = None  # what is shown
        self.taken: Sequence[str] = ()  # names of the connections that there are
        self._title = label("", "title")
        self._declared = self._text_fields()
        self._texts = {field.attribute: _edit(field) for field in self._declared}
        self.name, self.address, self.model, self.variable, self.proxy, self.certificates = self._texts.values()
        self.address.textChanged.connect(lambda _text: self.name.setPlaceholderText(self._free_name()))
        self.api = QComboBox()
        self.api.setAccessibleName(self.tr("API"))
        for api in APIS:
            self.api.addItem(api.title, api.name)
        self.key = _edit(TextField("", self.tr("Key")))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.storage = label("", "small", wrap=True)
        self.result = label("", "small", wrap=True)
        self.test = push_button(self.tr("Test"), self._on_test)
        self.save = push_button(self.tr("Save"), self._on_save, look="primary")
        self.remove = push_button(self.tr("Remove"), lambda: self.remove_requested.emit(self._name()), look="danger")
        self.default = push_button(self.tr("Make default"), lambda: self.default_requested.emit(self._name()))
        self.more = push_button(self.tr("Variable, proxy, certificates…"), self._on_more, look="link")
        self._left: tuple[QWidget, QWidget | None] | None = None  # the button that was pressed, what has the keys now
        self._lay_out()

    def show_choice(self, choice: ConnectChoice, *, is_default: bool) -> None:
        """Fill the fields. Stored keys are never shown."""
        self.choice = choice
        connection = choice.connection
        self._title.setText(heading(choice))
        self.save.setText(self.tr("Save") if choice.is_saved else self.tr("Connect"))
        for attribute, edit in self._texts.items():
            edit.setText(getattr(connection, attribute))
        self.name.setReadOnly(choice.is_saved)  # entries name it as where they came from
        self.api.setCurrentIndex(max(0, self.api.findData(connection.api)))
        self.key.clear()
        self._form.setRowVisible(self.address, choice.is_open)
        self._form.setRowVisible(self.api, choice.is_open)
        self.remove.setVisible(choice.is_saved)
        self.default.setVisible(choice.is_saved and not is_default)
        self._show_more(on=bool(connection.proxy or connection.ca_file))
        self.show_result("", works=False)

    def show_origin(self, origin: Origin | None, problem: str) -> None:
        """Show where the key is stored. `problem` is the reason why it is only kept for this run."""
        connection = self.connection()
        self.storage.setText(key_text(origin, connection, problem))
        kept = origin in (Origin.KEYRING, Origin.MEMORY)
        hint = self.tr("A new key takes the place of the kept one") if kept else ""
        if origin is Origin.NOT_NEEDED:
            hint = self.tr("Not needed") if connection.is_local else self.tr("If the server wants one")
        self.key.setPlaceholderText(hint)

    def show_result(self, text: str, *, works: bool) -> None:
        """Show the result of a test or the reason of a failure."""
        set_property(self.result, "role", "good" if works else "error")
        self.result.setText(text)
        self.result.setVisible(bool(text))

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
            if self.window().focusWidget() is given:  # else the person went on
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
        """Return the connection in the fields; values without a field are kept."""
        before = Connection(name="") if self.choice is None else self.choice.connection
        facts: dict[str, Any] = {attribute: edit.text().strip() for attribute, edit in self._texts.items()}
        facts |= {"name": self._name(), "api": str(self.api.currentData())}
        return replace(before, **facts)

    def _name(self) -> str:
        return self.name.text().strip() or self._free_name()

    def _free_name(self) -> str:
        """Return a name for a connection without one."""
        return free_name(name_at(self.address.text().strip()), self.taken)

    def _on_test(self) -> None:
        if self._has_address():
            self.test_requested.emit(self.connection(), self.key.text())

    def _has_address(self) -> bool:
        """Return whether the address is valid, and show a message if it is not."""
        if is_address(self.address.text().strip()):
            return True
        self.show_result(self.tr("Give the address of the server: it begins with http:// or https://"), works=False)
        self.address.setFocus()
        return False

    def _on_save(self) -> None:
        if not self._has_address():
            return
        if self.choice is not None and not self.choice.is_saved and self._name() in self.taken:
            self.show_result(self.tr("There is a connection called {0} already.").format(self._name()), works=False)
            self.name.setFocus()
            return
        key = self.key.text()
        self.forget_key()
        self.save_requested.emit(self.connection(), key)

    def _on_more(self) -> None:
        self._show_more(on=True)
        self.variable.setFocus()

    def _show_more(self, *, on: bool) -> None:
        for field in self._declared:
            if field.is_rare:
                self._form.setRowVisible(self._texts[field.attribute], on)
        self._form.setRowVisible(self.more, not on)

    def _text_fields(self) -> tuple[TextField, ...]:
        """Return the text fields; the form places the API and the key after the address."""
        return (
            TextField("name", self.tr("Name")),
            TextField("base_url", self.tr("Address")),
            TextField("model", self.tr("Model"), self.tr("The first that the server offers")),
            TextField(
                "variable",
                self.tr("Environment variable"),
                self.tr("Name of the one that holds the key"),
                is_rare=True,
            ),
            TextField("proxy", self.tr("Proxy"), self.tr("As HTTPS_PROXY says"), is_rare=True),
            TextField(
                "ca_file", self.tr("Certificates"), self.tr("A PEM file, instead of the system’s"), is_rare=True
            ),
        )

    def _lay_out(self) -> None:
        self._form = form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(metrics.SPACE[6])
        form.setVerticalSpacing(metrics.SPACE[4])
        texts = list(self._texts.values())
        for field in (*texts[:2], self.api, self.key, *texts[2:]):
            form.addRow(_named(field), field)
        self.more.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
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
        column.addWidget(self._title)
        column.addLayout(form)
        column.addWidget(self.storage)
        column.addWidget(self.result)
        column.addStretch(1)
        column.addLayout(foot)
        self._buttons: tuple[QPushButton, ...] = (self.test, self.save, self.remove, self.default)
        for button in self._buttons:
            button.setAutoDefault(False)


def _named(field: QWidget) -> QLabel:
    return label(field.accessibleName(), "dim")


def _edit(field: TextField) -> QLineEdit:
    out = QLineEdit()
    out.setAccessibleName(field.title)
    out.setPlaceholderText(field.hint)
    return out
