"""The form of a tool server: its command or address, its arguments and its key."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit

from stemmata.domain.chat.tool_servers import KEY, ToolServer
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.form import FieldForm, FormField, LinesEdit
from stemmata.gui.widgets.labels import label

PROGRAM, ADDRESS = "program", "address"
EXAMPLE_PROGRAM, EXAMPLE_ADDRESS = "mcp-files", "https://mcp.example/mcp"


class ServerForm(FieldForm):
    """The form.

    Signals carry the server, the typed key, and the server's previous name, which is "" for a new server.
    """

    save_requested = Signal(object, str, str)
    try_requested = Signal(object, str, str)
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("serverForm")
        self._before = ""
        self.kind = QComboBox()
        self.kind.addItem(self.tr("A program on this machine"), PROGRAM)
        self.kind.addItem(self.tr("An address on the network"), ADDRESS)
        self.name, self.command, self.folder, self.address = QLineEdit(), QLineEdit(), QLineEdit(), QLineEdit()
        self.arguments, self.environment, self.headers = LinesEdit(theme), LinesEdit(theme), LinesEdit(theme)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self._add_fields()
        asks = self.tr("Each of its tools asks before it acts, until you say “always” or “never” for a folder.")
        self.fields.addWidget(label(asks, "dim", wrap=True))
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.try_out = push_button(self.tr("Try"), self._on_try)
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._before))
        self.finish(self.try_out)
        self._on_kind_changed()

    def show_server(self, server: ToolServer | None) -> None:
        """Fill the form, empty for None. Stored keys are never shown."""
        given = server or ToolServer(name="")
        self._before = given.name
        self.title.setText(self.tr("Server {0}").format(given.name) if server else self.tr("New server of tools"))
        self.kind.setCurrentIndex(self.kind.findData(ADDRESS if given.url else PROGRAM))
        for field, text in (
            (self.name, given.name), (self.command, given.command), (self.folder, given.folder),
            (self.address, given.url), (self.key, ""),
        ):  # fmt: skip
            field.setText(text)
        self.arguments.setPlainText("\n".join(given.args))
        self.environment.setPlainText("\n".join(f"{name}={value}" for name, value in given.env.items()))
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in given.headers.items()))
        self.remove.setVisible(server is not None)
        self.show_busy(on=False)
        self.rewind()
        self.name.setFocus()

    def show_busy(self, *, on: bool) -> None:
        """Disable the buttons while an answer is pending."""
        for button in (self.try_out, self.save, self.remove):
            button.setEnabled(not on)

    def server(self) -> ToolServer | None:
        """Return the server in the fields; None after showing a message at an invalid field."""
        for field in self._fields:
            field.tell("")
        environment = self._pairs(self._environment, self.environment, "=", self.tr("NAME=value"))
        headers = self._pairs(self._headers, self.headers, ":", self.tr("Name: value"))
        if environment is None or headers is None or self._lacks():
            return None
        name = self.name.text().strip()
        if self._is_address:
            return ToolServer(name=name, url=self.address.text().strip(), headers=headers)
        return ToolServer(
            name=name, command=self.command.text().strip(), args=tuple(self.arguments.lines), env=environment,
            folder=self.folder.text().strip(),
        )  # fmt: skip

    @property
    def _is_address(self) -> bool:
        return bool(self.kind.currentData() == ADDRESS)

    def _lacks(self) -> bool:
        """Return whether a required field is empty, and show a message at the first one."""
        needed = (self._name, self._address if self._is_address else self._command)
        for field in needed:
            control = field.control
            if isinstance(control, QLineEdit) and not control.text().strip():
                self.show_problem(field, self.tr("Give one, please."))
                return True
        return False

    def _pairs(self, field: FormField, edit: LinesEdit, between: str, shape: str) -> dict[str, str] | None:
        if field.isHidden():
            return {}
        out = {}
        for line in edit.lines:
            name, found, value = line.partition(between)
            if not found or not name.strip():
                self.show_problem(field, self.tr("“{0}” is not of the shape {1}.").format(line, shape))
                return None
            out[name.strip()] = value.strip()
        return out

    def _on_kind_changed(self) -> None:
        for field in (self._command, self._arguments, self._environment, self._folder):
            field.setVisible(not self._is_address)
        for field in (self._address, self._headers):
            field.setVisible(self._is_address)

    def _on_try(self) -> None:
        if (server := self.server()) is not None:
            self.try_requested.emit(server, self.key.text(), self._before)

    def _on_save(self) -> None:
        if (server := self.server()) is None:
            return
        key = self.key.text().strip()
        if key and not server.wants_key:
            place = self._headers if self._is_address else self._environment
            self.show_problem(place, self.tr("Nothing says where the key goes: write {0} for it here.").format(KEY))
            return
        self.save_requested.emit(server, key, self._before)

    def _add_fields(self) -> None:
        field = FormField
        kept = self.tr("{0} stands for the key below, {1} for a variable of the environment Stemmata was started in.")
        kept = kept.format(KEY, "${env:NAME}")
        self._name = field(
            self.tr("Name"), self.name, self.tr("Its tools are called after it. Letters, digits, “_” and “-”.")
        )
        self._kind = field(self.tr("What it is"), self.kind)
        self._command = field(self.tr("Program"), self.command, self.tr("Run without a shell."))
        self._arguments = field(self.tr("Arguments"), self.arguments, self.tr("One a line."))
        self._environment = field(
            self.tr("Environment"), self.environment, self.tr("NAME=value, one a line.") + " " + kept
        )
        self._folder = field(self.tr("Folder"), self.folder, self.tr("Where it runs; empty for where Stemmata runs."))
        self._address = field(self.tr("Address"), self.address, self.tr("It begins with http:// or https://."))
        self._headers = field(self.tr("Headers"), self.headers, self.tr("Name: value, one a line.") + " " + kept)
        kept = self.tr("Kept in the keyring of the system for this address alone, and in no file.")
        self._key = field(self.tr("Key"), self.key, kept)
        self.command.setPlaceholderText(EXAMPLE_PROGRAM)
        self.address.setPlaceholderText(EXAMPLE_ADDRESS)
        self.key.setPlaceholderText(self.tr("Takes the place of one that is kept"))
        self._fields = (
            self._name, self._kind, self._command, self._arguments, self._environment, self._folder, self._address,
            self._headers, self._key,
        )  # fmt: skip
        for each in self._fields:
            self.add(each)
