"""Servers of tools: shown with their state, started and stopped by hand; and consents that are taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from stemmata.domain.changes import Change, ChangeSet
from stemmata.domain.connections import Origin
from stemmata.gui.bridge import Run
from stemmata.gui.theme.theme import Theme
from stemmata.gui.windows.desk import Desk

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.tool_servers import KeptConsent
    from stemmata.gui.dialogs.servers_dialog import ServersDialog
    from stemmata.services.tools.consents import Consents
    from stemmata.services.tools.servers import ToolServers


class ServersController(QObject):
    def __init__(self, desk: Desk, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge = desk.services, desk.bridge
        self._theme, self._window = theme, window
        self._states_run, self._consents_run = Run(), Run()
        self.dialog: ServersDialog | None = None
        desk.actions.on("tool-servers", self.show)
        desk.bridge.changed.connect(self._on_changed)

    def show(self) -> None:
        dialog = self._made()
        dialog.tell("")
        self._read()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _made(self) -> ServersDialog:
        if self.dialog is None:
            from stemmata.gui.dialogs.servers_dialog import ServersDialog

            dialog = self.dialog = ServersDialog(self._theme, self._window)
            dialog.start_requested.connect(lambda name: self._act(self._servers.start(name)))
            dialog.stop_requested.connect(lambda name: self._act(self._servers.stop(name)))
            dialog.key_given.connect(self._keep_key)
            dialog.forget_requested.connect(self._forget)
        return self.dialog

    @property
    def _servers(self) -> ToolServers:
        servers = self._services.world.servers
        assert servers is not None, "the window is made with servers"
        return servers

    @property
    def _consents(self) -> Consents:
        consents = self._services.world.consents
        assert consents is not None, "the window is made with consents"
        return consents

    def _read(self) -> None:
        dialog = self._made()
        self._bridge.when_done(self._servers.states(), dialog.show_servers, run=self._states_run)
        self._bridge.when_done(self._consents.all(), dialog.show_consents, run=self._consents_run)

    def _act(self, future: Future[None]) -> None:
        dialog = self._made()
        dialog.tell("")
        self._bridge.when_done(future, lambda _done: self._read(), lambda error: dialog.tell(str(error)))

    def _keep_key(self, server: str, key: str) -> None:
        """Where it is kept only for this run, say why."""
        dialog, connecting = self._made(), self._services.connecting

        def kept(origin: Origin) -> None:
            self._read()
            if origin is not Origin.KEYRING:
                self._bridge.when_done(connecting.problem(), dialog.tell)

        dialog.tell("")
        future = self._servers.give_key(server, key)
        self._bridge.when_done(future, kept, lambda error: dialog.tell(str(error)))

    def _forget(self, consent: KeptConsent) -> None:
        self._act(self._consents.forget(consent))

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        shown = self.dialog is not None and self.dialog.isVisible()
        if shown and any(change.what & Change.TOOLS for change in changes):
            self._read()
