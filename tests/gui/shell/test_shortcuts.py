"""Keys that people choose: given, refused, disputed, taken back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from stemmata.gui.core.actions import Actions, is_typed, resolve
from stemmata.gui.settings.shortcuts_dialog import ShortcutsDialog
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.action_table import TABLE


@pytest.fixture
def dialog(theme: Theme, actions: Actions, host: QWidget) -> ShortcutsDialog:
    dialog = ShortcutsDialog(theme, actions, host)
    wanted: dict[str, str] = {}

    def change(id: str, keys: str | None) -> None:
        wanted.pop(id, None) if keys is None else wanted.update({id: keys})
        actions.set_keys(wanted)
        dialog.show_keys()

    dialog.change_requested.connect(change)
    dialog.show()
    return dialog


def press(dialog: ShortcutsDialog, id: str, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    """Press keys in an action's field, and leave the field."""
    edit = dialog.fields[id].edit
    QTest.keyClick(edit, key, modifiers)
    edit.editingFinished.emit()


ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


def test_without_wishes_every_action_has_its_own(actions: Actions) -> None:
    before = [actions.keys_of(spec.id) for spec in TABLE.specs]
    assert actions.set_keys({}) == []
    assert [actions.keys_of(spec.id) for spec in TABLE.specs] == before


def test_new_keys_take_the_place_of_the_old(actions: Actions) -> None:
    assert actions.set_keys({"export": "ctrl+alt+x", "import": "", "fork": "Ctrl+Alt+F"}) == []
    assert actions.keys_of("export") == "Ctrl+Alt+X"
    assert actions.keys_of("import") == ""
    assert (actions.keys_of("fork"), actions["fork"].text()) == ("Ctrl+Alt+F", "Fork to new session")
    assert actions.keys("fork") == "Ctrl+Alt+F"
    actions.set_keys({})
    assert (actions.keys_of("fork"), actions["fork"].text()) == ("", "Fork to new session\tF")


def test_keys_taken_on_purpose_leave_the_other_without(actions: Actions) -> None:
    assert actions.set_keys({"export": "Ctrl+K"}) == []
    assert (actions.keys_of("export"), actions.keys_of("palette")) == ("Ctrl+K", "")


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"forks": "Ctrl+J"}, "unknown action “forks”"),
        ({"fork": "Ctrl+Nope"}, "“Ctrl+Nope” is not a valid shortcut (fork)"),
        ({"fork": "X"}, "“X” needs Ctrl, Alt or Meta (fork)"),
        ({"fork": "Ctrl+J", "label": "Ctrl+J"}, "Ctrl+J is used twice; “label” has no shortcut"),
    ],
)
def test_wishes_that_cannot_be_are_told(wanted: dict[str, str], told: str) -> None:
    keys, problems = resolve(TABLE.specs, wanted)
    assert problems == [told]
    assert keys["palette"] == "Ctrl+K"


def test_what_is_typed_is_no_shortcut() -> None:
    assert [keys for keys in ("A", "Shift+A", "Return", "Space", "+") if not is_typed(keys)] == []
    assert [keys for keys in ("", "F5", "Shift+F5", "Ctrl+A", "Alt+Return", "Ctrl++") if is_typed(keys)] == []


def test_the_dialog_gives_keys_and_takes_them_back(dialog: ShortcutsDialog, actions: Actions) -> None:
    field = dialog.fields["export"]
    assert field.reset.isHidden()
    press(dialog, "export", Qt.Key.Key_X, ALT)
    assert actions.keys_of("export") == "Ctrl+Alt+X"
    assert not field.reset.isHidden()
    field.reset.click()
    assert actions.keys_of("export") == "Ctrl+E"
    assert field.edit.keySequence().toString() == "Ctrl+E"


def test_keys_of_another_action_are_disputed_first(dialog: ShortcutsDialog, actions: Actions) -> None:
    press(dialog, "export", Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert dialog.message.text() == "Ctrl+K is already the shortcut of “Search or run a command”."
    assert (actions.keys_of("export"), actions.keys_of("palette")) == ("Ctrl+E", "Ctrl+K")
    dialog.take.click()
    assert (actions.keys_of("export"), actions.keys_of("palette")) == ("Ctrl+K", "")
    assert dialog.message.text() == ""
    dialog.fields["export"].reset.click()
    assert actions.keys_of("palette") == "Ctrl+K"


def test_keys_given_to_another_action_move_over(dialog: ShortcutsDialog, actions: Actions) -> None:
    press(dialog, "export", Qt.Key.Key_X, ALT)
    press(dialog, "import", Qt.Key.Key_X, ALT)
    dialog.take.click()
    assert (actions.keys_of("import"), actions.keys_of("export")) == ("Ctrl+Alt+X", "Ctrl+E")


def test_plain_letters_are_refused_and_clearing_means_none(dialog: ShortcutsDialog, actions: Actions) -> None:
    press(dialog, "export", Qt.Key.Key_X, Qt.KeyboardModifier.NoModifier)
    assert "add Ctrl, Alt or Meta" in dialog.message.text()
    assert dialog.fields["export"].edit.keySequence().toString() == "Ctrl+E"
    dialog.fields["export"].edit.clear()
    dialog.fields["export"].edit.editingFinished.emit()
    assert actions.keys_of("export") == ""


def test_the_filter_finds_names_and_keys(dialog: ShortcutsDialog) -> None:
    for text in ("export sess", "ctrl+e"):
        dialog.filter.setText(text)
        assert [id for id, field in dialog.fields.items() if field.isVisibleTo(dialog)] == ["export"]
    dialog.filter.clear()
    assert all(field.isVisibleTo(dialog) for field in dialog.fields.values())
