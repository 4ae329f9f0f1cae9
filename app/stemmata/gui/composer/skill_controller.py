"""Show the active skills of the open session, and switch skills on and off in a list above the composer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from stemmata.domain.settings.settings import Preferred, changed_setting, folders_of
from stemmata.gui.composer.model_popup import PickPopup, PickRow
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import tokens_text
from stemmata.services.chat.skills import SessionSkills, SkillFile, SkillState, file_trouble

SETTING = "chat.skill_folders"
MOST_PROBLEMS = 3  # shown below the list; the command /skills lists all
ADD_FOLDER, SHOW_FOLDERS = "add", "folders"  # values of rows that are no skills


class SkillController(QObject):
    """Shows the chip that counts the active skills, opens the list that switches them, and adds folders."""

    setting_requested = Signal(str)  # key of the setting to show
    change_requested = Signal(str, str)  # key of a setting, new value

    def __init__(self, shared: WindowContext, theme: Theme, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._theme, self._composer, self._run = theme, composer, LatestOnly()
        self._popup: PickPopup | None = None
        self._folders = folders_of(self._services.chat.skill_folders)
        self._names: list[str] = []  # of the skills that are active at the end of the shown path
        for signal in (self._opened.started, self._opened.tree_read, self._opened.view_changed):
            signal.connect(self._read_names)
        composer.foot.skills_requested.connect(self.pick)
        self._read_names()

    @property
    def popup(self) -> PickPopup:
        """The list of skills, created on first use."""
        if self._popup is None:
            self._popup = PickPopup(self._theme, self._composer.window(), "skillPopup")
            self._popup.picked.connect(self._on_picked)
        return self._popup

    def use(self, preferred: Preferred) -> None:
        """Apply changed settings."""
        self._folders = folders_of(str(preferred.values[SETTING] or ""))
        self._show()

    def pick(self) -> None:
        """Open the list of skills, and fill it when the folders are read."""
        foot = self._composer.foot
        chip = foot.skills if foot.skills.isVisible() else foot.attach  # the chip is hidden until a folder is chosen
        rows = self._folder_rows()
        note = self.tr("Reading the folders…") if self._folders else self.tr("No folder of skills is chosen.")
        self.popup.ask(chip.mapToGlobal(QPoint(0, 0)), rows, hint=self.tr("Filter skills"), note=note)
        session = self._opened.key
        if session is not None:
            self._bridge.when_done(self._services.skills.of(session), self._on_read, run=self._run)

    # -- inside -----------------------------------------------------------------------------------------------

    def _read_names(self) -> None:
        self._names = []
        if self._opened.session_tree is not None:
            projection = self._opened.context(self._opened.end).projection
            tree, path = projection.tree, projection.path_totals.path
            self._names = [tree.name(path[at]) for at in projection.skills]
        self._show()

    def _show(self) -> None:
        self._composer.foot.show_skills(self._names, is_offered=bool(self._names or self._folders))

    def _on_read(self, skills: SessionSkills) -> None:
        if self._popup is None or not self._popup.isVisible():
            return
        first = next((state for state in skills.states if not state.is_active), None)
        rows = [row for state in skills.states for row in self._rows_of(state, is_current=state is first)]
        wrong = [f"{Path(one.path).parent.name}: {translate_phrase(one.text)}" for one in skills.problems]
        more = len(wrong) - MOST_PROBLEMS
        lines = [*wrong[:MOST_PROBLEMS], *([self.tr("%Ln more problems", None, more)] if more > 0 else [])]
        if not skills.folders:
            lines.append(self.tr("No folder of skills is chosen."))
        elif not skills.states:
            lines.append(self.tr("The chosen folders hold no skills."))
        self._popup.show_rows([*rows, *self._folder_rows(is_current=first is None)], "\n".join(lines))

    def _rows_of(self, state: SkillState, *, is_current: bool) -> list[PickRow]:
        """Return the row that switches a skill, and one that sends the new text of a changed file.

        The first skill that is not active is selected, so that Enter does not deactivate a skill.
        """
        trouble = file_trouble(state) if state.is_active else None
        hint = state.description if trouble is None else f"{state.description}\n{translate_phrase(trouble)}"
        group = self.tr("Active in this session") if state.is_active else self.tr("Available")
        row = PickRow(state, state.name, self._note(state), group, is_current, hint, state.is_active)
        if state.file is not SkillFile.CHANGED:
            return [row]
        again = PickRow((state,), self.tr("Send the new text of {0}").format(state.name), "", group)
        return [row, again]

    def _note(self, state: SkillState) -> str:
        size = f"≈ {tokens_text(state.tokens)}"
        parts = {SkillFile.CHANGED: self.tr("file changed"), SkillFile.MISSING: self.tr("file missing")}
        by = [self.tr("by a message")] if state.by_prompt else []
        told = [parts[state.file]] if state.file in parts else by
        return " · ".join([*told, size])

    def _folder_rows(self, *, is_current: bool = False) -> list[PickRow]:
        group = self.tr("Folders")
        add = PickRow(ADD_FOLDER, self.tr("Add a folder of skills…"), "", group, is_current, is_ticked=False)
        return [add, PickRow(SHOW_FOLDERS, self.tr("Folders in the settings…"), "", group)]

    def _on_picked(self, value: object) -> None:
        if value == ADD_FOLDER:
            self._choose_folder()
        elif value == SHOW_FOLDERS:
            self.setting_requested.emit(SETTING)
        elif isinstance(value, SkillState):
            self._switch(value.name, on=not value.is_active)
        elif isinstance(value, tuple):
            self._switch(value[0].name, on=True)

    def _switch(self, name: str, *, on: bool) -> None:
        if self._opened.key is not None:
            self._opened.follow_leaf()
            switched = self._services.skills.switch(self._opened.key, name, on=on)
            self._bridge.when_done(switched, lambda _state: None)

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self._composer.window(), self.tr("Add a folder of skills"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._add_folder)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _add_folder(self, folder: str) -> None:
        setting = changed_setting(self._services.chat.skill_folders, [folder], on=True)
        self.change_requested.emit(SETTING, setting)
