"""The servers of tools, and what tools may do without asking."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from stemmata.domain.tool_servers import KeptConsent, ServerState
from stemmata.gui.dialogs.dialog_size import dialog_size
from stemmata.gui.dialogs.server_row import ServerRow
from stemmata.gui.phrases import told
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface


class ServersDialog(QDialog):
    """Not modal. Servers are named in the signals; `key_given` also carries it, `forget_requested` a KeptConsent."""

    start_requested = Signal(str)
    stop_requested = Signal(str)
    key_given = Signal(str, str)
    forget_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("serversDialog")
        self.setWindowTitle(self.tr("Tool servers"))
        self._theme = theme
        self.rows: dict[str, ServerRow] = {}
        self.forgets: list[QPushButton] = []  # buttons, one a consent
        self._consents: tuple[KeptConsent, ...] | None = None
        self.empty = label(
            self.tr(
                "No servers of tools yet. Name MCP servers in the settings file, each in a section [[servers]] with "
                "a name and a command or url."
            ),
            "dim",
            wrap=True,
        )
        self.empty.hide()  # until it is known that there are none
        self.message = label("", "error", wrap=True)
        self._servers, self._kept = QVBoxLayout(), QVBoxLayout()
        self._heading = label(self.tr("Allowed and forbidden for good"), "section")
        self._lay_out()
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def show_servers(self, states: Sequence[ServerState]) -> None:
        self.empty.setVisible(not states)
        if [state.server for state in states] != list(self.rows):
            _clear(self._servers)
            self.rows = {state.server: self._row(state.server) for state in states}
        for state in states:
            self.rows[state.server].show_state(state)
        self._close_last()

    def show_consents(self, consents: tuple[KeptConsent, ...]) -> None:
        if consents == self._consents:
            return
        self._consents = consents
        _clear(self._kept)
        self.forgets = []
        for consent in consents:
            self._kept.addWidget(self._consent(consent))
        self._heading.setVisible(bool(consents))
        self._close_last()

    def _close_last(self) -> None:
        """Tab comes to Close after the rows, which are made later."""
        last = self.forgets[-1] if self.forgets else next((row.save for row in reversed(self.rows.values())), None)
        if last is not None:
            self.setTabOrder(last, self._close)

    def tell(self, problem: str) -> None:
        self.message.setText(told(problem))

    def _row(self, name: str) -> ServerRow:
        row = ServerRow(name)
        row.start_requested.connect(lambda: self.start_requested.emit(name))
        row.stop_requested.connect(lambda: self.stop_requested.emit(name))
        row.key_given.connect(lambda key: self.key_given.emit(name, key))
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
        again.setAutoDefault(False)
        again.setAccessibleName(self.tr("Ask again before {0}").format(consent.tool))
        self.forgets.append(again)
        row.addWidget(again)
        return line

    def _lay_out(self) -> None:
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(*[metrics.SPACE[7]] * 4)
        inner.setSpacing(metrics.SPACE[5])
        self._servers.setSpacing(0)
        inner.addWidget(self.empty)
        inner.addLayout(self._servers)
        inner.addSpacing(metrics.SPACE[5])
        inner.addWidget(self._heading)
        inner.addLayout(self._kept)
        inner.addStretch(1)
        self._heading.hide()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what has the focus in it
        scroll.setWidget(content)
        foot = QWidget()
        set_surface(foot, edge="top")
        row = QHBoxLayout(foot)
        row.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[4])
        row.addWidget(self.message, 1)
        self._close = push_button(self.tr("Close"), self.close)
        row.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)
        column.addWidget(foot)


def _clear(layout: QLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
