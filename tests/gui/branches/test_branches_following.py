"""Who left a session at its leaf finds the leaf in sight, however much was said since."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import MemoryPages, Session, actions_of

LOW, HIGH = 180, 2000  # pixels; all rows fit the second


@pytest.fixture
def other(qtbot: QtBot, theme: Theme, session: Session) -> Iterator[BranchesView]:
    """A view that is lower than the session is long."""
    made = shown(qtbot, theme, session)
    made.resize(320, LOW)
    yield made
    made.close()


def shown(qtbot: QtBot, theme: Theme, session: Session) -> BranchesView:
    view = BranchesView(theme, MemoryPages(session.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(320, HIGH)
    view.show()
    return view


def is_leaf_in_sight(view: BranchesView) -> bool:
    row = view.list.model.leaf_row
    assert row is not None
    return view.list.is_in_sight(row)


def test_the_leaf_is_in_sight_again(qtbot: QtBot, theme: Theme, session: Session, other: BranchesView) -> None:
    before = shown(qtbot, theme, session)
    before.show_tree(session.tree, int(session.end))
    assert is_leaf_in_sight(before)
    other.restore(before.state())
    other.show_tree(session.tree, int(session.end))
    assert is_leaf_in_sight(other)


def test_who_had_scrolled_away_is_left_there(
    qtbot: QtBot, theme: Theme, session: Session, other: BranchesView
) -> None:
    other.show_tree(session.tree, int(session.end))
    other.list.verticalScrollBar().setValue(0)
    assert not is_leaf_in_sight(other)
    again = shown(qtbot, theme, session)
    again.resize(320, LOW)
    again.restore(other.state())
    again.show_tree(session.tree, int(session.end))
    assert not is_leaf_in_sight(again)
    assert again.list.anchor == other.list.anchor


def test_a_new_leaf_that_is_selected_before_its_row_is_there_comes_into_sight(
    session: Session, other: BranchesView
) -> None:
    other.show_tree(session.tree, int(session.end))
    other.list.select(int(session.port))
    end = session.ask(session.end, "And now?")
    other.select(int(end))
    other.show_tree(session.tree, int(end))
    assert other.list.selected_row == other.list.model.leaf_row
    assert is_leaf_in_sight(other)
