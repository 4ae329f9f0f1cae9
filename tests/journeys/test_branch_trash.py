"""Throwing a branch away in the real window, and getting it back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.journeys.person import Person


def test_a_branch_is_thrown_away_shown_and_brought_back(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    branches, head, leaf = person.window.branches, person.key("usr000b0"), person.leaf
    rows = branches.list.model
    person.until(lambda: rows.row_of(head) is not None)
    before = len(rows)
    branches.list.select(head)
    branches.list.setFocus()
    QTest.keyClick(branches.list, Qt.Key.Key_Delete)
    person.until(lambda: len(rows) < before)
    assert person.leaf == leaf
    assert person.window.toast.text.startswith("Branch moved to trash")

    person.window.actions_table["show-deleted"].trigger()
    person.until(lambda: len(rows) == before)
    row = rows.row_of(head)
    assert row is not None
    assert rows.is_trashed(row)
    branches.list.select(head)
    person.window.actions_table["trash-branch"].trigger()
    person.until(lambda: not person.tree.trash)
    person.window.actions_table["show-deleted"].trigger()
    person.until(lambda: len(rows) == before and not branches.shows_trash)


def test_the_undo_brings_branch_and_leaf_back(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    branches, head, leaf = person.window.branches, person.key("usr00005"), person.leaf
    person.until(lambda: branches.list.model.row_of(head) is not None)
    before = len(branches.list.model)
    person.gui.controllers.branches.trash(head)
    person.until(lambda: person.leaf == person.key("ans00004") and len(branches.list.model) < before)
    person.window.toast.click()
    person.until(lambda: person.leaf == leaf and not person.tree.trash)
    person.until(lambda: len(branches.list.model) == before)


def test_the_undo_stays_in_the_status_line_until_it_is_outdated(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    head, status, toast = person.key("usr000b0"), person.window.status, person.window.toast
    person.until(lambda: person.window.branches.list.model.row_of(head) is not None)
    person.gui.controllers.branches.trash(head)
    person.until(lambda: bool(person.tree.trash) and toast.isVisible())
    toast.rest()
    assert status.offer.text() == "Undo"
    assert person.window.actions_table["take-offer"].isEnabled()
    status.offer.click()
    person.until(lambda: not person.tree.trash)
    assert status.offer.isHidden()
    person.gui.controllers.branches.trash(head)
    person.until(lambda: bool(person.tree.trash) and toast.isVisible())
    toast.rest()
    assert not status.offer.isHidden()
    person.gui.controllers.branches.continue_from(person.key("ans00002"))
    person.until(status.offer.isHidden)
