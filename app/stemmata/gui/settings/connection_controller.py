"""Manage the connections to models with a dialog: list, test, change and remove them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stemmata.domain.chat.connections import Connection, KeyOrigin, OfferedModel, connection_for
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.settings.settings import Preferred
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.settings.connect_choices import ConnectChoice
from stemmata.gui.settings.connect_dialog import ConnectDialog
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme


class ConnectionController(QObject):
    """Connect the dialog with the services. Keys are passed to the service and not kept."""

    changed = Signal()  # the connections, or which of them is the default
    connected = Signal()  # a connection was saved that works

    def __init__(self, shared: WindowContext, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._toast = shared.services, shared.bridge, shared.toast
        self._theme, self._window = theme, window
        self._read_run, self._origin_run, self._test_run, self._found_run = (
            LatestOnly(),
            LatestOnly(),
            LatestOnly(),
            LatestOnly(),
        )
        self.connections: tuple[Connection, ...] = ()
        self.default = ""
        self.dialog: ConnectDialog | None = None
        self._is_saving = False
        self._select = ""  # the connection to show once the list is read anew
        shared.bridge.changed.connect(self._on_changed)
        self.read()

    @property
    def is_connected(self) -> bool:
        """Whether a connection exists."""
        return bool(self.connections)

    def connection_for(self, provider: str) -> Connection | None:
        """Return the connection for a session whose entries name this provider, or None."""
        return connection_for(self.connections, provider, self.default)

    def read(self) -> None:
        """Reload the connections."""
        self._bridge.when_done(self._services.connecting.connections(), self._on_read, run=self._read_run)

    def show(self) -> None:
        """Open the dialog, and add the servers of this machine when they are found."""
        dialog = self._made()
        dialog.show_connections(self.connections, self.default)
        self._bridge.when_done(
            self._services.connecting.discover(), dialog.show_found, lambda _error: dialog.show_found(()),
            run=self._found_run,
        )  # fmt: skip
        if dialog.choice is not None:
            self._on_chosen(dialog.choice)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _made(self) -> ConnectDialog:
        if self.dialog is None:
            dialog = self.dialog = ConnectDialog(self._theme, self._window)
            dialog.chosen.connect(self._on_chosen)
            dialog.form.test_requested.connect(self._test)
            dialog.form.save_requested.connect(self._save)
            dialog.form.remove_requested.connect(self._remove)
            dialog.form.default_requested.connect(self._make_default)
        return self.dialog

    # -- requests of the dialog -----------------------------------------------------------------------------------

    def _on_chosen(self, choice: ConnectChoice) -> None:
        """Show where the key of the selected connection is or will be stored."""
        dialog, connecting = self._made(), self._services.connecting
        if not self._is_saving:  # while saving, the dialog shows the connection that is saved
            self._test_run.cancel()
            dialog.form.show_busy("")

        def tell(origin: KeyOrigin | None) -> None:
            self._bridge.when_done(
                connecting.problem(),
                lambda problem: dialog.form.show_origin(origin, translate_phrase(problem)),
                run=self._origin_run,
            )

        self._bridge.when_done(connecting.locate(choice.connection), tell, run=self._origin_run)

    def _test(self, connection: Connection, key: str) -> None:
        dialog = self._made()
        dialog.form.show_busy(self.tr("Testing {0}…").format(connection.base_url))
        self._bridge.when_done(
            self._services.connecting.test(connection, key or None), self._on_tested, self._on_failed,
            run=self._test_run,
        )  # fmt: skip

    def _on_tested(self, problem: str) -> None:
        form = self._made().form
        form.show_busy("")
        form.show_result(translate_phrase(problem) or self.tr("The connection works."), works=not problem)

    def _save(self, connection: Connection, key: str) -> None:
        self._is_saving = True
        self._made().form.show_busy(self.tr("Saving…"))
        self._select = connection.name
        self._bridge.when_done(
            self._services.connecting.save(connection, key or None),
            lambda _origin: self._on_saved(connection), self._on_failed, run=self._test_run,
        )  # fmt: skip

    def _on_saved(self, connection: Connection) -> None:
        """Query the models of the saved connection, which makes it usable."""
        self._made().form.show_busy(self.tr("Saved. Asking the server for its models…"))
        self._bridge.when_done(
            self._services.connecting.models(connection.name, refresh=True),
            lambda models: self._on_offered(connection, models), self._on_failed, run=self._test_run,
        )  # fmt: skip

    def _on_offered(self, connection: Connection, models: tuple[OfferedModel, ...]) -> None:
        dialog = self._made()
        self._end_wait()
        if not connection.model and not models:
            dialog.form.show_result(
                self.tr("Saved. The server lists no models: enter the model to use."), works=False
            )
            return
        if not connection.model:
            connection = replace(connection, model=models[0].id)
            self._bridge.when_done(self._services.connecting.save(connection, None), lambda _origin: None)
        dialog.hide()
        words = self.tr("Connected to {0} with the model {1}. You can choose another model below the message.")
        self._toast.tell(words.format(connection.name, connection.model))
        self.connected.emit()

    def _remove(self, name: str) -> None:
        told = self.tr("{0} was removed, and its key deleted. Sessions keep its replies.").format(name)
        self._bridge.when_done(
            self._services.connecting.remove(name), lambda _done: self._toast.tell(told), self._on_failed
        )

    def _make_default(self, name: str) -> None:
        self._select = name
        future = self._services.preferences.change("chat.default_connection", name)
        self._bridge.when_done(future, self._on_preferred, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        self._end_wait()
        self._made().form.show_result(translate_phrase(str(error)), works=False)

    def _end_wait(self) -> None:
        self._is_saving = False
        self._made().form.show_busy("")

    # -- saved state ----------------------------------------------------------------------------------------------

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        if any(change.what & Change.SETTINGS for change in changes):
            self.read()

    def _on_read(self, connections: tuple[Connection, ...]) -> None:
        self.connections = connections
        self._bridge.when_done(self._services.preferences.read(), self._on_preferred, run=self._read_run)

    def _on_preferred(self, preferred: Preferred) -> None:
        self.default = preferred.chat.default_connection or (self.connections[0].name if self.connections else "")
        asked = self.connection_for("")
        self._services.contexts.ask(f"{asked.name}/{asked.model}" if asked is not None and asked.model else "")
        if self.dialog is not None:
            select, self._select = self._select, ""
            self.dialog.show_connections(self.connections, self.default, select)
        self.changed.emit()
