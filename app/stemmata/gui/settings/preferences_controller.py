"""Shows and changes settings, shortcuts and the user's own facts about models; changes take effect immediately."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import delete, isValid

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.settings.settings import Preferred, Value
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.settings.keys_dialog import KeysDialog
from stemmata.gui.settings.models_page import ModelsPage
from stemmata.gui.settings.settings_dialog import SettingsDialog
from stemmata.gui.settings.shortcuts_dialog import ShortcutsDialog
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import LARGEST_SCALE, SMALLEST_SCALE, Theme, scheme_of

NORMAL, STEP = 100, 10  # percent
Dialog = TypeVar("Dialog", SettingsDialog, ShortcutsDialog)


class PreferencesController(QObject):
    """Connects the settings dialog, its page of models and the shortcuts dialog with the services."""

    changed = Signal()  # something was changed here and is in force: other windows `refresh`
    opened = Signal(object)  # SettingsDialog, just made
    shown = Signal(object)  # Preferred: as they are now, changed here or in another window

    def __init__(self, shared: WindowContext, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._preferences, self._own_models = shared.services.preferences, shared.services.own_models
        self._bridge, self._actions = shared.bridge, shared.actions
        self._theme, self._window = theme, window
        self._run = LatestOnly()
        self._changing: set[str] = set()  # keys whose change is on its way
        self._due: int | None = None  # size of text, in percent, that is set once no key is waiting
        self._scaling = QTimer(self, singleShot=True)
        self._scaling.timeout.connect(self._set_scale)
        self._opening = TurnSteps(self)
        self.settings: SettingsDialog | None = None
        self.shortcuts: ShortcutsDialog | None = None
        self._models_run, self._model_change_run = LatestOnly(), LatestOnly()
        self.models: ModelsPage | None = None
        shared.bridge.changed.connect(self._on_archive_changed)
        theme.code_changed.connect(self._on_code_changed)
        self._on_code_changed()

    def refresh(self) -> None:
        """Apply the settings in the file, unless a change is being written."""
        if not self._changing:
            self._bridge.when_done(self._preferences.read(), self._show, run=self._run)

    def show_settings(self) -> None:
        """Open the settings dialog."""
        self._show_settings(SettingsDialog.show_first, _raise)

    def _show_settings(self, *steps: Callable[[SettingsDialog], object]) -> None:
        """Run these steps; if the dialog is new, run each step in a separate turn of the event loop."""
        is_new = self.settings is None or self.settings.is_leaving
        dialog = self._dialog()
        if self._theme.takes_turns and is_new:
            self._opening.start(*(partial(_if_open, dialog, step) for step in steps))
        else:
            for step in steps:
                step(dialog)

    def _dialog(self) -> SettingsDialog:
        """Return the settings dialog; create it if it does not exist."""
        if self.settings is not None and self.settings.is_leaving:
            delete(self.settings)
        if self.settings is None:
            dialog = self.settings = SettingsDialog(self._theme, self._window, self._preferences.schema)
            dialog.change_requested.connect(self.change)
            dialog.shortcuts_requested.connect(self.show_shortcuts)
            dialog.destroyed.connect(self._on_settings_closed)
            dialog.add_page("models", self.tr("Models"), self._made_models)
            self.opened.emit(dialog)
            self._bridge.when_done(self._preferences.read(), self._on_changed, run=self._run)
        return self.settings

    def show_setting(self, key: str) -> None:
        """Open the settings dialog at a setting."""
        # the section before the dialog is shown, so that it makes no other one
        self._show_settings(lambda dialog: dialog.show_section(key), _raise, lambda dialog: dialog.show_field(key))

    def show_page(self, name: str) -> None:
        """Open the settings dialog at an added page."""
        self._show_settings(lambda dialog: dialog.show_section(name), _raise, lambda dialog: dialog.show_page(name))

    def show_shortcuts(self) -> None:
        """Open the dialog of the shortcuts. A new one is made, gets its first fields and is shown in three turns."""
        if self.shortcuts is None:
            dialog = self.shortcuts = ShortcutsDialog(self._theme, self._actions, self._window)
            dialog.change_requested.connect(lambda id, keys: self.change(f"shortcuts.{id}", keys))
            dialog.finished.connect(self._on_shortcuts_closed)  # it is deleted some turns later
            if self._theme.takes_turns:
                steps = (ShortcutsDialog.add_first, _raise)
                self._opening.start(*(partial(_if_open, dialog, step) for step in steps))
                return
        _raise(self.shortcuts)

    def show_keys(self, column: str) -> None:
        """Open the cheat sheet of a column or page, such as "sessions", "composer" or "files"; "" for the window.

        A sheet that is shown is closed; the sheet of another column takes its place.
        """
        for shown in self._window.findChildren(KeysDialog):
            shown.close()
            if shown.column == column:
                return
        dialog = KeysDialog(self._theme, self._actions, column, self._window)
        dialog.change_requested.connect(self.show_shortcuts)
        dialog.change_requested.connect(dialog.close)
        _raise(dialog)

    def change(self, key: str, value: Value | None) -> None:
        """Write a setting and apply it after it is written."""
        self._changing.add(key)
        self._bridge.when_done(
            self._preferences.change(key, value), self._on_changed, self._on_refused, run=self._run
        )

    def toggle_scheme(self) -> None:
        """Switch between the light and the dark theme."""
        self._theme.set_scheme("light" if self._theme.dark else "dark")
        self.change("window.theme", self._theme.scheme)

    def wrap_code(self, *, on: bool) -> None:
        """Wrap long lines of code, or scroll them sideways, in all windows."""
        if on != self._theme.wraps_code:
            self._theme.set_code(wraps=on)
            self.change("window.wrap_code", on)

    def _on_code_changed(self) -> None:
        self._actions["wrap-code"].setChecked(self._theme.wraps_code)

    @property
    def _wanted(self) -> int:
        return self._theme.scale if self._due is None else self._due

    def step_scale(self, steps: int) -> None:
        """Enlarge the text by this number of steps; a negative number makes it smaller."""
        self._scale(self._wanted + steps * STEP)

    def reset_scale(self) -> None:
        """Restore the normal text size."""
        self._scale(NORMAL)

    def _scale(self, percent: int) -> None:
        """Set the text size.

        A held key requests changes faster than the window can be laid out; only the last one is applied.
        """
        self._due = min(max(percent, SMALLEST_SCALE), LARGEST_SCALE)
        self._scaling.start(0)

    def _set_scale(self) -> None:
        wanted, self._due = self._wanted, None
        self._theme.set_scale(wanted)
        self.change("window.font_scale", wanted)

    def _on_changed(self, preferred: Preferred) -> None:
        """Apply the settings after the last of several changes; earlier results would revert later changes."""
        changed, self._changing = self._changing, set()
        if "window.theme" in changed:
            self._theme.set_scheme(scheme_of(str(preferred.values["window.theme"])))
        if changed & {"window.font", "window.code_font"}:
            self._theme.set_families(*(str(preferred.values[f"window.{name}"]) for name in ("font", "code_font")))
        if "window.font_scale" in changed:
            scale = preferred.values["window.font_scale"]
            self._theme.set_scale(scale if isinstance(scale, int) else NORMAL)
        if "window.tab_width" in changed and isinstance(width := preferred.values["window.tab_width"], int):
            self._theme.set_code(tab_width=width)
        if "window.wrap_code" in changed:
            self._theme.set_code(wraps=bool(preferred.values["window.wrap_code"]))
        self._show(preferred)
        if changed:
            self.changed.emit()

    def _show(self, preferred: Preferred) -> None:
        self._actions.set_keys(preferred.shortcuts)
        self.shown.emit(preferred)
        if self.settings is not None:
            self.settings.show_values(preferred)
        if self.shortcuts is not None:
            self.shortcuts.show_keys()

    def _on_refused(self, error: Exception) -> None:
        """Restore the displayed values, and report the error."""
        self._changing.clear()
        self._bridge.when_done(self._preferences.read(), self._show, run=self._run)
        self._bridge.failed.emit(error)

    # -- the page of models -----------------------------------------------------------------------------------

    def _made_models(self) -> ModelsPage:
        page = self.models = ModelsPage(self._theme)
        page.save_requested.connect(lambda model, before: self._save_model(model, before))
        page.remove_requested.connect(lambda id: self._change_models(self._own_models.remove(id)))
        page.destroyed.connect(self._on_models_destroyed)
        self._read_models()
        return page

    def _read_models(self) -> None:
        if self.models is not None:
            self._bridge.when_done(self._own_models.all(), self.models.show_models, run=self._models_run)

    def _save_model(self, model: Model, before: str) -> None:
        self._change_models(self._own_models.save(model, before))

    def _change_models(self, future: Future[None]) -> None:
        self._bridge.when_done(
            future, lambda _none: self._on_models_changed(), self._on_models_refused, run=self._model_change_run
        )

    def _on_models_changed(self) -> None:
        if self.models is not None:
            self.models.show_list()
            self._read_models()

    def _on_models_refused(self, error: Exception) -> None:
        if self.models is not None:
            self.models.tell(translate_phrase(str(error)))

    def _on_archive_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        if any(change.what & Change.SETTINGS for change in changes):
            self._read_models()

    def _on_models_destroyed(self) -> None:
        self.models = None
        self._models_run.cancel()
        self._model_change_run.cancel()

    # -- closing ----------------------------------------------------------------------------------------------

    def _on_settings_closed(self) -> None:
        self.settings = None

    def _on_shortcuts_closed(self) -> None:
        self.shortcuts = None


def _if_open(dialog: Dialog, act: Callable[[Dialog], object]) -> None:
    """Call `act` with a dialog, unless the dialog was closed meanwhile or deleted with its window."""
    if isValid(dialog) and not dialog.is_leaving:
        act(dialog)


def _raise(dialog: QWidget) -> None:
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()
