"""Settings and keys changed in the window: in force at once, and after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.gui.settings.setting_field import CheckField, ChoiceField, NumberField
from stemmata.gui.settings.settings_dialog import SettingsDialog
from tests.journeys.person import Person


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "config" / "settings.toml"


def opened(person: Person) -> SettingsDialog:
    person.window.actions_table["settings"].trigger()
    dialog = person.gui.controllers.preferences.settings
    assert dialog is not None
    return dialog


def test_a_setting_counts_at_once_and_is_written(person: Person, session_file: Path, file: Path) -> None:
    person.drop(session_file)
    dialog = opened(person)
    assert [dialog.sections.item(row).text() for row in range(dialog.sections.count())][:2] == [
        "Window",
        "Sources",
    ]
    field = dialog.fields["compaction.threshold_percent"]
    assert isinstance(field.control, NumberField)
    assert not field.is_changed
    field.control.setValue(50)
    person.until(lambda: file.exists() and "threshold_percent = 50" in file.read_text())
    person.until(lambda: person.window.status.texts[2] == "Auto-compact at 100k")
    person.until(lambda: field.is_changed)
    field.reset.click()
    person.until(lambda: not field.is_changed)
    assert field.control.value() == 80
    assert "threshold_percent" not in file.read_text()


def test_every_kind_of_setting_is_changed_by_its_control(person: Person, file: Path) -> None:
    dialog = opened(person)
    check, choice = dialog.fields["compaction.notify"].control, dialog.fields["window.theme"].control
    number = dialog.fields["compaction.keep_recent_messages"].control
    assert isinstance(check, CheckField)
    assert isinstance(choice, ChoiceField)
    assert isinstance(number, NumberField)
    assert number.text() == "not set"
    check.click()
    choice.setCurrentIndex(choice.findText("Light"))
    choice.activated.emit(choice.currentIndex())
    number.setValue(4)
    person.until(lambda: file.exists() and "keep_recent_messages = 4" in file.read_text())
    assert "notify = false" in file.read_text()
    person.until(lambda: not person.gui.theme.dark)
    number.setValue(number.minimum())
    person.until(lambda: "keep_recent_messages" not in file.read_text())


def test_text_size_and_scheme_are_found_again(person: Person, file: Path, tmp_path: Path, qtbot: QtBot) -> None:
    actions = person.window.actions_table
    actions["larger"].trigger()
    person.until(lambda: person.gui.theme.scale == 110)
    actions["scheme"].trigger()
    assert not person.gui.theme.dark
    person.application.close()
    again = build(["--profile", str(tmp_path / "profile")])
    assert (again.gui.theme.scale, again.gui.theme.scheme) == (110, "light")
    again.close()
    qtbot.wait(1)


def test_a_held_key_lays_the_window_out_once(person: Person, file: Path) -> None:
    changes = list[int]()
    person.gui.theme.changed.connect(lambda: changes.append(person.gui.theme.scale))
    for id in (*["larger"] * 12, "smaller"):
        person.window.actions_table[id].trigger()
    person.until(lambda: file.exists() and "font_scale = 190" in file.read_text())
    person.until(lambda: bool(changes))
    assert changes == [190]


def test_the_dialog_grows_with_the_text(person: Person) -> None:
    dialog = opened(person)
    field = dialog.fields["window.font_scale"]
    assert isinstance(field.control, NumberField)
    width, parts = dialog.width(), (dialog.sections.width(), field.control.width())
    field.control.setValue(200)
    person.until(lambda: person.gui.theme.scale == 200)
    person.see()
    assert (dialog.sections.width(), field.control.width()) == tuple(2 * size for size in parts)
    assert width < dialog.width() <= person.window.width()


def test_a_file_that_cannot_be_changed_is_told_and_left(person: Person, file: Path) -> None:
    dialog = opened(person)
    file.parent.mkdir(exist_ok=True)
    file.write_text("[window\n")
    field = dialog.fields["window.font_scale"]
    assert isinstance(field.control, NumberField)
    field.control.setValue(150)
    person.until(lambda: "Nothing was changed" in person.window.banner.text)
    person.until(lambda: "Could not read" in dialog.problem.text())
    assert field.control.value() == 100
    assert file.read_text() == "[window\n"


def test_keys_are_changed_and_found_again(person: Person, file: Path, tmp_path: Path, qtbot: QtBot) -> None:
    actions = person.window.actions_table
    person.window.actions_table["shortcuts"].trigger()
    dialog = person.gui.controllers.preferences.shortcuts
    assert dialog is not None
    edit = dialog.fields["palette"].edit
    QTest.keyClick(edit, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    edit.editingFinished.emit()
    person.until(lambda: actions.keys_of("palette") == "Ctrl+J")
    assert person.window.top_bar.search.text().endswith("Ctrl+J")
    assert 'palette = "Ctrl+J"' in file.read_text()
    dialog.close()
    person.application.close()
    file.write_text(file.read_text() + 'pallette = "Ctrl+K"\n')
    again = build(["--profile", str(tmp_path / "profile")])
    assert again.window.actions_table.keys_of("palette") == "Ctrl+J"
    assert "unknown action “pallette”" in again.window.banner.text
    again.close()
    qtbot.wait(1)


def test_escape_leaves_a_field_of_keys_as_it_was(person: Person, file: Path) -> None:
    person.window.actions_table["shortcuts"].trigger()
    dialog = person.gui.controllers.preferences.shortcuts
    assert dialog is not None
    QTest.keyClicks(dialog.filter, "palette")
    assert [id for id, field in dialog.fields.items() if not field.isHidden()] == ["palette"]
    edit = dialog.fields["palette"].edit
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    person.until(lambda: person.gui.controllers.preferences.shortcuts is None)
    assert person.window.actions_table.keys_of("palette") == "Ctrl+K"
    assert not file.exists()


def test_dialogs_are_opened_once(person: Person) -> None:
    dialog = opened(person)
    assert opened(person) is dialog
    dialog.shortcuts_requested.emit()
    shortcuts = person.gui.controllers.preferences.shortcuts
    person.gui.controllers.preferences.show_shortcuts()
    assert person.gui.controllers.preferences.shortcuts is shortcuts
    dialog.close()
    person.until(lambda: person.gui.controllers.preferences.settings is None)
    assert opened(person) is not dialog


def test_the_width_of_a_tab_applies_to_the_code_that_is_shown(person: Person, file: Path) -> None:
    dialog = opened(person)
    field = dialog.fields["window.tab_width"]
    assert isinstance(field.control, NumberField)
    field.control.setValue(8)
    person.until(lambda: person.gui.theme.tab_width == 8 and "tab_width = 8" in file.read_text())


def test_code_wraps_or_not_in_every_window(person: Person, file: Path) -> None:
    action = person.window.actions_table["wrap-code"]
    assert action.isChecked()
    action.trigger()
    person.until(lambda: file.exists() and "wrap_code = false" in file.read_text())
    assert not person.gui.theme.wraps_code
    person.gui.controllers.preferences.change("window.wrap_code", value=True)
    person.until(lambda: person.gui.theme.wraps_code and action.isChecked())
