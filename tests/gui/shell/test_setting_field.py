"""A setting on its page: the words at the left, the control beside them, and a way back once it is changed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from stemmata.gui.settings.setting_field import FoldersField, NameField, SettingField
from stemmata.gui.theme import metrics
from stemmata.gui.theme.fonts import families
from stemmata.gui.theme.theme import Theme
from stemmata.system.settings.schema import SETTINGS

WIDTH = 480


def shown(qtbot: QtBot, theme: Theme, key: str) -> SettingField:
    field = SettingField(theme, SETTINGS[key])
    qtbot.addWidget(field)
    field.resize(WIDTH, field.heightForWidth(WIDTH))
    field.show()
    return field


@pytest.mark.parametrize("key", sorted(SETTINGS))
@pytest.mark.parametrize("scale", [100, 200])
def test_words_and_control_share_no_room(qtbot: QtBot, theme: Theme, key: str, scale: int) -> None:
    theme.set_scale(scale)
    field = shown(qtbot, theme, key)
    for words in field.findChildren(QLabel):
        if field.control.isAncestorOf(words):
            continue  # the heads of a table are part of the control
        assert not words.geometry().intersects(field.control.geometry())
    assert field.rect().contains(field.control.geometry())


@pytest.mark.parametrize("key", sorted(SETTINGS))
def test_the_whole_name_is_seen(qtbot: QtBot, theme: Theme, key: str) -> None:
    field = shown(qtbot, theme, key)
    title = next(words for words in field.findChildren(QLabel) if words.buddy() is field.control)
    room = QRect(0, 0, title.width(), field.height())
    needed = title.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, title.text())
    assert needed.width() <= title.width()
    assert needed.height() <= title.height()


def test_the_default_is_told_behind_what_the_setting_does(qtbot: QtBot, theme: Theme) -> None:
    texts = [words.text() for words in shown(qtbot, theme, "window.font_scale").findChildren(QLabel)]
    assert any(text.endswith("Default: 100") and len(text) > len("Default: 100") for text in texts)


@pytest.mark.parametrize("key", ["window.theme", "window.language", "window.enter_sends", "window.font_scale"])
def test_the_words_stand_below_the_name_whatever_the_height_of_the_control(
    qtbot: QtBot, theme: Theme, key: str
) -> None:
    field = shown(qtbot, theme, key)
    title = next(words for words in field.findChildren(QLabel) if words.buddy() is field.control)
    words = next(words for words in field.findChildren(QLabel) if "Default: " in words.text())
    assert words.y() - title.geometry().bottom() - 1 == metrics.SPACE[1]
    assert title.height() <= title.heightForWidth(title.width())


def test_a_change_makes_no_field_higher(qtbot: QtBot, theme: Theme) -> None:
    field = shown(qtbot, theme, "window.font_scale")
    before = field.heightForWidth(WIDTH)
    field.show_value(120)
    assert field.is_changed
    assert field.heightForWidth(WIDTH) == before


def test_the_name_has_a_line_of_its_own(qtbot: QtBot, theme: Theme) -> None:
    field = shown(qtbot, theme, "chat.longest_wait")
    title = next(words for words in field.findChildren(QLabel) if words.text() == "Longest wait between retries")
    assert title.height() < 2 * title.fontMetrics().lineSpacing()


def test_a_connection_is_chosen_from_a_list(qtbot: QtBot, theme: Theme) -> None:
    field = shown(qtbot, theme, "chat.default_connection")
    box = field.control
    assert isinstance(box, NameField)
    field.show_value("Gone")
    box.offer(["Anthropic", "Ollama"])
    names = [box.itemText(at) for at in range(box.count())]
    assert names == ["not set", "Anthropic", "Ollama", "Gone"]
    assert box.currentText() == "Gone"
    with qtbot.waitSignal(field.change_requested) as signal:
        box.activated.emit(1)
    assert signal.args == ["chat.default_connection", "Anthropic"]
    field.show_value("")
    box.offer(["Anthropic"])
    assert [box.itemText(at) for at in range(box.count())] == ["not set", "Anthropic"]
    assert box.currentText() == "not set"


def test_fonts_are_chosen_from_the_installed_ones(qtbot: QtBot, theme: Theme) -> None:
    for key, fixed in (("window.font", False), ("window.code_font", True)):
        box = shown(qtbot, theme, key).control
        assert isinstance(box, NameField)
        assert [box.itemData(at) for at in range(box.count())] == ["", *families(fixed=fixed)]


def test_a_folder_is_added_from_the_dialog_of_the_system(qtbot: QtBot, theme: Theme) -> None:
    field = shown(qtbot, theme, "sources.follow_these_folders")
    control = field.control
    assert isinstance(control, FoldersField)
    assert control.edit.accessibleName() == "Follow these folders"
    field.show_value("~/a; /b")
    control.add.click()
    (chooser,) = field.window().findChildren(QFileDialog)
    with qtbot.waitSignal(field.change_requested) as signal:
        chooser.fileSelected.emit("/c")
    assert signal.args == ["sources.follow_these_folders", "~/a; /b; /c"]
    chooser.close()
    with qtbot.waitSignal(field.change_requested) as signal:
        control.put("/b")
    assert signal.args == ["sources.follow_these_folders", "~/a; /b"]
    QTest.keyClicks(control.edit, "x")
    with qtbot.waitSignal(field.change_requested):
        QTest.keyClick(control.edit, Qt.Key.Key_Return)


def test_settings_with_words_of_equal_length_are_equally_high(qtbot: QtBot, theme: Theme) -> None:
    keys = ("window.theme", "window.font_scale", "window.language", "window.enter_sends", "window.tab_width")
    assert len({shown(qtbot, theme, key).height() for key in keys}) == 1
