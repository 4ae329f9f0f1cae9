"""The settings are created over several turns of the event loop, and only what is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from stemmata.gui.core.actions import Actions
from stemmata.gui.settings.keys_dialog import ROWS_AT_ONCE, KeysDialog
from stemmata.gui.settings.models_page import ModelsPage
from stemmata.gui.settings.servers_page import ServersPage
from stemmata.gui.settings.setting_field import SettingField
from stemmata.gui.settings.settings_dialog import AT_ONCE, SettingsDialog
from stemmata.gui.settings.shortcuts_dialog import LEAVE_AT_ONCE, ShortcutField, ShortcutsDialog
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel
from stemmata.gui.window.action_table import TABLE
from stemmata.system.settings.schema import SCHEMA

LONGEST = max({spec.section for spec in SCHEMA}, key=lambda name: sum(spec.section == name for spec in SCHEMA))
KEYS = [spec.key for spec in SCHEMA if spec.section == LONGEST]


@pytest.fixture
def host(qtbot: QtBot) -> Iterator[QWidget]:
    host = QWidget()
    qtbot.addWidget(host)
    yield host  # qtbot holds widgets weakly
    host.close()


@pytest.fixture
def dialog(theme: Theme, host: QWidget) -> SettingsDialog:
    return SettingsDialog(theme, host, SCHEMA)


def made(dialog: SettingsDialog) -> list[str]:
    return [field.spec.key for field in dialog.findChildren(SettingField)]


def test_the_fields_of_a_section_are_added_turn_by_turn(dialog: SettingsDialog, qtbot: QtBot) -> None:
    """A section of fourteen fields took 50 ms in one turn."""
    dialog.show_section(KEYS[0])
    dialog.show()
    assert made(dialog) == KEYS[:AT_ONCE]
    qtbot.waitUntil(lambda: len(made(dialog)) == len(KEYS))
    assert made(dialog) == KEYS


def test_a_setting_that_is_wanted_is_there_at_once(dialog: SettingsDialog) -> None:
    dialog.show_section(KEYS[-1])
    dialog.show()
    dialog.show_field(KEYS[-1])
    assert made(dialog) == KEYS
    assert [key for key in dialog.fields if key in KEYS] == KEYS


def test_the_first_section_is_shown_unless_another_one_is_wanted(dialog: SettingsDialog) -> None:
    dialog.show()
    assert dialog.sections.currentRow() == 0
    assert made(dialog) == [spec.key for spec in SCHEMA][:AT_ONCE]


def test_a_form_is_created_when_something_is_edited(theme: Theme, qtbot: QtBot) -> None:
    models, servers = ModelsPage(theme), ServersPage(theme)
    for page in (models, servers):
        qtbot.addWidget(page)
        assert page.count() == 1
        page.add.click()
        assert page.count() == 2
        assert page.currentWidget() is page.form


def test_the_shortcuts_are_added_turn_by_turn_and_filtered(theme: Theme, host: QWidget, qtbot: QtBot) -> None:
    """All actions took 150 ms in one turn."""
    dialog = ShortcutsDialog(theme, Actions(theme, TABLE, host), host)
    dialog.show()
    assert len(dialog.findChildren(ShortcutField)) < 10
    dialog.filter.setText("go to")
    count = sum(bool(spec.menu) for spec in TABLE.specs)
    qtbot.waitUntil(lambda: len(dialog.findChildren(ShortcutField)) == count)
    assert list(dialog.fields) == [spec.id for spec in TABLE.specs if spec.menu]
    shown = [id for id, field in dialog.fields.items() if not field.isHidden()]
    assert "go-context" in shown
    assert "export" not in shown
    dialog.filter.clear()
    assert not any(field.isHidden() for field in dialog.fields.values())


def test_all_shortcuts_are_there_when_they_are_asked_for(theme: Theme, host: QWidget) -> None:
    dialog = ShortcutsDialog(theme, Actions(theme, TABLE, host), host)
    assert dialog.fields["about"].edit.keySequence().isEmpty()


def test_the_keys_of_the_window_follow_those_of_the_column(theme: Theme, host: QWidget, qtbot: QtBot) -> None:
    dialog = KeysDialog(theme, Actions(theme, TABLE, host), "branches", host)
    dialog.show()
    first = len(dialog.findChildren(QLabel))
    qtbot.waitUntil(lambda: len(dialog.findChildren(QLabel)) > first)
    headings = [label.text() for label in dialog.findChildren(QLabel) if label.property("role") == "section"]
    qtbot.waitUntil(lambda: "Help" in section_names(dialog))
    assert section_names(dialog)[: len(headings)] == headings
    assert section_names(dialog)[0] == "Keys of the branches"


def section_names(dialog: KeysDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel) if label.property("role") == "section"]


def test_the_shortcuts_are_deleted_over_several_turns_once_they_are_hidden(
    theme: Theme, host: QWidget, qtbot: QtBot
) -> None:
    """All widgets of the dialog took 14 ms and more in one turn."""
    dialog = ShortcutsDialog(theme, Actions(theme, TABLE, host), host)
    dialog.show()
    count = len(dialog.fields)
    dialog.close()
    assert not dialog.isVisible()
    assert len(dialog.findChildren(ShortcutField)) == count
    counts = {count}
    while isValid(dialog):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as the event loop does after each turn
        counts.add(len(dialog.findChildren(ShortcutField)) if isValid(dialog) else 0)
    steps = sorted(counts)
    assert steps[0] == 0
    assert max(more - less for less, more in pairwise(steps)) <= LEAVE_AT_ONCE


def test_a_dialog_that_is_closed_before_it_is_complete_is_deleted(theme: Theme, host: QWidget, qtbot: QtBot) -> None:
    dialog = ShortcutsDialog(theme, Actions(theme, TABLE, host), host)
    dialog.show()
    assert not dialog.is_complete
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))
    assert host.findChildren(ShortcutField) == []


def test_the_keys_of_a_menu_are_looked_up_in_its_turn(
    theme: Theme, host: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys of all actions were looked up before the sheet was shown, a third of a turn of 19 ms."""
    actions, looked_up = Actions(theme, TABLE, host), list[str]()
    keys_of = actions.keys_of

    def look_up(id: str) -> str:
        looked_up.append(id)
        return keys_of(id)

    monkeypatch.setattr(actions, "keys_of", look_up)
    dialog = KeysDialog(theme, actions, "branches", host)
    dialog.show()
    assert looked_up == []
    qtbot.waitUntil(lambda: dialog.is_complete)
    assert looked_up == [spec.id for menu in menus_of() for spec in TABLE.specs if spec.menu == menu]


