"""The table of actions: complete, without clashes, switched by the state of the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget
from pytestqt.qtbot import QtBot

from stemmata.assets import resource
from stemmata.gui.core.actions import MENUS, TABLE, Actions, State
from stemmata.gui.theme.theme import Theme


@pytest.fixture
def actions(theme: Theme) -> Iterator[Actions]:
    actions = Actions(theme)
    yield actions
    actions.deleteLater()


def test_ids_and_shortcuts_are_unique_and_readable() -> None:
    assert [id for id, count in Counter(spec.id for spec in TABLE).items() if count > 1] == []
    keys = [QKeySequence(spec.shortcut).toString() for spec in TABLE if spec.shortcut]
    assert "" not in keys
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_every_action_has_a_menu_and_every_icon_exists() -> None:
    assert {spec.menu for spec in TABLE} == set(MENUS)
    missing = [spec.icon for spec in TABLE if spec.icon and not resource("icons", f"{spec.icon}.svg").exists()]
    assert missing == []


def test_actions_follow_the_state(actions: Actions) -> None:
    assert not actions["export"].isEnabled()
    assert actions["import"].isEnabled()
    actions.set_state(State.OPEN)
    assert actions["export"].isEnabled()
    assert not actions["undo"].isEnabled()
    actions.set_state(State.CAN_UNDO)
    assert actions["undo"].isEnabled()
    actions.set_state(State.OPEN, on=False)
    assert not actions["undo"].isEnabled()


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
    assert len([action for action in shown if not action.isSeparator()]) == len(TABLE)


def test_a_context_menu_and_triggering(actions: Actions, qtbot: QtBot) -> None:
    host, seen = QWidget(), list[str]()
    qtbot.addWidget(host)
    actions.on("import", lambda: seen.append("import"))
    menu = actions.menu(("import", "", "export"), host)
    assert [action.isSeparator() for action in menu.actions()] == [False, True, False]
    menu.actions()[0].trigger()
    assert seen == ["import"]
