"""Deleting for good: out of the trash alone, and only after a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from stemmata.gui.sessions.model import SessionRole
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def in_trash(person: Person, session_file: Path) -> int:
    """Return the key of a session that is selected in the trash."""
    person.drop(session_file)
    key, model, actions = person.gui.opened.key, person.window.sessions_model, person.window.actions_table
    assert key is not None
    person.until(lambda: bool(person.window.sessions.selected))
    assert not actions["delete"].isEnabled()
    actions["trash"].trigger()
    person.until(lambda: model.total == 0)
    actions["show-trash"].setChecked(True)
    person.until(lambda: model.total == 1)
    person.window.sessions.select(model.index(1).data(SessionRole.KEY))
    return key


def asked(person: Person) -> QMessageBox:
    person.window.actions_table["delete"].trigger()
    box = person.gui.controllers.sessions.question
    assert box is not None
    return box


def test_cancel_keeps_it(person: Person, in_trash: int) -> None:
    box = asked(person)
    assert box.text() == "Delete “Prompt number 0: please look at module 0” with its 36 entries?"
    assert box.textFormat() is Qt.TextFormat.PlainText  # a title is not read as markup
    assert box.isModal()
    cancel = box.button(QMessageBox.StandardButton.Cancel)
    assert box.defaultButton() is cancel
    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)
    person.until(lambda: person.gui.controllers.sessions.question is None)
    assert person.application.services.sessions.get(in_trash).result(PATIENCE).trashed


def test_after_the_question_it_is_gone(person: Person, in_trash: int) -> None:
    box, services = asked(person), person.application.services
    (delete,) = [button for button in box.findChildren(QPushButton) if button.text() == "Delete permanently"]
    QTest.mouseClick(delete, Qt.MouseButton.LeftButton)
    person.until(lambda: person.window.sessions_model.total == 0)
    assert services.sessions.all(trashed=True).result(PATIENCE) == services.sessions.all().result(PATIENCE) == []
    assert services.sessions.check().result(PATIENCE) == []
    person.until(lambda: person.window.toast.text == "Deleted 1 session permanently.")


def test_a_session_that_is_open_from_the_trash_is_closed_when_it_is_deleted(person: Person, in_trash: int) -> None:
    person.gui.open_session(in_trash)
    person.until(lambda: person.gui.opened.session_tree is not None)
    box = asked(person)
    (delete,) = [button for button in box.findChildren(QPushButton) if button.text() == "Delete permanently"]
    QTest.mouseClick(delete, Qt.MouseButton.LeftButton)
    person.until(lambda: person.gui.opened.key is None)
    assert not person.window.transcript.view.visible_keys
    person.until(lambda: person.window.toast.text == "Deleted 1 session permanently.")
    assert not person.window.banner.isVisible()


def test_a_session_that_is_deleted_while_the_trash_is_listed_is_closed(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.gui.opened.session_tree is not None)
    key, services = person.gui.opened.key, person.application.services
    assert key is not None
    person.window.actions_table["show-trash"].setChecked(True)
    person.until(lambda: person.window.sessions_model.total == 0)
    services.sessions.trash([key], on=True).result(PATIENCE)
    person.until(lambda: person.window.sessions_model.total == 1)
    assert person.gui.opened.key == key
    services.sessions.delete([key]).result(PATIENCE)
    person.until(lambda: person.gui.opened.key is None)


def test_the_welcome_page_does_not_cover_an_empty_trash(person: Person, in_trash: int) -> None:
    person.application.services.sessions.delete([in_trash]).result(PATIENCE)
    person.until(lambda: person.window.sessions_model.total == 0)
    person.until(lambda: person.gui.opened.key is None)
    assert not person.window.shows_welcome
    person.window.actions_table["show-trash"].setChecked(False)
    person.until(lambda: person.window.shows_welcome)


def test_nothing_outside_the_trash_is_deleted(person: Person, in_trash: int) -> None:
    person.window.actions_table["trash"].trigger()
    person.until(lambda: person.window.sessions_model.total == 0)
    person.window.actions_table["show-trash"].setChecked(False)
    person.until(lambda: bool(person.window.sessions.selected))
    assert not person.window.actions_table["delete"].isEnabled()
    person.gui.controllers.sessions.ask_to_delete()
    assert person.gui.controllers.sessions.question is None
    assert not person.application.services.sessions.get(in_trash).result(PATIENCE).trashed


def test_the_delete_key_in_the_list_trashes_and_asks_in_the_trash(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    rows, model = person.window.sessions.list, person.window.sessions_model
    person.until(lambda: bool(person.window.sessions.selected))
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    person.until(lambda: model.total == 0)
    person.window.actions_table["show-trash"].setChecked(True)
    person.until(lambda: model.total == 1)
    person.window.sessions.select(model.index(1).data(SessionRole.KEY))
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    box = person.gui.controllers.sessions.question
    assert box is not None
    QTest.keyClick(box, Qt.Key.Key_Escape)
    person.until(lambda: person.gui.controllers.sessions.question is None)
    assert model.total == 1


def test_a_session_that_was_deleted_meanwhile_does_not_stay_open(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.gui.opened.session_tree is not None)
    key = person.gui.opened.key
    assert key is not None
    services = person.application.services
    services.sessions.trash([key], on=True).result(PATIENCE)
    services.sessions.delete([key]).result(PATIENCE)
    person.until(lambda: person.gui.opened.key is None)
    person.gui.open_session(key)  # as from a list that does not know it yet
    person.until(lambda: person.gui.opened.key is None)
    assert person.window.banner.text == f"Session {key} does not exist."
