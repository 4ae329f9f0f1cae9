"""The settings page of tool servers: their states, the form of a server, and tools that may act without asking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from stemmata.domain.chat.tool_servers import KEY, KeptConsent, ServerPhase, ServerState, ToolServer
from stemmata.domain.list_items import ADDRESS, PROGRAM, SERVERS
from stemmata.gui.settings.item_form import ItemForm
from stemmata.gui.settings.list_page import clear, list_page
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.surface import line, set_surface


class ServerRow(QWidget):
    """One server. `start_requested` starts or restarts it. A typed key is emitted once and then cleared."""

    start_requested = Signal()
    stop_requested = Signal()
    key_given = Signal(str)
    edit_requested = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName("serverRow")
        set_surface(self, edge="bottom")
        self._name = label(name, "title")
        self.state = label("", "dim", wrap=True)
        self.tools = label("", "faint", wrap=True)
        self.start = push_button(self.tr("Start"), self.start_requested.emit)
        self.restart = push_button(self.tr("Restart"), self.start_requested.emit)
        self.stop = push_button(self.tr("Stop"), self.stop_requested.emit)
        self.edit = push_button(self.tr("Edit"), self.edit_requested.emit)
        for button, text in (
            (self.edit, self.tr("Edit {0}")),
            (self.start, self.tr("Start {0}")),
            (self.restart, self.tr("Restart {0}")),
            (self.stop, self.tr("Stop {0}")),
        ):
            button.setAccessibleName(text.format(name))
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(self.tr("Key; it replaces a stored one"))
        self.key.setAccessibleName(self.tr("Key for {0}").format(name))
        self.key.returnPressed.connect(self._on_key)
        self.save = push_button(self.tr("Save key"), self._on_key)
        self.save.setAccessibleName(self.tr("Save the key for {0}").format(name))
        for each in (self.start, self.restart, self.stop, self.save):
            each.setAutoDefault(False)  # Enter in the field is no click on one of them
        self._lay_out()

    def _on_key(self) -> None:
        key = self.key.text().strip()
        self.key.clear()
        if key:
            self.key_given.emit(key)

    def show_state(self, state: ServerState) -> None:
        """Show the state of the server."""
        runs = state.phase in (ServerPhase.READY, ServerPhase.STARTING)
        had_focus = any(button.hasFocus() for button in (self.start, self.restart, self.stop))
        self.state.setText(self._words(state))
        set_property(self.state, "role", "error" if state.phase is ServerPhase.FAILED else "dim")
        self.tools.setText(", ".join(state.tools))
        self.tools.setVisible(bool(state.tools))
        self._entry.setVisible(state.wants_key)
        self.start.setVisible(not runs)
        self.restart.setVisible(runs)
        self.stop.setVisible(runs)
        if had_focus:
            (self.restart if runs else self.start).setFocus()

    def _words(self, state: ServerState) -> str:
        match state.phase:
            case ServerPhase.STOPPED:
                return self.tr("Stopped")
            case ServerPhase.STARTING:
                return self.tr("Starting…")
            case ServerPhase.READY:
                return self.tr("Running with %Ln tools", None, len(state.tools))
        return self.tr("Failed: {0}").format(translate_phrase(state.problem))

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(metrics.SPACE[2])
        for each in (self._name, self.state, self.tools):
            words.addWidget(each)
        self._entry = QWidget()
        self._entry.setLayout(line(self.key, self.save))
        self._entry.hide()
        words.addWidget(self._entry)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        row.setSpacing(metrics.SPACE[4])
        row.addLayout(words, 1)
        for button in (self.start, self.restart, self.stop, self.edit):
            row.addWidget(button)


class ServerForm(ItemForm):
    """The form of a tool server.

    Signals carry the server, the typed key, and the server's previous name, which is "" for a new server.
    """

    save_requested = Signal(object, str, str)
    try_requested = Signal(object, str, str)
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, SERVERS)
        self.setObjectName("serverForm")
        self._before = ""
        asks = self.tr("Each of its tools asks before it acts, until you say “always” or “never” for a folder.")
        self.column.addWidget(label(asks, "dim", wrap=True))
        self.try_out = push_button(self.tr("Test"), self._on_try)
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._before))
        self.finish(self.try_out)

    def show_server(self, server: ToolServer | None) -> None:
        """Fill the form, empty for None. Stored keys are never shown."""
        given = server or ToolServer(name="")
        self._before = given.name
        self.title.setText(self.tr("Server {0}").format(given.name) if server else self.tr("New tool server"))
        self.controls.fill(given, kind=ADDRESS[1] if given.url else PROGRAM[1], key="")
        self.remove.setVisible(server is not None)
        self.show_busy(on=False)
        self.rewind()
        self.controls["name"].setFocus()

    def show_busy(self, *, on: bool) -> None:
        """Disable the buttons while an answer is pending."""
        for button in (self.try_out, self.save, self.remove):
            button.setEnabled(not on)

    def server(self) -> ToolServer | None:
        """Return the server in the fields; None after showing a message at an invalid field."""
        return ToolServer(**self.controls.values()) if self.is_valid() else None

    def _on_try(self) -> None:
        if (server := self.server()) is not None:
            self.try_requested.emit(server, self.controls.edit("key").text(), self._before)

    def _on_save(self) -> None:
        if (server := self.server()) is None:
            return
        key = self.controls.edit("key").text().strip()
        if key and not server.wants_key:
            text = self.tr("The key is not used yet: write {0} here, where the server needs it.").format(KEY)
            self.show_problem("headers" if server.url else "env", text)
            return
        self.save_requested.emit(server, key, self._before)


class ServersPage(QStackedWidget):
    """The list of tool servers; while a server is edited, its form takes the place of the list.

    Signals carry the name of a server; `key_given` also carries the key, and `forget_requested` a KeptConsent.
    """

    start_requested = Signal(str)
    stop_requested = Signal(str)
    key_given = Signal(str, str)
    forget_requested = Signal(object)
    save_requested = Signal(object, str, str)  # the signals of the form
    try_requested = Signal(object, str, str)
    remove_requested = Signal(str)
    form_left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("serversPage")
        self.rows: dict[str, ServerRow] = {}
        self.forgets: list[QPushButton] = []  # buttons, one a consent
        self.servers: dict[str, ToolServer] = {}  # as the settings have them
        self._edited = ""
        self._consents: tuple[KeptConsent, ...] | None = None
        self.add = push_button(self.tr("Add a server…"), lambda: self._edit(""))
        self.empty = label(self.tr("No tool servers yet."), "dim", wrap=True)
        self.empty.hide()  # hidden until the servers are read
        self.message = label("", "error", wrap=True)
        self._servers, self._kept = QVBoxLayout(), QVBoxLayout()
        self._servers.setSpacing(0)
        self._heading = label(self.tr("Always allowed or forbidden"), "section")
        self._heading.hide()
        words = self.tr(
            "MCP servers, whose tools the model may call. They start with the first message of a chat; each tool "
            "asks before it acts."
        )
        parts = (self.message, self.empty, self._servers, self._heading, self._kept)
        self.addWidget(list_page(label(words, "dim", wrap=True), self.add, *parts))
        self.tell("")

    @cached_property
    def form(self) -> ServerForm:
        """The form, which is created when a server is edited first: with the list it takes longer than a frame."""
        form = ServerForm(self._theme)
        form.save_requested.connect(self.save_requested)
        form.try_requested.connect(self.try_requested)
        form.remove_requested.connect(self.remove_requested)
        form.left.connect(self.show_list)
        form.left.connect(self.form_left)
        self.addWidget(form)
        return form

    def show_servers(self, states: Sequence[ServerState]) -> None:
        """Show the servers with their states."""
        self.empty.setVisible(not states)
        if [state.server for state in states] != list(self.rows):
            focused = next((name for name, row in self.rows.items() if row.edit.hasFocus()), "")
            clear(self._servers)
            self.rows = {state.server: self._row(state.server) for state in states}
            if focused in self.rows:
                self.rows[focused].edit.setFocus()
        for state in states:
            self.rows[state.server].show_state(state)

    def show_settings(self, servers: Sequence[ToolServer]) -> None:
        """Set the servers that the forms edit."""
        self.servers = {server.name: server for server in servers}

    def show_consents(self, consents: tuple[KeptConsent, ...]) -> None:
        """Show the stored consents."""
        if consents == self._consents:
            return
        self._consents = consents
        clear(self._kept)
        self.forgets = []
        for consent in consents:
            self._kept.addWidget(self._consent(consent))
        self._heading.setVisible(bool(consents))

    def show_list(self) -> None:
        """Return from the form to the list, and restore the keyboard focus."""
        self.form.controls.edit("key").clear()
        self.setCurrentIndex(0)
        row = self.rows.get(self._edited)
        (self.add if row is None else row.edit).setFocus()

    def tell(self, problem: str) -> None:
        """Show a problem on the visible page."""
        self.message.setText(translate_phrase(problem))
        self.message.setVisible(bool(problem))

    def _edit(self, name: str) -> None:
        self.tell("")
        self._edited = name
        self.setCurrentWidget(self.form)
        self.form.show_server(self.servers.get(name))

    def _row(self, name: str) -> ServerRow:
        row = ServerRow(name)
        row.start_requested.connect(lambda: self.start_requested.emit(name))
        row.stop_requested.connect(lambda: self.stop_requested.emit(name))
        row.key_given.connect(lambda key: self.key_given.emit(name, key))
        row.edit_requested.connect(lambda: self._edit(name))
        self._servers.addWidget(row)
        return row

    def _consent(self, consent: KeptConsent) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        text = self.tr("{0} of {1}: always") if consent.may else self.tr("{0} of {1}: never")
        words = QVBoxLayout()
        words.setSpacing(metrics.SPACE[1])
        words.addWidget(label(text.format(consent.tool, consent.origin), wrap=True))
        words.addWidget(label(consent.folder or self.tr("Sessions without a folder"), "dim", wrap=True))
        row.addLayout(words, 1)
        again = push_button(self.tr("Ask again"), lambda: self.forget_requested.emit(consent))
        again.setAccessibleName(self.tr("Ask again before {0}").format(consent.tool))
        self.forgets.append(again)
        row.addWidget(again)
        return line
