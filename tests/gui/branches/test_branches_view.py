"""The navigator in use: keys, mouse, menu, search, state, and what screen readers are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any
from unittest.mock import Mock, call

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import ROWS, DigestInput, MemoryPages, Session, actions_of

Key = Qt.Key


def text_of(view: BranchesView) -> str:
    """The words of the selected row."""
    row = view.list.selected_row
    return "" if row is None else view.list.model.shown(row).text


def press(view: BranchesView, key: Qt.Key, modifier: Any = Qt.KeyboardModifier.NoModifier) -> str:
    QTest.keyClick(view.list, key, modifier)
    return text_of(view)


def centre(view: BranchesView, row: int) -> QPoint:
    return view.list.row_rect(row).center()


# -- showing ---------------------------------------------------------------------------------------------------------


def test_the_leaf_is_selected_when_a_session_is_shown(view: BranchesView, session: Session) -> None:
    assert view.objectName() == "branchesView"
    assert view.selected == int(session.end)


def test_only_rows_in_sight_are_read(qtbot: QtBot, theme: Theme) -> None:
    story = DigestInput()
    last = None
    for _ in range(2000):
        last = story.ask(last, "again")
    pages = MemoryPages(story.entries)
    view = BranchesView(theme, pages, actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, 1999)
    view.grab()
    assert sum(pages.calls) <= 40
    assert view.list.is_in_sight(1999)


def test_growth_keeps_what_is_read_in_place(qtbot: QtBot, theme: Theme) -> None:
    story = DigestInput()
    last = story.ask(None, "0")
    for at in range(1, 200):
        last = story.ask(last, str(at))
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, 199)
    view.select(50)
    before = view.list.anchor
    last = story.ask(last, "new")
    view.show_tree(story.tree, 200)
    assert (view.selected, view.list.anchor) == (50, before)


def test_the_selection_follows_the_leaf_while_it_is_there(view: BranchesView, session: Session) -> None:
    new = session.ask(session.end, "More")
    view.show_tree(session.tree, int(new))
    assert view.selected == int(new)


def test_a_moved_leaf_makes_another_path_active(view: BranchesView, session: Session) -> None:
    view.show_tree(session.tree, int(session.wrapped))
    outline = view.outline
    assert outline is not None
    assert outline.leaf == int(session.wrapped)
    assert text_of(view) == "Wrapping breaks width"


def test_a_leaf_that_moves_into_a_fold_unfolds_it(view: BranchesView, session: Session) -> None:
    view.list.model.fold_sides()
    view.show_tree(session.tree, int(session.wrapped))
    assert text_of(view) == "Wrapping breaks width"


def test_late_outlines_are_dropped(qtbot: QtBot, theme: Theme, session: Session) -> None:
    waiting: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
    view = BranchesView(
        theme, MemoryPages(session.entries), actions_of(theme), compute=lambda job, done: waiting.append((job, done))
    )
    qtbot.addWidget(view)
    view.show_tree(session.tree, int(session.end))
    view.set_density(Density.PROMPTS)
    for job, done in reversed(waiting):
        done(job())
    outline = view.outline
    assert outline is not None
    assert outline.density is Density.PROMPTS


def test_clearing_shows_nothing(view: BranchesView) -> None:
    view.search.open()
    view.clear()
    assert view.outline is None
    assert view.selected is None
    assert view.search.isHidden()
    view.grab()


# -- keys ------------------------------------------------------------------------------------------------------------


def test_moving_by_row(qtbot: QtBot, view: BranchesView) -> None:
    assert press(view, Key.Key_Home) == "Port the selectors"
    assert press(view, Key.Key_K) == "Port the selectors"
    assert press(view, Key.Key_J) == "Ported"
    assert press(view, Key.Key_Down) == "Try wrapping"
    assert press(view, Key.Key_Up) == "Ported"
    assert press(view, Key.Key_PageDown) == "All tests pass"
    assert press(view, Key.Key_PageUp) == "Port the selectors"
    assert press(view, Key.Key_End) == "All tests pass"


def test_moving_by_branch(qtbot: QtBot, view: BranchesView) -> None:
    alt = Qt.KeyboardModifier.AltModifier
    assert press(view, Key.Key_BracketLeft) == "One"
    assert press(view, Key.Key_BracketRight) == "Two"
    press(view, Key.Key_J)
    assert press(view, Key.Key_Left, alt) == "Two"
    assert press(view, Key.Key_Left, alt) == "Two"  # folded
    assert len(view.list.model) == ROWS - 1
    assert press(view, Key.Key_Left, alt) == "Port the theme"
    press(view, Key.Key_Right, alt)
    assert press(view, Key.Key_Right, alt) == "Two"
    assert len(view.list.model) == ROWS


def test_going_to_the_leaf_unfolds_it(qtbot: QtBot, view: BranchesView) -> None:
    press(view, Key.Key_Home)
    press(view, Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert len(view.list.model) == 1
    assert press(view, Key.Key_G) == "All tests pass"


@pytest.mark.parametrize("density", Density)
def test_digits_choose_the_density(qtbot: QtBot, view: BranchesView, density: Density) -> None:
    press(view, Qt.Key(Key.Key_0 + density.value))
    assert view.density is density


def test_the_selection_outlasts_densities(qtbot: QtBot, view: BranchesView, session: Session) -> None:
    view.select(int(session.wrapped))
    press(view, Key.Key_2)
    assert text_of(view) == "Try wrapping"
    press(view, Key.Key_1)
    assert text_of(view) == "Wrapping breaks width"


@pytest.mark.parametrize(
    ("key", "modifier", "called", "entry"),
    [
        (Key.Key_Return, Qt.KeyboardModifier.NoModifier, "branches.leave_for", "last"),
        (Key.Key_F, Qt.KeyboardModifier.NoModifier, "branches.fork", "last"),
        (Key.Key_L, Qt.KeyboardModifier.NoModifier, "branches.label", "all"),
        (Key.Key_P, Qt.KeyboardModifier.NoModifier, "branches.pin", "all"),
        (Key.Key_C, Qt.KeyboardModifier.ControlModifier, "entries.copy_entries", "all"),
        (Key.Key_C, Qt.KeyboardModifier.NoModifier, "compaction.open", "first"),
        (Key.Key_C, Qt.KeyboardModifier.ShiftModifier, "compaction.open_from", "first"),
    ],
)
def test_keys_call_actions(
    view: BranchesView, acts: Mock, session: Session, key: Qt.Key, modifier: Any, called: str, entry: str
) -> None:
    view.select(int(session.ported))
    press(view, key, modifier)
    first, last = int(session.port) + 1, int(session.ported)
    assert attrgetter(called)(acts).mock_calls == [call({"first": first, "last": last, "all": [last]}[entry])]


def test_letters_win_over_shortcuts_of_the_window(view: BranchesView) -> None:
    for key, wanted in ((Key.Key_F, True), (Key.Key_Escape, False), (Key.Key_X, False)):
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier, "")
        event.ignore()
        QApplication.sendEvent(view.list, event)
        assert event.isAccepted() is wanted


def test_holding_a_key_looks_once_it_rests(qtbot: QtBot, view: BranchesView) -> None:
    looked: list[int] = []
    view.view_requested.connect(looked.append)
    press(view, Key.Key_Home)
    for _ in range(5):
        press(view, Key.Key_J)
    qtbot.waitUntil(lambda: bool(looked))
    assert looked == [view.selected]


def test_keys_do_nothing_without_a_session(qtbot: QtBot, theme: Theme) -> None:
    view = BranchesView(theme, MemoryPages([]), actions_of(theme))
    qtbot.addWidget(view)
    with qtbot.assertNotEmitted(view.view_requested), qtbot.assertNotEmitted(view.list.action_given):
        for key in (Key.Key_J, Key.Key_G, Key.Key_Return, Key.Key_F3, Key.Key_BracketLeft, Key.Key_Left):
            press(view, key)


# -- mouse and menu --------------------------------------------------------------------------------------------------


def test_a_click_looks_and_a_double_click_continues(
    qtbot: QtBot, view: BranchesView, acts: Mock, session: Session
) -> None:
    viewport = view.list.viewport()
    with qtbot.waitSignal(view.view_requested) as looked:
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=centre(view, 3))
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=centre(view, 3))
    assert looked.args == [int(session.wrapped)]
    acts.branches.leave_for.assert_called_once_with(int(session.wrapped))
    with qtbot.assertNotEmitted(view.view_requested, wait=100):
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(100, viewport.height() - 5))


def test_a_click_on_the_mark_of_a_branch_folds_it(qtbot: QtBot, view: BranchesView) -> None:
    mark = QPoint(32, centre(view, 2).y())
    QTest.mouseMove(view.list.viewport(), mark)
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert view.list.model.is_folded(2)
    QTest.mouseDClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert not view.list.model.is_folded(2)


def test_thefold_button_folds_all_but_the_active_path(qtbot: QtBot, view: BranchesView) -> None:
    button = view.fold_button
    assert button.toolTip() == "Show only the active path"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (len(view.list.model), button.toolTip()) == (ROWS - 1, "Show all branches")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (len(view.list.model), button.toolTip()) == (ROWS, "Show only the active path")


def test_the_density_menu(view: BranchesView) -> None:
    menu = view.density_button.menu()
    menu.actions()[1].trigger()
    assert view.density is Density.PROMPTS
    assert view.density_button.text() == "Prompts only"
    assert [action.isChecked() for action in menu.actions()] == [False, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "called", "first"),
    [
        ("Continue from here", "branches.leave_for", False),
        ("Compare with active branch", "compare.open", False),
        ("Summarise from here", "compaction.open_from", True),
        ("Summarise up to here", "compaction.open_up_to", False),
        ("Show context here", "show_context_at", False),
        ("Move subtree to trash", "branches.trash", True),
    ],
)
def test_the_context_menu(
    view: BranchesView, acts: Mock, session: Session, text: str, called: str, first: bool
) -> None:
    view.select(int(session.ported))
    menu = menu_of(view, 1)
    view.select(int(session.end))  # such as by a reply that has just been stored
    next(action for action in menu.actions() if action.text().startswith(text)).trigger()
    entry = int(session.port) + 1 if first else int(session.ported)
    assert attrgetter(called)(acts).mock_calls == [call(entry)]
    menu.close()


def test_the_menu_of_a_row_that_is_gone_does_nothing(view: BranchesView, acts: Mock, session: Session) -> None:
    menu = menu_of(view, 1)
    view.clear()
    for action in menu.actions():
        action.trigger()
    assert acts.mock_calls == []
    menu.close()


def menu_of(view: BranchesView, row: int) -> QMenu:
    view.list.menu_given.emit(row, view.list.row_rect(row).center())
    menu = view.findChild(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert menu is not None
    return menu


def test_the_tooltip_shows_words_as_they_are(qtbot: QtBot, theme: Theme) -> None:
    story = DigestInput()
    story.ask(None, "<b>bold</b>")
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.show()
    view.show_tree(story.tree, 0)
    at = centre(view, 0)
    QApplication.sendEvent(
        view.list.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, view.list.viewport().mapToGlobal(at))
    )
    assert QToolTip.text() == "<qt>&lt;b&gt;bold&lt;/b&gt;<br>current leaf</qt>"
    QToolTip.hideText()


# -- searching -------------------------------------------------------------------------------------------------------


def test_searching_dims_and_jumps(qtbot: QtBot, view: BranchesView, session: Session) -> None:
    view.set_find(lambda query, _stopped: {int(session.port), int(session.wrapped)} if query == "port" else set())
    view.list.model.fold_sides()
    press(view, Key.Key_Slash)
    assert not view.search.isHidden()
    QTest.keyClicks(view.search.field, "port")
    QTest.keyClick(view.search.field, Key.Key_Return)
    assert text_of(view) == "Port the selectors"
    QTest.keyClick(view.search.field, Key.Key_Return)
    assert text_of(view) == "Wrapping breaks width"  # it was folded away
    QTest.keyClick(view.search.field, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert text_of(view) == "Port the selectors"
    assert press(view, Key.Key_F3) == "Wrapping breaks width"
    assert view.search.count.text() == "2 of 2"
    QTest.keyClick(view.search.field, Key.Key_Escape)
    assert view.search.isHidden()
    assert view.list.model.match_count is None


def test_a_search_that_finds_nothing_says_so(qtbot: QtBot, view: BranchesView) -> None:
    view.set_find(lambda _query, _stopped: set())
    view.search.open()
    QTest.keyClicks(view.search.field, "zebra")
    qtbot.waitUntil(lambda: view.search.count.text() == "none")
    view.grab()
    QTest.keyClick(view, Key.Key_Escape)
    assert view.search.isHidden()


def _with_late_answers(
    qtbot: QtBot, theme: Theme, session: Session, find: Callable[[str], set[int]]
) -> tuple[BranchesView, list[Callable[[], None]]]:
    """Return a view whose searches are answered when the returned functions are called."""
    waiting: list[Callable[[], None]] = []
    view = BranchesView(
        theme,
        MemoryPages(session.entries),
        actions_of(theme),
        compute=lambda job, done: waiting.append(lambda: done(job())),
        find=lambda query, _stopped: find(query),
    )
    qtbot.addWidget(view)
    view.show_tree(session.tree, int(session.end))
    waiting.pop()()
    return view, waiting


def test_late_answers_are_dropped(qtbot: QtBot, theme: Theme, session: Session) -> None:
    view, waiting = _with_late_answers(qtbot, theme, session, lambda query: {0} if query == "new" else {0, 5})
    view.search.query_changed.emit("old")
    view.search.query_changed.emit("new")
    for answer in reversed(waiting):
        answer()
    assert view.list.model.match_count == 1


def test_a_jump_that_waits_for_the_matches_goes_on_from_its_entry(
    qtbot: QtBot, theme: Theme, session: Session
) -> None:
    view, waiting = _with_late_answers(qtbot, theme, session, lambda _: {int(session.port), int(session.theme)})
    view.select(int(session.theme))
    view.search.query_changed.emit("old")
    view.search.jump_requested.emit(-1)
    view.list.model.fold_sides()  # the row of the theme has another number now
    waiting.pop()()
    assert text_of(view) == "Port the selectors"


# -- state -----------------------------------------------------------------------------------------------------------


def test_the_state_comes_back(qtbot: QtBot, theme: Theme, view: BranchesView, session: Session) -> None:
    view.set_density(Density.NO_TOOLS)
    view.select(int(session.theme))
    view.list.model.fold(2, fold=True)
    state = json.loads(json.dumps(view.state()))
    other = BranchesView(theme, MemoryPages(session.entries), actions_of(theme))
    qtbot.addWidget(other)
    other.restore(state)
    assert other.state() == state
    other.show_tree(session.tree, int(session.end))
    assert other.state() == state
    assert text_of(other) == "Port the theme"


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"density": "odd", "selected": "x", "folded": 3, "top": [1]},
        {"density": 5, "folded": ["a", None, 10**30], "top": ["a", 0], "selected": True},
        {"selected": 10**30, "top": [10**30, 3]},
    ],
)
def test_a_state_of_another_form_is_passed_over(view: BranchesView, session: Session, value: dict[str, Any]) -> None:
    view.restore(value)
    assert view.density is Density.TURNS
    assert view.selected == int(session.end)
    assert len(view.list.model) == ROWS
