"""Lets a model suggest titles for sessions, a few at a time, with undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox

from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.text.phrases import translate_phrase

if TYPE_CHECKING:
    from stemmata.domain.sessions.session import Session
    from stemmata.gui.composer.pickers import ModelChoice
    from stemmata.services.sessions.titling import TitleChange, TitleChanges

AT_ONCE = 5  # sessions between two reports of the progress
MOST_UNASKED = 20  # sessions that are sent to the model without a question


class TitleController(QObject):
    """Asks for titles. `choice` is the connected model; `connect` is called without one."""

    def __init__(
        self,
        shared: WindowContext,
        view: SessionsView,
        model: SessionsModel,
        choice: Callable[[], ModelChoice],
        connect: Callable[[], object],
    ) -> None:
        super().__init__(view)
        self._services, self._bridge, self._toast = shared.services, shared.bridge, shared.toast
        self._view, self._model = view, model
        self._choice, self._connect = choice, connect
        self._run = LatestOnly()
        self._waiting: list[int] = []  # sessions that get a title next
        self._made: list[TitleChange] = []
        self._count = 0
        self.question: QMessageBox | None = None  # the open question before many sessions are sent

    @property
    def is_busy(self) -> bool:
        """Whether titles are being asked for."""
        return bool(self._waiting)

    def suggest_selected(self) -> None:
        """Ask for a title of each selected session."""
        self._suggest(self._view.selected)

    def suggest_all(self) -> None:
        """Ask for a title of each session that a person began and that has no given title."""
        listing = self._model.listing
        machines = listing.agents | listing.automated
        self._suggest([each for each in listing.sessions if not each.named and each.key not in machines])

    def _suggest(self, sessions: list[Session]) -> None:
        choice = self._choice()
        if not choice.connected:
            self._connect()
            return
        if self.is_busy or not sessions:
            told = (
                self.tr("Titles are being suggested already.")
                if self.is_busy
                else self.tr("Every session has a title.")
            )
            self._toast.tell(told)
            return
        found = self._services.titling.model(choice.connection, choice.model)
        keys = [session.key for session in sessions]
        self._bridge.when_done(found, lambda model: self._ask(keys, choice.connection, model))

    def _ask(self, keys: list[int], connection: str, model: str) -> None:
        """Ask the user first when many sessions are sent."""
        if len(keys) <= MOST_UNASKED:
            self._start(keys, connection, model)
            return
        box = self.question = QMessageBox(self._view.window())
        box.setObjectName("titlesQuestion")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Suggest titles"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Suggest titles for %Ln sessions?", None, len(keys)))
        box.setInformativeText(
            self.tr("The first messages of each session are sent to {0}. Undo brings the titles back.").format(model)
        )
        go = box.addButton(self.tr("Suggest titles"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(go)
        box.addButton(QMessageBox.StandardButton.Cancel)
        go.clicked.connect(lambda: self._start(keys, connection, model))
        box.finished.connect(box.deleteLater)
        box.destroyed.connect(self._on_closed)
        box.open()

    def _on_closed(self) -> None:
        self.question = None

    def _start(self, keys: list[int], connection: str, model: str) -> None:
        self._waiting, self._made, self._count = list(keys), [], len(keys)
        self._go_on(connection, model)

    def _go_on(self, connection: str, model: str) -> None:
        done = self._count - len(self._waiting)
        told = self.tr("Suggesting titles with {0}: {1} of {2}").format(model, done, self._count)
        self._toast.tell(told, self.tr("Stop"), self.stop)
        suggested = self._services.titling.suggest(self._waiting[:AT_ONCE], connection, model)
        self._bridge.when_done(
            suggested, lambda changes: self._on_suggested(changes, connection, model), self._on_failed, run=self._run
        )

    def stop(self) -> None:
        """Ask for no further titles."""
        self._waiting = []

    def _on_suggested(self, changes: TitleChanges, connection: str, model: str) -> None:
        self._made += changes.made
        self._waiting = [] if changes.error is not None else self._waiting[AT_ONCE:]
        if self._waiting:
            self._go_on(connection, model)
            return
        told = self.tr("Suggested %Ln titles.", None, len(self._made))
        if changes.error is not None:
            told = f"{told} {translate_phrase(str(changes.error))}"
        self._tell(told)

    def _on_failed(self, error: Exception) -> None:
        self._waiting = []
        self._tell(translate_phrase(str(error)))

    def _tell(self, told: str) -> None:
        made = self._made
        if made:
            self._toast.tell(told, self.tr("Undo"), lambda: self._undo(made))
        else:
            self._toast.tell(told)

    def _undo(self, made: list[TitleChange]) -> None:
        self._bridge.when_done(self._services.titling.undo(made), lambda _done: None)
