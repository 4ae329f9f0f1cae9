"""Several rows at once: how they are selected, and what can be asked of them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.view import BranchesView
from tests.gui.branches.conftest import Session

Key = Qt.Key
NONE, SHIFT, CONTROL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def click(
    view: BranchesView, row: int, held: Qt.KeyboardModifier = NONE, button: Any = Qt.MouseButton.LeftButton
) -> None:
    at = QPoint(200, view.list.row_rect(row).center().y())
    QTest.mouseClick(view.list.viewport(), button, held, at)


def rows(view: BranchesView) -> list[int]:
    return list(view.list.selection.rows)


def menu_texts(view: BranchesView, row: int) -> dict[str, Any]:
    view.list.menu_given.emit(row, QPoint())
    menu = view.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)[-1]
    return {action.text().split("\t")[0]: action for action in menu.actions() if action.text()}


def test_shift_selects_a_run_from_where_it_began(view: BranchesView) -> None:
    click(view, 4)
    click(view, 7, SHIFT)
    assert rows(view) == [4, 5, 6, 7]
    click(view, 2, SHIFT)
    assert (rows(view), view.list.selected_row) == ([2, 3, 4], 2)
    for key in (Key.Key_Down, Key.Key_J):
        QTest.keyClick(view.list, key, SHIFT)
    assert rows(view) == [4]
    QTest.keyClick(view.list, Key.Key_End, SHIFT)
    assert rows(view) == [4, 5, 6, 7, 8, 9]
    QTest.keyClick(view.list, Key.Key_K)
    assert rows(view) == [8]


def test_control_picks_rows_one_by_one(view: BranchesView) -> None:
    click(view, 1)
    click(view, 5, CONTROL)
    click(view, 9, CONTROL)
    assert (rows(view), view.list.selected_row) == ([1, 5, 9], 9)
    click(view, 9, CONTROL)
    assert (rows(view), view.list.selected_row) == ([1, 5], 5)
    click(view, 1, CONTROL)
    click(view, 5, CONTROL)
    assert rows(view) == [5]  # the last one stays


def test_a_run_can_be_thinned_out(view: BranchesView) -> None:
    click(view, 1)
    click(view, 4, SHIFT)
    click(view, 2, CONTROL)
    assert rows(view) == [1, 3, 4]


def test_escape_clears_to_the_current_row(view: BranchesView) -> None:
    click(view, 1)
    click(view, 4, SHIFT)
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_Escape, NONE, "")
    event.ignore()
    QApplication.sendEvent(view.list, event)
    assert event.isAccepted()  # before the window's own use of the key
    QTest.keyClick(view.list, Key.Key_Escape)
    assert rows(view) == [4]


def test_the_selection_outlasts_folds_densities_and_growth(view: BranchesView, session: Session) -> None:
    click(view, 1)
    click(view, 3, CONTROL)
    click(view, 8, CONTROL)
    view.set_density(Density.NO_TOOLS)
    view.set_density(Density.TURNS)
    assert rows(view) == [1, 3, 8]
    view.list.fold_given.emit(2)
    assert rows(view) == [1, 2, 7]
    view.fold_button.click()  # unfolds all
    new = session.ask(session.three, "More")
    view.show_tree(session.tree, int(session.end))
    assert rows(view) == [1, 3, view.list.model.row_of(int(session.two))]
    assert int(new) not in map(view.list.model.key, rows(view))


def test_what_others_select_is_one_row(view: BranchesView, session: Session) -> None:
    click(view, 1)
    click(view, 4, SHIFT)
    view.select(int(session.port))
    assert rows(view) == [0]


def test_all_selected_rows_are_painted(view: BranchesView, session: Session) -> None:
    view.select(int(session.port))
    view.list.clearFocus()
    click(view, 1)
    one = view.list.viewport().grab().toImage()
    click(view, 3, SHIFT)
    three = view.list.viewport().grab().toImage()
    at = [QPoint(1, view.list.row_rect(row).center().y()) for row in range(5)]
    assert [one.pixelColor(p) == one.pixelColor(at[1]) for p in at] == [False, True, False, False, False]
    assert [three.pixelColor(p) == three.pixelColor(at[1]) for p in at] == [False, True, True, True, False]


def test_screen_readers_hear_of_every_selected_row(view: BranchesView) -> None:
    click(view, 1)
    click(view, 3, SHIFT)
    interface = QAccessible.queryAccessibleInterface(view.list)
    states = [interface.child(row).state() for row in range(5)]
    assert [bool(state.selected) for state in states] == [False, True, True, True, False]
    assert states[0].multiSelectable


# -- asking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "held", "called"),
    [
        (Key.Key_C, CONTROL, "entries.copy_entries"),
        (Key.Key_L, NONE, "branches.label"),
        (Key.Key_P, NONE, "branches.pin"),
    ],
)
def test_keys_mean_all_selected_rows(
    view: BranchesView, acts: Mock, session: Session, key: Qt.Key, held: Any, called: str
) -> None:
    click(view, 4)
    click(view, 1, CONTROL)
    QTest.keyClick(view.list, key, held)
    attrgetter(called)(acts).assert_called_once_with([int(session.ported), int(session.theme)])  # from the top


def test_the_menu_unpins_only_when_all_are_pinned(view: BranchesView, session: Session) -> None:
    click(view, 8)
    click(view, 9, CONTROL)
    assert "Pin all (kept by compactions)" in menu_texts(view, 8)
    for key in (session.two, session.end):
        session.pin(key)
    view.show_tree(session.tree, int(session.end))
    assert "Unpin all" in menu_texts(view, 8)


def test_the_menu_of_several_rows(view: BranchesView, acts: Mock) -> None:
    click(view, 1)
    click(view, 4, SHIFT)
    texts = menu_texts(view, 4)
    assert list(texts) == ["Copy 4 turns", "Pin all (kept by compactions)", "Label…"]
    texts["Copy 4 turns"].trigger()
    assert len(acts.entries.copy_entries.call_args.args[0]) == 4


def test_two_rows_can_be_compared(view: BranchesView, acts: Mock, session: Session) -> None:
    click(view, 3)
    click(view, 9, CONTROL)
    menu_texts(view, 9)["Compare these two"].trigger()
    acts.compare.open.assert_called_once_with(int(session.wrapped), int(session.end))


def test_actions_of_one_row_mean_the_current_one(view: BranchesView, acts: Mock, session: Session) -> None:
    click(view, 1)
    click(view, 3, SHIFT)
    QTest.keyClick(view.list, Key.Key_Return)
    acts.branches.leave_for.assert_called_once_with(int(session.wrapped))


def test_a_right_click_on_the_selection_keeps_it(view: BranchesView) -> None:
    click(view, 1)
    click(view, 3, SHIFT)
    click(view, 2, button=Qt.MouseButton.RightButton)
    assert rows(view) == [1, 2, 3]
    click(view, 5, button=Qt.MouseButton.RightButton)
    assert rows(view) == [5]