def test_the_keys_of_a_column_are_added_in_several_turns(theme: Theme, host: QWidget, qtbot: QtBot) -> None:
    """Its 29 rows took 20 ms, and were styled twice."""
    dialog = KeysDialog(theme, Actions(theme, TABLE, host), "transcript", host)
    dialog.show()

    def chips() -> int:
        return len([shown for shown in dialog.findChildren(ElidedLabel) if shown.text()])

    assert len(dialog.rows) > ROWS_AT_ONCE
    assert chips() == ROWS_AT_ONCE
    qtbot.waitUntil(lambda: dialog.is_complete)
    assert chips() > len(dialog.rows)


def menus_of() -> list[str]:
    return [*dict.fromkeys(spec.menu for spec in TABLE.specs if spec.menu)]


def test_the_keys_of_the_window_begin_with_the_first_menu(theme: Theme, host: QWidget, qtbot: QtBot) -> None:
    dialog = KeysDialog(theme, Actions(theme, TABLE, host), "", host)
    dialog.show()
    assert section_names(dialog) == [menus_of()[0]]
    qtbot.waitUntil(lambda: dialog.is_complete)
    assert section_names(dialog)[-1] == "Help"


def test_fields_of_keys_keep_their_height_while_others_are_added(theme: Theme, host: QWidget) -> None:
    """A page that had not grown yet squeezed its fields for one turn: they jumped, and lost their lower edges."""
    dialog = ShortcutsDialog(theme, Actions(theme, TABLE, host), host)
    dialog.show()
    first = dialog.findChildren(ShortcutField)[0]
    heights = set()
    while not dialog.is_complete:
        QApplication.processEvents()
        heights.add(first.height())
    assert heights == {first.sizeHint().height()}


def test_rows_of_keys_keep_their_height_while_others_are_added(theme: Theme, host: QWidget) -> None:
    dialog = KeysDialog(theme, Actions(theme, TABLE, host), "transcript", host)
    dialog.show()
    row = dialog.findChildren(ElidedLabel)[0].parentWidget()
    assert row is not None
    heights = set()
    while not dialog.is_complete:
        QApplication.processEvents()
        heights.add(row.height())
    assert heights == {row.sizeHint().height()}
