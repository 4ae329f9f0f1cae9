"""The navigator without rows, and with little room for them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.view import BranchesView
from tests.gui.branches.conftest import ROWS, DigestInput, Session


def test_why_there_are_no_rows(view: BranchesView, session: Session) -> None:
    assert view.list.message == ""
    story = DigestInput()
    story.answer(story.ask(None, "Hello"), "Hello yourself")
    view.show_tree(story.tree, 1)
    view.set_density(Density.LABELLED)
    assert view.list.message.startswith("No turn has a label.")
    view.set_density(Density.TURNS)
    assert view.list.message == ""
    view.show_tree(DigestInput().tree, None)
    assert view.list.message == "No messages yet."
    view.clear()
    assert view.list.message == ""


def test_what_is_selected_stays_in_sight_in_less_room(view: BranchesView) -> None:
    rows = view.list
    view.resize(330, 200)
    rows.select(view.list.model.key(ROWS - 1))
    height = rows.viewport().height()
    QTest.keyClick(rows, Qt.Key.Key_Slash)
    QApplication.processEvents()
    assert rows.viewport().height() < height
    assert rows.viewport().rect().contains(rows.row_rect(ROWS - 1))
    rows.verticalScrollBar().setValue(0)
    view.resize(330, 190)
    QApplication.processEvents()
    assert rows.verticalScrollBar().value() == 0


def test_a_match_comes_in_sight_while_one_types(view: BranchesView) -> None:
    rows = view.list
    view.resize(330, 200)
    last = rows.model.key(ROWS - 1)
    rows.select(last)
    view.set_find(lambda _query, _stopped: {0})
    view.search.query_changed.emit("port")
    assert rows.is_in_sight(0)
    assert rows.selected == last
    before = rows.verticalScrollBar().value()
    view.set_find(lambda _query, _stopped: {0, ROWS - 1})
    view.search.query_changed.emit("por")
    assert rows.verticalScrollBar().value() == before  # one is there already
