"""The settings are created over several turns of the event loop, and only what is looked at."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.settings.models_page import ModelsPage
from stemmata.gui.settings.servers_page import ServersPage
from stemmata.gui.settings.setting_field import SettingField
from stemmata.gui.settings.settings_dialog import AT_ONCE, SettingsDialog
from stemmata.gui.theme.theme import Theme
from stemmata.system.settings.schema import SCHEMA

LONGEST = max({spec.section for spec in SCHEMA}, key=lambda name: sum(spec.section == name for spec in SCHEMA))
KEYS = [spec.key for spec in SCHEMA if spec.section == LONGEST]


@pytest.fixture
def dialog(theme: Theme, qtbot: QtBot) -> SettingsDialog:
    host = QWidget()
    qtbot.addWidget(host)
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
