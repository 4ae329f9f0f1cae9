"""One server of tools: its state, its tools, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from stemmata.domain.chat.tool_servers import ServerPhase, ServerState
from stemmata.gui.text.phrases import told
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.section import line
from stemmata.gui.widgets.surface import set_surface


class ServerRow(QWidget):
    """`start_requested` starts it, anew where it runs. A key that is typed is handed out once and then forgotten."""

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
        self.key.setPlaceholderText(self.tr("Key; it takes the place of one that is kept"))
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
        return self.tr("Failed: {0}").format(told(state.problem))

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
