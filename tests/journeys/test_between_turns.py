"""Clicks and keys between the turns of the event loop in which the window shows something new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.journeys.person import Person

ON_THE_PATH, ASIDE = "ans00001", "ans000b0"


@pytest.fixture
def reader(person: Person, session_file: Path) -> Person:
    """A person with the focus in the branches of an open session."""
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    person.window.branches.list.setFocus()
    return person


def click(person: Person, key: int) -> None:
    rows = person.window.branches.list
    row = rows.model.row_of(key)
    assert row is not None
    rows.show_row(row)
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.row_rect(row).center())
    assert rows.selected_row == row


def at_next_tree(person: Person, do: Callable[[], object]) -> list[bool]:
    """Do something in the turn in which the next tree is shown; the list is empty until then."""
    done: list[bool] = []

    def once() -> None:
        if not done:
            done.append(True)
            do()

    person.gui.opened.tree_read.connect(once)  # after all others that show the tree
    return done


def until_settled(person: Person) -> None:
    """Wait until no turn is left that shows something of the tree."""
    opened, branches = person.gui.opened, person.window.branches
    person.until(lambda: not branches.is_choosing and not opened.is_behind)
    person.until(lambda: not person.gui.controllers.context.is_behind)


def test_a_row_that_is_clicked_in_the_turn_that_shows_a_new_leaf_stays_selected(reader: Person) -> None:
    chosen, leaf = reader.key(ON_THE_PATH), reader.key(ASIDE)
    done = at_next_tree(reader, lambda: click(reader, chosen))
    reader.gui.controllers.branches.continue_from(leaf)
    reader.until(lambda: bool(done))
    until_settled(reader)
    assert (reader.leaf, reader.gui.opened.selection, reader.window.branches.selected) == (leaf, chosen, chosen)


def test_a_row_that_is_clicked_before_the_new_leaf_arrives_stays_selected(reader: Person) -> None:
    chosen, leaf = reader.key(ON_THE_PATH), reader.key(ASIDE)
    reader.gui.controllers.branches.continue_from(leaf)
    click(reader, chosen)
    reader.until(lambda: reader.leaf == leaf)
    until_settled(reader)
    assert (reader.gui.opened.selection, reader.window.branches.selected) == (chosen, chosen)


def test_an_entry_that_is_chosen_elsewhere_before_the_new_leaf_arrives_stays_selected(reader: Person) -> None:
    chosen, leaf = reader.key(ON_THE_PATH), reader.key(ASIDE)
    reader.gui.controllers.branches.continue_from(leaf)
    reader.gui.opened.select(chosen)  # a click on its card
    reader.until(lambda: reader.leaf == leaf)
    until_settled(reader)
    assert reader.gui.opened.selection == chosen


def test_a_transcript_that_is_scrolled_in_the_turn_that_shows_a_new_leaf_stays_where_it_is(reader: Person) -> None:
    leaf, bar = reader.key("ans00006"), reader.window.transcript.view.verticalScrollBar()
    ends: list[bool] = []
    reader.window.resize(reader.window.width(), 600)  # the path is as long as two of its pages
    until_settled(reader)

    def scroll() -> None:
        ends.append(bar.value() == bar.maximum() > 0)  # the end of the new path is shown in this turn
        bar.setValue(0)

    at_next_tree(reader, scroll)
    reader.gui.controllers.branches.continue_from(leaf)
    reader.until(lambda: reader.leaf == leaf)
    until_settled(reader)
    assert (ends, bar.value(), reader.gui.opened.selection) == ([True], 0, leaf)


def test_without_a_click_the_new_leaf_is_selected(reader: Person) -> None:
    leaf = reader.key(ASIDE)
    click(reader, reader.key(ON_THE_PATH))
    reader.gui.controllers.branches.continue_from(leaf)
    reader.window.branches.cancel_view_request()  # as all actions on a row do
    reader.until(lambda: reader.leaf == leaf)
    until_settled(reader)
    assert reader.gui.opened.selection == leaf
    reader.until(lambda: reader.window.branches.selected == leaf)


def test_a_key_in_the_turn_that_shows_a_session_acts_on_its_entry(person: Person, session_file: Path) -> None:
    """The context is shown in a later turn; until then the actions on an entry were disabled, and keys lost."""
    enabled: list[bool] = []
    at_next_tree(person, lambda: enabled.append(person.window.actions_table["label"].isEnabled()))
    person.drop(session_file)
    assert enabled == [True]


def test_a_key_in_the_turn_that_shows_a_new_leaf_does_not_act_on_the_old_one(reader: Person) -> None:
    leaf, old = reader.key(ASIDE), reader.leaf
    reader.until(lambda: reader.window.branches.selected == old)
    selected: list[int | None] = []
    at_next_tree(reader, lambda: selected.append(reader.window.branches.selected))
    reader.gui.controllers.branches.continue_from(leaf)
    reader.until(lambda: reader.leaf == leaf)
    assert selected == [leaf]
