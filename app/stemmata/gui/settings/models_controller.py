"""The catalogue of models: shown in the settings, and what the person says of them written there."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.settings.preferences_controller import PreferencesController
from stemmata.gui.text.phrases import told
from stemmata.gui.theme.theme import Theme

if TYPE_CHECKING:
    from stemmata.domain.chat.catalogue import Model
    from stemmata.gui.settings.models_page import ModelsPage
    from stemmata.gui.settings.settings_dialog import SettingsDialog

PAGE = "models"


class ModelsController(QObject):
    def __init__(self, desk: Desk, theme: Theme, preferences: PreferencesController, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._theme = desk.services, desk.bridge, theme
        self._read_run, self._change_run = Run(), Run()
        self.page: ModelsPage | None = None
        preferences.opened.connect(self._on_opened)
        desk.actions.on("models", lambda: preferences.show_page(PAGE))
        desk.bridge.changed.connect(self._on_changed)

    def _on_opened(self, dialog: SettingsDialog) -> None:
        dialog.add_page(PAGE, self.tr("Models"), self._made)

    def _made(self) -> ModelsPage:
        from stemmata.gui.settings.models_page import ModelsPage

        page = self.page = ModelsPage(self._theme)
        page.save_requested.connect(self._save)
        page.remove_requested.connect(self._remove)
        page.destroyed.connect(self._on_gone)
        self._read()
        return page

    def _read(self) -> None:
        if self.page is not None:
            self._bridge.when_done(self._services.own_models.all(), self.page.show_models, run=self._read_run)

    def _save(self, model: Model, before: str) -> None:
        self._change(self._services.own_models.save(model, before))

    def _remove(self, id: str) -> None:
        self._change(self._services.own_models.remove(id))

    def _change(self, future: Future[None]) -> None:
        self._bridge.when_done(future, lambda _none: self._on_done(), self._on_failed, run=self._change_run)

    def _on_done(self) -> None:
        if self.page is not None:
            self.page.show_list()
            self._read()

    def _on_failed(self, error: Exception) -> None:
        if self.page is not None:
            self.page.tell(told(str(error)))

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        if any(change.what & Change.SETTINGS for change in changes):
            self._read()

    def _on_gone(self) -> None:
        self.page = None
        self._read_run.cancel()
        self._change_run.cancel()
