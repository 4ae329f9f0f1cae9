"""The form of a tool server: its command or address, its arguments and its key."""

from __future__ import annotations

from PySide6.QtCore import Signal

from stemmata.domain.chat.tool_servers import KEY, ToolServer
from stemmata.domain.list_items import ADDRESS, PROGRAM, SERVERS
from stemmata.gui.settings.item_form import ItemForm
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label


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
        self.try_out = push_button(self.tr("Try"), self._on_try)
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._before))
        self.finish(self.try_out)

    def show_server(self, server: ToolServer | None) -> None:
        """Fill the form, empty for None. Stored keys are never shown."""
        given = server or ToolServer(name="")
        self._before = given.name
        self.title.setText(self.tr("Server {0}").format(given.name) if server else self.tr("New server of tools"))
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
            text = self.tr("Nothing says where the key goes: write {0} for it here.").format(KEY)
            self.show_problem("headers" if server.url else "env", text)
            return
        self.save_requested.emit(server, key, self._before)
