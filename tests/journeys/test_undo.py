"""Undo and redo in the real window: what the menu says, one step for each thing done, and nothing that lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import delete

from stemmata.domain.sessions.steps import LIST
from tests.journeys.person import Person


def in_branches(person: Person) -> None:
    person.window.branches.list.setFocus()
    person.until(lambda: not person.gui.controllers.history.in_list)


def in_list(person: Person) -> bool:
    return person.gui.controllers.history.in_list


def says(person: Person, id: str, text: str) -> None:
    person.until(lambda: person.window.actions_table[id].text() == text)


def test_each_thing_is_one_step_that_the_menu_names(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    says(person, "undo", "Undo")
    branching, session = person.application.services.branching, person.gui.opened.key
    assert session is not None
    two = [person.key("ans00001"), person.key("ans00002")]
    branching.label(session, two[0], "known & good").result()
    says(person, "undo", "Undo label “known && good”")
    person.gui.controllers.branches.pin(two)
    says(person, "undo", "Undo 2 pins")
    for _ in range(2):  # the second key comes before the first is answered
        person.window.actions_table["undo"].trigger()
    person.until(lambda: not person.tree.labels and not person.tree.pins)
    says(person, "redo", "Redo label “known && good”")
    says(person, "undo", "Undo")
    assert person.window.toast.text == "Undone: label “known & good”."
    for _ in range(2):
        person.window.actions_table["redo"].trigger()
    person.until(lambda: len(person.tree.pins) == 2 and len(person.tree.labels) == 1)


def test_keys_that_come_before_the_menu_knows_the_step_undo_and_redo_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    rows, control = person.window.branches.list, Qt.KeyboardModifier.ControlModifier
    entry = person.key("ans00001")
    person.gui.controllers.branches.pin([entry])
    assert not person.window.actions_table["undo"].isEnabled()
    QTest.keyClick(rows, Qt.Key.Key_Z, control)
    assert not person.window.actions_table["redo"].isEnabled()
    QTest.keyClick(rows, Qt.Key.Key_Z, control | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(rows, Qt.Key.Key_Z, control)
    person.until(lambda: person.window.toast.text.startswith("Undone: pin of “"))
    says(person, "undo", "Undo")
    assert person.window.actions_table["redo"].isEnabled()
    person.until(lambda: not person.tree.pins)
    person.window.toast.withdraw()
    QTest.keyClick(rows, Qt.Key.Key_Z, control)
    person.until(lambda: person.window.toast.text == "Nothing to undo.")


def test_a_composer_that_a_move_filled_is_emptied_with_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    composer, leaf = person.window.transcript.composer, person.leaf
    person.gui.controllers.branches.continue_from(person.key("usr000b0"))
    person.until(lambda: composer.text == "Another approach: wrap before theming.")
    person.gui.controllers.history.undo()
    person.until(lambda: person.leaf == leaf and not composer.text)
    person.gui.controllers.history.redo()
    person.until(lambda: composer.text == "Another approach: wrap before theming.")


def test_in_the_list_of_sessions_its_steps_are_undone_as_well(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, entry = person.gui.opened.key, person.key("ans00002")
    in_branches(person)
    person.gui.controllers.branches.fork(entry)
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    fork = person.gui.opened.key
    person.window.sessions.list.setFocus()
    person.until(lambda: person.gui.controllers.history.scopes == (fork, LIST) and in_list(person))
    person.until(lambda: person.window.actions_table["undo"].text().startswith("Undo fork of “"))
    QTest.keyClick(person.window.sessions.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: person.gui.opened.key == first and fork not in person.gui.sessions.sessions)
    person.until(lambda: person.window.actions_table["redo"].isEnabled())
    person.window.actions_table["redo"].trigger()
    person.until(lambda: fork in person.gui.sessions.sessions)


def test_what_was_done_to_the_open_session_is_undone_wherever_the_focus_is(
    person: Person, session_file: Path
) -> None:
    """A fork, an archiving and a deletion open another session, in which the keys must take them back."""
    person.drop(session_file)
    first, entry, keys = person.gui.opened.key, person.key("ans00002"), person.window.transcript.view
    assert first is not None

    def press(shift: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(keys, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | shift)

    person.application.services.branching.fork(first, entry).result()  # a second session; not made in this window
    person.until(lambda: len(person.gui.sessions.sessions) == 2)
    keys.setFocus()
    # the fork belongs to the history of its origin, too, once the menu has read it
    person.until(lambda: person.window.actions_table["undo"].text().startswith("Undo fork of “"))
    for id, says_undo in (("trash", "Undo deletion of “"), ("archive", "Undo archiving of “")):
        # the step before has returned the session to the list
        person.until(lambda: [session.key for session in person.window.sessions.selected] == [first])
        person.window.actions_table[id].trigger()
        person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
        person.until(lambda: person.window.actions_table["undo"].text().startswith(says_undo))  # noqa: B023
        press()
        person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
        assert keys.hasFocus()
        press(Qt.KeyboardModifier.ShiftModifier)
        person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
        press()
        person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
    person.gui.controllers.branches.fork(entry)
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    press()  # before the menu knows the step
    person.until(lambda: person.gui.opened.key == first and len(person.gui.sessions.sessions) == 2)
    assert keys.hasFocus()
    press(Qt.KeyboardModifier.ShiftModifier)
    person.until(lambda: person.gui.opened.key != first and len(person.gui.sessions.sessions) == 3)


@pytest.mark.parametrize("done", ["fork", "trash", "archive"])
def test_after_a_restart_a_session_comes_back_wherever_the_focus_is(
    person: Person, session_file: Path, reopened: Callable[[], Person], done: str
) -> None:
    """A key asks about another session, which the user does not see; a fork that is open is undone at once."""
    person.drop(session_file)
    first = person.gui.opened.key
    assert first is not None
    person.application.services.branching.fork(first, person.key("ans00002")).result()
    person.until(lambda: len(person.gui.sessions.sessions) == 2)
    person.window.transcript.view.setFocus()
    person.window.actions_table[done].trigger()
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    left = person.gui.opened.key
    person = reopened()
    person.until(lambda: person.gui.opened.key == left and person.gui.opened.session_tree is not None)
    view, toast = person.window.transcript.view, person.window.toast
    view.setFocus()
    person.until(lambda: not in_list(person))
    what = {"fork": "fork of", "trash": "deletion of", "archive": "archiving of"}[done]
    person.until(lambda: person.window.actions_table["undo"].text().startswith(f"Undo {what} “"))
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    if done != "fork":
        person.until(lambda: toast.text.startswith(f"Undo outside this session: {what} “"))
        assert person.gui.opened.key == left
        toast.click()
    person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
    assert toast.text.startswith(f"Undone: {what} “")
    assert view.hasFocus()
    says_redo = person.window.actions_table["redo"]
    person.until(lambda: says_redo.text().startswith(f"Redo {what} “"))
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    person.until(lambda: person.gui.opened.key == left)


def test_a_deletion_is_not_undone_by_surprise_in_another_session(person: Person, session_file: Path) -> None:
    """In a session that was opened later, the action asks, also where a native menu bar hands the key on to it."""
    person.drop(session_file)
    first = person.gui.opened.key
    assert first is not None
    services, toast = person.application.services, person.window.toast
    for name in ("ans00001", "ans00002"):
        services.branching.fork(first, person.key(name)).result()
    person.until(lambda: len(person.gui.sessions.sessions) == 3)
    deleted, other = (key for key in person.gui.sessions.sessions if key != first)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    view = person.window.transcript.view

    def open_session(key: int) -> None:
        person.gui.open_session(key)
        person.until(lambda: person.gui.opened.key == key and person.gui.opened.session_tree is not None)
        view.setFocus()
        person.until(lambda: not in_list(person))

    open_session(deleted)
    person.window.actions_table["trash"].trigger()
    person.until(lambda: deleted not in person.gui.sessions.sessions)
    open_session(first)
    open_session(other)
    said = "Undo outside this session: deletion of “"
    for _ in range(3):  # the second key does not answer the question
        QTest.keyClick(view, Qt.Key.Key_Z, control)
        assert not toast.isVisible()
        person.until(lambda: toast.isVisible() and toast.text.startswith(said))
    assert person.gui.opened.key == other
    assert deleted not in person.gui.sessions.sessions
    leaf = person.leaf
    assert leaf is not None
    services.branching.label(other, leaf, "mine").result()
    says(person, "undo", "Undo label “mine”")
    services.sessions.trash([first], on=True).result()  # as another window does
    QTest.keyClick(view, Qt.Key.Key_Z, control)
    person.until(lambda: not person.tree.labels)
    QTest.keyClick(view, Qt.Key.Key_Z, control | shift)
    person.until(lambda: bool(person.tree.labels))
    QTest.keyClick(view, Qt.Key.Key_Z, control)
    person.until(lambda: not person.tree.labels)
    person.until(lambda: person.window.actions_table["undo"].text().startswith("Undo deletion of “"))
    person.window.actions_table["undo"].trigger()
    person.until(lambda: toast.isVisible() and toast.text.startswith(said))
    assert first not in person.gui.sessions.sessions
    toast.click()
    person.until(lambda: toast.text.startswith("Undone: deletion of “"))


def test_the_filter_leaves_undo_to_the_list_when_it_has_nothing_to_undo(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    field, control = person.window.sessions.filter, Qt.KeyboardModifier.ControlModifier
    field.setFocus()
    key = person.gui.opened.key
    assert key is not None
    person.window.actions_table["star"].trigger()
    person.until(lambda: person.gui.sessions.sessions[key].starred)
    QTest.keyClicks(field, "p")
    QTest.keyClick(field, Qt.Key.Key_Z, control)
    assert not field.text()
    QTest.keyClick(field, Qt.Key.Key_Z, control)
    person.until(lambda: not person.gui.sessions.sessions[key].starred)


def test_the_toast_undoes_its_own_step_and_no_other(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    head = person.key("usr000b0")
    person.gui.controllers.branches.trash(head)
    person.until(lambda: bool(person.tree.trash) and person.window.toast.isVisible())
    session = person.gui.opened.key
    assert session is not None
    person.application.services.branching.label(session, head, "later").result()
    person.window.toast.click()
    person.until(lambda: person.window.banner.isVisible())
    assert "Something else was done meanwhile" in person.window.banner.text
    assert person.tree.trash


def test_a_deleted_branch_looks_deleted_and_can_be_restored(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    head, branches, column = person.key("usr000b0"), person.window.branches, person.window.transcript
    person.gui.controllers.branches.trash(head)
    person.until(lambda: bool(person.tree.trash))
    person.window.actions_table["show-deleted"].trigger()
    rows = branches.list.model
    person.until(lambda: (at := rows.row_of(head)) is not None and rows.shown(at).row.deleted)
    row = branches.list.model.row_of(head)
    assert row is not None
    assert "deleted" in branches.list.model.accessible_name(row)
    person.gui.opened.view_entry(head)
    person.until(column.deleted.isVisible)
    column.deleted.restore.click()
    person.until(lambda: not person.tree.trash and not column.deleted.isVisible())


def test_a_transcript_never_runs_into_a_deleted_branch(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    in_branches(person)
    head = person.key("ans000b0")
    person.gui.controllers.branches.trash(head)
    person.until(lambda: bool(person.tree.trash))
    person.gui.opened.view_entry(person.key("usr000b0"))
    assert person.gui.opened.end == person.tree.parents[person.tree.index(head)]
    assert not person.window.transcript.deleted.isVisible()


def test_a_change_of_focus_while_a_window_is_deleted_is_ignored(person: Person, session_file: Path) -> None:
    """The views are deleted before the object that listens."""
    person.drop(session_file)
    in_branches(person)
    history, other = person.gui.controllers.history, QLineEdit(person.window)
    for deleted_first in (True, False):
        sessions, column = QWidget(person.window), QWidget(person.window)
        history.follow_focus(sessions, [column])
        delete(sessions if deleted_first else column)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.emit(None, other)
        assert not history.in_list
