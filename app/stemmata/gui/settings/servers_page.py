"""The servers of tools, and what tools may do without asking."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from stemmata.domain.chat.tool_servers import KeptConsent, ServerState, ToolServer
from stemmata.gui.settings.list_page import clear, list_page
from stemmata.gui.settings.server_form import ServerForm
from stemmata.gui.settings.server_row import ServerRow
from stemmata.gui.text.phrases import told
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label


class ServersPage(QStackedWidget):
    """A list, and a form in its place while one is edited. Servers are named in the signals; `key_given` also carries
    it, `forget_requested` a KeptConsent."""

    start_requested = Signal(str)
    stop_requested = Signal(str)
    key_given = Signal(str, str)
    forget_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("serversPage")
        self.rows: dict[str, ServerRow] = {}
        self.forgets: list[QPushButton] = []  # buttons, one a consent
        self.servers: dict[str, ToolServer] = {}  # as the settings have them
        self._edited = ""
        self._consents: tuple[KeptConsent, ...] | None = None
        self.form = ServerForm(theme)
        self.form.left.connect(self.show_list)
        self.add = push_button(self.tr("Add a server…"), lambda: self._edit(""))
        self.empty = label(self.tr("No servers of tools yet."), "dim", wrap=True)
        self.empty.hide()  # until it is known that there are none
        self.message = label("", "error", wrap=True)
        self._servers, self._kept = QVBoxLayout(), QVBoxLayout()
        self._servers.setSpacing(0)
        self._heading = label(self.tr("Allowed and forbidden for good"), "section")
        self._heading.hide()
        words = self.tr(
            "MCP servers, whose tools the model may call. They start with the first message of a chat; each tool "
            "asks before it acts."
        )
        parts = (self.message, self.empty, self._servers, self._heading, self._kept)
        self.addWidget(list_page(label(words, "dim", wrap=True), self.add, *parts))
        self.addWidget(self.form)
        self.tell("")

    def show_servers(self, states: Sequence[ServerState]) -> None:
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
        """What the forms begin with."""
        self.servers = {server.name: server for server in servers}

    def show_consents(self, consents: tuple[KeptConsent, ...]) -> None:
        if consents == self._consents:
            return
        self._consents = consents
        clear(self._kept)
        self.forgets = []
        for consent in consents:
            self._kept.addWidget(self._consent(consent))
        self._heading.setVisible(bool(consents))

    def show_list(self) -> None:
        """After the form: the keys are where they were."""
        self.form.key.clear()
        self.setCurrentIndex(0)
        row = self.rows.get(self._edited)
        (self.add if row is None else row.edit).setFocus()

    def tell(self, problem: str) -> None:
        self.message.setText(told(problem))
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
