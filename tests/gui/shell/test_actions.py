"""The table of actions: complete, without clashes, switched by the state of the window."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any
from unittest.mock import Mock

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget
from pytestqt.qtbot import QtBot

from stemmata.assets import resource
from stemmata.gui.branches.keys import Move
from stemmata.gui.core.actions import Actions, ActionSpec, State
from stemmata.gui.window.action_table import MENUS, TABLE

MOST_ITEMS = 28  # with separators, on a screen of 768 pixels; Qt breaks a higher menu into columns over the menu bar
MOST_OF_GROUP = 9  # actions between two separators


def test_ids_and_shortcuts_are_unique_and_readable() -> None:
    assert [id for id, count in Counter(spec.id for spec in TABLE.specs).items() if count > 1] == []
    keys = [
        QKeySequence(keys).toString()
        for spec in TABLE.specs
        if not spec.own_key
        for keys in (spec.shortcut, spec.also)
        if keys
    ]
    assert "" not in keys
    assert [key for key, count in Counter(keys).items() if count > 1] == []


@pytest.mark.parametrize("column", ["branches", "transcript", "composer"])
def test_the_keys_of_a_column_are_unique_and_readable(column: str) -> None:
    keys = list(chain(*(spec.keys_in(column) for spec in TABLE.specs)))
    assert keys
    assert "" not in keys
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_every_action_has_a_menu_and_every_icon_exists() -> None:
    assert {spec.menu for spec in TABLE.specs} - {""} == set(MENUS)
    missing = [spec.icon for spec in TABLE.specs if spec.icon and not resource("icons", f"{spec.icon}.svg").exists()]
    assert missing == []


def test_menus_call_the_return_key_as_the_guide_does(actions: Actions) -> None:
    assert [action.text() for _spec, action in actions if "Return" in action.text()] == []
    assert actions["continue"].text() == "Continue from here\tEnter"
    assert actions["accept-compaction"].text() == "Accept compaction\tCtrl+Enter"
    actions.set_keys({"accept-compaction": "Ctrl+Alt+G"})
    assert actions["accept-compaction"].text() == "Accept compaction"  # Qt writes these keys itself


def test_actions_follow_the_state(actions: Actions) -> None:
    assert not actions["export"].isEnabled()
    assert actions["import"].isEnabled()
    actions.set_state(State.OPEN)
    assert actions["export"].isEnabled()
    assert not actions["undo"].isEnabled()
    actions.set_state(State.CAN_UNDO)
    assert actions["undo"].isEnabled()
    actions.set_state(State.CAN_UNDO, on=False)
    assert not actions["undo"].isEnabled()


def test_a_condition_touches_only_the_actions_that_need_it(actions: Actions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a session changes several conditions; to enable 170 actions for each of them took 1.5 ms."""
    actions.set_state(State.OPEN)
    touched: list[str] = []

    def recorder(spec: ActionSpec[Any]) -> Mock:
        return Mock(setEnabled=lambda on: touched.append(f"{spec.id} {on}"))

    monkeypatch.setattr(actions, "_needs", [(int(spec.needs), recorder(spec)) for spec in TABLE.specs])
    actions.set_state(State.CAN_UNDO)
    actions.set_state(State.FINDING)
    assert touched == ["undo True", "find-next True", "find-previous True"]


def test_keys_of_the_navigator_are_shown_and_not_taken(actions: Actions) -> None:
    assert actions["fork"].shortcut().isEmpty()
    assert actions["fork"].text().endswith("\tF")
    assert actions.keys("fork") == "F"


def test_the_menu_bar_holds_every_action_once(actions: Actions, qtbot: QtBot) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    actions.fill(bar)
    assert [action.text() for action in bar.actions()] == list(MENUS)
    menus = bar.findChildren(QMenu)
    shown = [action for menu in menus for action in menu.actions()]
    in_bar = [spec for spec in TABLE.specs if spec.menu]
    items = [action for action in shown if not action.isSeparator() and not isinstance(action.menu(), QMenu)]
    assert len(items) == len(in_bar)


def test_no_menu_is_higher_than_a_low_screen(actions: Actions, qtbot: QtBot) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    actions.fill(bar)
    counts = {menu.title(): len(menu.actions()) for menu in bar.findChildren(QMenu)}
    assert {title: count for title, count in counts.items() if count > MOST_ITEMS} == {}


def test_no_menu_has_a_long_group(actions: Actions, qtbot: QtBot) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    actions.fill(bar)
    for menu in bar.findChildren(QMenu):
        groups = "".join("|" if action.isSeparator() else "." for action in menu.actions()).split("|")
        assert max(map(len, groups)) <= MOST_OF_GROUP, menu.title()


def test_a_context_menu_and_triggering(actions: Actions, qtbot: QtBot) -> None:
    host, controllers = QWidget(), Mock()
    qtbot.addWidget(host)
    actions.connect_to(controllers)
    actions.set_state(State.LISTED | State.TRASH)
    menu = actions.menu("session in the trash", host)
    assert [action.isSeparator() for action in menu.actions()] == [False, True, False]
    menu.actions()[0].trigger()
    controllers.sessions.trash.assert_called_once_with()
    actions["show-trash"].toggle()
    controllers.sessions.show_trash.assert_called_once_with(on=True)


def test_context_menus_hold_known_actions_and_every_action_is_in_a_menu() -> None:
    ids, inside = {spec.id for spec in TABLE.specs}, set(chain(*TABLE.context_menus.values())) - {""}
    assert inside <= ids
    assert {spec.id for spec in TABLE.specs if not spec.menu and not spec.own_key} <= inside


def test_every_command_of_the_branches_has_a_key_in_the_table() -> None:
    heard = {spec.id for spec in TABLE.specs if spec.keys_in("branches")}
    assert {move.value for move in Move} <= heard
