"""How the navigator looks, and what screen readers are told of it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.turns import TurnSteps, paint_in_turns
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import ROWS, DigestInput, MemoryPages, Session, actions_of
from tests.gui.theme.columns_window import Painted

# -- looks -----------------------------------------------------------------------------------------------------------


def test_both_schemes_and_every_density_are_painted(qtbot: QtBot, view: BranchesView, theme: Theme) -> None:
    images: set[bytes] = set()
    for scheme in ("dark", "light"):
        theme.set_scheme(scheme)
        for density in Density:
            view.set_density(density)
            image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
            images.add(bytes(image.constBits()))
    assert len(images) == 10


def test_a_tree_of_many_lanes_leaves_room_for_words(qtbot: QtBot, theme: Theme) -> None:
    story = DigestInput()
    first = story.ask(None, "start")
    spine = [first]
    for _ in range(40):
        spine.append(story.ask(spine[-1], "side"))
    for at in reversed(spine):
        story.ask(at, "on")  # newer than all of the side branch: the line goes on here
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, int(first))
    view.grab()
    assert view.list.model.deepest == 40
    assert view.list._graph.width < 165


def seen(view: BranchesView) -> QImage:
    return view.list.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_the_rows_of_a_session_are_seen_until_the_next_one_has_rows_and_take_no_clicks(
    view: BranchesView, theme: Theme, session: Session
) -> None:
    theme.takes_turns = True
    before, chosen = seen(view), list[int]()
    view.list.row_selected.connect(chosen.append)
    view.clear(keeps_picture=True)
    assert seen(view) == before
    view.clear(keeps_picture=True)  # another session is chosen before the first one was read
    assert seen(view) == before
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 30))
    QTest.keyClick(view.list, Qt.Key.Key_Up)
    assert not chosen
    other = DigestInput()
    other.ask(None, "Another session")
    view.show_tree(other.tree, 0)
    assert seen(view) != before


def test_the_picture_of_rows_that_wait_for_their_turn_is_not_empty(
    view: BranchesView, theme: Theme, session: Session
) -> None:
    theme.takes_turns = True
    before, steps = seen(view), TurnSteps(view)
    paint_in_turns((view.list,), steps)
    view.clear(keeps_picture=True)
    assert not view.list.updatesEnabled()
    steps.finish()
    assert seen(view) == before


def test_the_picture_of_rows_lays_out_no_hidden_page(view: BranchesView, theme: Theme, session: Session) -> None:
    """All hidden pages of the window took a frame."""
    theme.takes_turns = True
    hidden = Painted(view)
    hidden.resize(300, 200)
    view.clear(keeps_picture=True)
    assert hidden.resizes == 0


def test_placeholders_replace_the_rows_of_a_session_that_was_left(
    view: BranchesView, theme: Theme, session: Session
) -> None:
    theme.takes_turns = True
    before = seen(view)
    view.clear(keeps_picture=True)
    view.list.show_waiting()
    placeholders = seen(view)
    assert placeholders != before
    view.clear(keeps_picture=True)
    assert seen(view) == placeholders
    view.clear()
    assert not view.list.is_waiting
    assert seen(view) not in (before, placeholders)


# -- screen readers --------------------------------------------------------------------------------------------------


def test_rows_are_items_of_a_list(view: BranchesView) -> None:
    interface = QAccessible.queryAccessibleInterface(view.list)
    assert interface.role() is QAccessible.Role.List
    assert interface.text(QAccessible.Text.Name) == "Branches"
    assert interface.childCount() == ROWS
    item = interface.child(8)
    assert item.role() is QAccessible.Role.ListItem
    assert item.text(QAccessible.Text.Name) == "You: Two, version 2 of 3, pinned, on active path"
    assert item.text(QAccessible.Text.Description) == ""
    assert interface.indexOfChild(item) == 8
    assert item.isValid()
    assert item.childCount() == 0
    assert item.rect().height() == view.list.row_height
    assert interface.child(ROWS) is None


def test_screen_readers_know_where_the_keyboard_is(view: BranchesView, session: Session) -> None:
    view.select(int(session.two))
    interface = QAccessible.queryAccessibleInterface(view.list)
    focused = interface.focusChild()
    assert interface.indexOfChild(focused) == 8
    assert focused.state().selected
    assert not interface.child(7).state().selected
    at = view.point_of(int(session.two))
    assert interface.indexOfChild(interface.childAt(at.x(), at.y())) == 8
