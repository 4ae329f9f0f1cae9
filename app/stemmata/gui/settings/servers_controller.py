"""The controller of the settings page of tool servers: shows, starts, stops, adds, changes and tests servers, and
deletes consents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from stemmata.domain.chat.connections import KeyOrigin
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.settings.preferences_controller import PreferencesController
from stemmata.gui.settings.servers_page import ServersPage
from stemmata.gui.settings.settings_dialog import SettingsDialog
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.services.tools.consents import Consents
from stemmata.services.tools.server_settings import ServerSettings
from stemmata.services.tools.servers import ToolServers

if TYPE_CHECKING:
    from concurrent.futures import Future


PAGE = "servers"


class ServersController(QObject):
    """Connect the page of tool servers with the services."""

    def __init__(
        self, shared: WindowContext, theme: Theme, preferences: PreferencesController, window: QWidget
    ) -> None:
        super().__init__(window)
        self._services, self._bridge = shared.services, shared.bridge
        self._theme, self._preferences, self._toast = theme, preferences, shared.toast
        self._states_run, self._consents_run, self._servers_run = LatestOnly(), LatestOnly(), LatestOnly()
        self._form_run = LatestOnly()
        self.page: ServersPage | None = None
        preferences.opened.connect(self._on_opened)
        shared.bridge.changed.connect(self._on_changed)

    def show(self) -> None:
        """Open the settings dialog at the page of tool servers, and reload the servers."""
        self._preferences.show_page(PAGE)
        if self.page is not None:
            self.page.tell("")
            self._read()

    def _on_opened(self, dialog: SettingsDialog) -> None:
        dialog.add_page(PAGE, self.tr("Tool servers"), self._made)

    def _made(self) -> ServersPage:

        page = self.page = ServersPage(self._theme)
        page.start_requested.connect(lambda name: self._act(self._servers.start(name)))
        page.stop_requested.connect(lambda name: self._act(self._servers.stop(name)))
        page.key_given.connect(self._keep_key)
        page.forget_requested.connect(lambda consent: self._forget(consent))
        page.save_requested.connect(self._save)
        page.try_requested.connect(self._try)
        page.remove_requested.connect(self._remove)
        page.form_left.connect(self._form_run.cancel)
        page.destroyed.connect(self._on_gone)
        self._read()
        return page

    @property
    def _servers(self) -> ToolServers:
        servers = self._services.chat_ports.servers
        assert servers is not None, "the window is made with servers"
        return servers

    @property
    def _settings(self) -> ServerSettings:
        settings = self._services.chat_ports.server_settings
        assert settings is not None, "the window is made with servers"
        return settings

    @property
    def _consents(self) -> Consents:
        consents = self._services.chat_ports.consents
        assert consents is not None, "the window is made with consents"
        return consents

    def _read(self) -> None:
        if self.page is not None:
            self._bridge.when_done(self._settings.all(), self.page.show_settings, run=self._servers_run)
            self._bridge.when_done(self._servers.states(), self.page.show_servers, run=self._states_run)
            self._bridge.when_done(self._consents.all(), self.page.show_consents, run=self._consents_run)

    def _tell(self, problem: str) -> None:
        if self.page is not None:
            self.page.tell(problem)

    def _act(self, future: Future[None]) -> None:
        self._tell("")
        self._bridge.when_done(future, lambda _done: self._read(), lambda error: self._tell(str(error)))

    def _forget(self, consent: KeptConsent) -> None:
        self._act(self._consents.forget(consent))

    # -- the form -------------------------------------------------------------------------------------------------

    def _try(self, server: ToolServer, key: str, before: str) -> None:
        self._tell_form(self.tr("Starting it…"))
        self._show_busy(on=True)
        future = self._settings.trial(server, key, before)
        self._bridge.when_done(future, self._on_tried, self._on_refused, run=self._form_run)

    def _on_tried(self, tools: tuple[str, ...]) -> None:
        self._show_busy(on=False)
        self._tell_form(self.tr("The server works and has %Ln tools: {0}", None, len(tools)).format(", ".join(tools)))

    def _save(self, server: ToolServer, key: str, before: str) -> None:
        self._show_busy(on=True)
        future = self._settings.save(server, key, before)
        self._bridge.when_done(future, self._on_saved, self._on_refused, run=self._form_run)

    def _on_saved(self, kept: KeyOrigin | None) -> None:
        self._on_done()
        if kept not in (None, KeyOrigin.KEYRING):
            self._bridge.when_done(self._services.connecting.problem(), self._tell)

    def _remove(self, name: str) -> None:
        self._bridge.when_done(
            self._settings.remove(name), lambda _none: self._on_removed(name), self._on_refused, run=self._form_run
        )

    def _on_removed(self, name: str) -> None:
        """Delete the consents of a removed server, so that another server of this name does not inherit them."""
        self._on_done()
        self._toast.tell(self.tr("{0} was removed, and its key and consents deleted.").format(name))
        self._bridge.when_done(self._consents.all(), lambda kept: self._forget_all(name, kept))

    def _forget_all(self, origin: str, kept: tuple[KeptConsent, ...]) -> None:
        for consent in kept:
            if consent.origin == origin:
                self._forget(consent)

    def _on_done(self) -> None:
        if self.page is not None:
            self._show_busy(on=False)
            self.page.show_list()
            self._read()

    def _on_refused(self, error: Exception) -> None:
        self._show_busy(on=False)
        self._tell_form(translate_phrase(str(error)), works=False)

    def _show_busy(self, *, on: bool) -> None:
        if self.page is not None:
            self.page.form.show_busy(on=on)

    def _tell_form(self, text: str, *, works: bool = True) -> None:
        if self.page is not None:
            self.page.form.tell(text, works=works)

    def _keep_key(self, server: str, key: str) -> None:
        """Store the key, and report why it is kept only for this run, if it is."""

        def kept(origin: KeyOrigin) -> None:
            self._read()
            if origin is not KeyOrigin.KEYRING:
                self._bridge.when_done(self._services.connecting.problem(), self._tell)

        self._tell("")
        future = self._servers.give_key(server, key)
        self._bridge.when_done(future, kept, lambda error: self._tell(str(error)))

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        if any(change.what & Change.TOOLS for change in changes):
            self._read()

    def _on_gone(self) -> None:
        self.page = None
        for run in (self._states_run, self._consents_run, self._servers_run, self._form_run):
            run.cancel()
