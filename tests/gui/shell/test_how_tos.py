"""The worked examples of the window: what stands in the pages is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from unittest.mock import Mock

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.core.actions import Actions, ActionSpec, ActionTable, State
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window import action_table
from stemmata.gui.window.action_table import TABLE
from stemmata.gui.window.controllers import Controllers
from stemmata.gui.window.main_window import MainWindow
from tests.architecture.sources import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHANGED = re.compile(r"^ (app/\S+) +\| ", re.MULTILINE)
ADDED = "app/stemmata/gui/sessions/notes.py"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def rows(block: str) -> tuple[ActionSpec[Controllers], ...]:
    found = eval(block, vars(action_table))
    assert isinstance(found, tuple)
    return found


def actions_with(theme: Theme, added: tuple[ActionSpec[Controllers], ...]) -> Actions:
    return Actions(theme, ActionTable((*TABLE.specs, *added), TABLE.menus, TABLE.context_menus))


def test_the_added_action_does_something(theme: Theme) -> None:
    (block,) = BLOCK.findall(page("how-to-add-an-action.md"))
    (row,) = added = rows(block)
    actions, controllers = actions_with(theme, added), Mock()
    actions.connect_to(controllers)
    assert not actions[row.id].isEnabled()
    actions.set_state(State.OPEN)
    actions[row.id].trigger()
    controllers.split.view.scroll_to_end.assert_called_once_with()
    assert actions.set_keys({}) == []  # its shortcut is free


def test_the_added_pane_is_made_and_shown(theme: Theme, qtbot: QtBot) -> None:
    widget, place, making, added = BLOCK.findall(page("how-to-add-a-pane.md"))
    names: dict[str, Callable[[Theme], QWidget]] = {}
    exec(widget, names)
    pane = names["NotesPane"](theme)
    qtbot.addWidget(pane)
    assert pane.objectName() == "notesPane"
    sizes: dict[str, tuple[object, ...]] = {}
    exec(place, sizes)
    assert {name: sizes[name][:-1] for name in sizes if name.isupper()} == {
        name: getattr(metrics, name) for name in ("COLUMN_NAMES", "COLUMNS", "COLUMN_MINIMUMS", "COLUMN_STRETCH")
    }
    assert all(hasattr(MainWindow, name) for name in ("branches", "transcript", "context"))
    assert "self.columns.put(" in making
    actions, controllers = actions_with(theme, rows(added)), Mock()
    actions.connect_to(controllers)
    actions["show-notes"].toggle()
    controllers.window.show_column.assert_called_once_with("notes", on=True)
    actions["go-notes"].trigger()
    controllers.windows.go.assert_called_once_with("notes")


@pytest.mark.parametrize("name", ["how-to-add-an-action.md", "how-to-add-a-pane.md"])
def test_the_changed_files_are_there(name: str) -> None:
    files = CHANGED.findall(page(name))
    assert files
    assert not [file for file in files if file != ADDED and not (ROOT / file).exists()]
