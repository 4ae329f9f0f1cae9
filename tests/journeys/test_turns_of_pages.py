"""The page of files and a hit of the search are shown over several turns of the event loop."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from stemmata.domain.text import plain_text
from stemmata.gui.settings.setting_field import SettingField
from stemmata.gui.settings.shortcuts_dialog import ShortcutField, ShortcutsDialog
from stemmata.system.settings.schema import SCHEMA
from tests.journeys.person import Person


def test_the_page_of_files_and_the_results_are_there_before_they_are_opened(person: Person) -> None:
    """To create them took 5 to 12 ms of the turn that shows them, which was 20 ms long."""
    person.until(lambda: person.gui.is_warm)
    assert "results" in vars(person.window)
    assert person.window.beside.isHidden()
    assert person.gui.controllers.files.view.parent() is not None
    assert person.gui.controllers.files.view.isHidden()


def test_a_page_is_shown_as_a_whole(person: Person, session_file: Path) -> None:
    """Each page keeps the old picture until all of its columns are laid out and painted, in several turns."""
    person.drop(session_file)
    actions = person.window.actions_table
    for id in ("show-files", "search-sessions", "close-search", "split-view", "split-view", "show-sessions"):
        actions[id].trigger()
        assert _turns_of_new_picture(person) > 3, id
        if id == "show-files":
            person.gui.controllers.files.leave()
            assert _turns_of_new_picture(person) > 3
    layout = person.window.transcript.layout()
    assert layout is not None
    assert layout.isEnabled()


def _turns_of_new_picture(person: Person) -> int:
    turns = 0
    while person.window.new_picture.is_painting:
        QApplication.processEvents()
        turns += 1
    return turns


def test_another_window_is_shown_in_the_turn_after_it_was_made(person: Person) -> None:
    """To make and show it took 17 to 20 ms in one turn."""
    workspace = person.gui.open_window()
    assert not workspace.window.isVisible()
    person.until(workspace.window.isVisible)
    person.until(lambda: workspace.is_warm)


def test_the_settings_are_made_in_turns_before_they_are_seen(person: Person) -> None:
    preferences = person.gui.controllers.preferences
    preferences.show_settings()
    dialog = preferences.settings
    assert dialog is not None
    sections = dialog.sections
    assert (dialog.isVisible(), sections.currentRow()) == (False, -1)
    person.until(lambda: sections.currentRow() == 0)
    person.until(dialog.isVisible)
    dialog.close()
    assert dialog.is_leaving
    preferences.show_settings()  # while the closed one is being deleted
    preferences.show_settings()  # asked for again, it is shown at once
    assert not isValid(dialog)
    newer = preferences.settings
    assert newer is not None
    assert newer.isVisible()
    preferences.show_page("models")
    newer.close()
    preferences.change("window.tab_width", 8)  # its values are not shown in fields that are deleted
    person.until(lambda: preferences.settings is None)
    assert preferences.models is None


def test_the_shortcuts_are_made_in_turns_before_they_are_seen(person: Person) -> None:
    """To make the dialog, its first fields and their styles took 17 to 19 ms in one turn."""
    preferences = person.gui.controllers.preferences
    preferences.show_shortcuts()
    dialog = preferences.shortcuts
    assert dialog is not None
    assert (dialog.isVisible(), _fields(dialog)) == (False, 0)
    while not _fields(dialog):
        QApplication.processEvents()
    assert not dialog.isVisible()
    person.until(dialog.isVisible)
    person.until(lambda: dialog.is_complete)
    assert _fields(dialog) == len(dialog.fields)
    preferences.show_shortcuts()  # asked for again, it is shown at once
    assert preferences.shortcuts is dialog
    assert dialog.isVisible()
    dialog.close()
    preferences.show_shortcuts()
    newer = preferences.shortcuts
    assert newer is not None
    newer.reject()  # before it has fields
    person.until(lambda: not isValid(newer))


def _fields(dialog: ShortcutsDialog) -> int:
    return len(dialog.findChildren(ShortcutField))


def test_a_setting_is_focused_when_the_fields_before_it_are_there(person: Person) -> None:
    """To make all fields of its page with the dialog took 16 to 20 ms in one turn."""
    preferences = person.gui.controllers.preferences
    preferences.show_setting("chat.reset_as_gateway")
    dialog = preferences.settings
    assert dialog is not None
    assert (dialog.isVisible(), dialog.sections.currentRow()) == (False, -1)
    person.until(dialog.isVisible)
    fields = dialog.findChildren(SettingField)
    assert 0 < len(fields) < len([field for field in SCHEMA if field.section == "chat"])
    person.until(lambda: dialog.is_complete)
    assert dialog.focusWidget() is dialog.fields["chat.reset_as_gateway"].control
    dialog.show_field("window.tab_width")
    dialog.show_section("search.meaning")
    person.until(lambda: dialog.is_complete)
    assert dialog.focusWidget() is not dialog.fields["window.tab_width"].control


def test_settings_that_are_closed_before_their_last_turn_stay_closed(person: Person) -> None:
    """The turn that was left looked for a field of the closed dialog, and a step of the shortcuts showed it again."""
    preferences = person.gui.controllers.preferences
    preferences.show_setting("search.meaning")
    settings = preferences.settings
    assert settings is not None
    while not settings.isVisible():
        QApplication.processEvents()
    settings.close()
    preferences.show_shortcuts()
    shortcuts = preferences.shortcuts
    assert shortcuts is not None
    shortcuts.reject()
    while preferences.settings is not None or isValid(shortcuts):
        QApplication.processEvents()
        assert not any(isValid(dialog) and dialog.isVisible() for dialog in (settings, shortcuts))


def test_a_hit_is_found_in_a_turn_after_its_path_and_the_find_bar(person: Person, session_file: Path) -> None:
    """Laying out the path, the bar above it and the match took 26 ms in one turn."""
    person.drop(session_file)
    finding, view, key = person.gui.controllers.finding, person.window.transcript.view, person.key("ans00001")
    person.gui.opened.view_entry(key)
    finding.find_at(key, "fine")
    assert not view.finding.is_marked
    person.until(lambda: view.finding.is_marked)
    assert finding.bar.isVisible()
    finding.find_at(person.key("ans00002"), "fine")
    assert finding.bar.query == "fine"
    finding.close()
    finding.find_at(key, "fine")
    finding.step(1)  # F3 in the next moment is for this search
    assert view.finding.is_marked


def test_a_hit_of_a_session_that_was_left_is_not_gone_to(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    finding, opened, key = person.gui.controllers.finding, person.gui.opened, person.key("ans00001")
    session = opened.key
    assert session is not None
    finding.find_at(key, "fine")
    opened.open(session)
    person.until(lambda: opened.session_tree is not None)
    for _ in range(10):
        QApplication.processEvents()
    assert not person.window.transcript.view.finding.is_marked


@pytest.fixture
def nothing_compiled() -> None:
    plain_text.compiled.cache_clear()


def test_the_patterns_of_markdown_marks_are_compiled_before_a_hit_is_shown(
    nothing_compiled: None, person: Person
) -> None:
    """The first snippet with marks waited for all of them: 17 ms in the turn that showed the hits."""
    person.until(lambda: person.gui.is_warm)
    assert plain_text.compiled.cache_info().currsize == len(plain_text.PATTERNS)
