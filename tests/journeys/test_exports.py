"""The export of a chat service, dropped on the window: its conversations are sessions with all their branches."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu

from stemmata.gui.sessions.model import SessionRole
from tests.journeys.person import Person
from tests.unit.formats.exports import zipped

DATA = Path(__file__).parents[1] / "data"


def titles(person: Person) -> list[str]:
    model = person.window.sessions.list.model()
    rows = (model.index(row, 0).data(SessionRole.SESSION) for row in range(model.rowCount()))
    return [session.title for session in rows if session is not None]


def test_a_dropped_archive_fills_the_list_and_shows_the_branches(person: Person, tmp_path: Path) -> None:
    export = (DATA / "chatgpt" / "conversations.json").read_bytes()
    person.drop(zipped(tmp_path / "export.zip", {"conversations.json": export, "user.json": b"{}"}))
    window = person.window
    person.until(lambda: len(titles(person)) == 2)
    assert set(titles(person)) == {"A kettle that clicks", "Bread"}
    dialog = window.import_dialog
    assert dialog.isVisible()
    assert dialog.headline.text() == "2 sessions, 16 new entries\N{NO-BREAK SPACE}· 1 conversation not imported."
    assert "user.json: no session" in dialog.report.toPlainText()
    services = person.application.services
    kettle = next(one for one in services.sessions.all().result() if one.title == "A kettle that clicks")
    person.gui.importing.session_wanted.emit(kettle.key)
    person.until(lambda: window.transcript.header.title == "A kettle that clicks")
    person.until(lambda: window.transcript.branch_text == "branch 2 of 3")
    assert person.leaf == person.key("k-a4")


def test_a_dropped_folder_of_claude_ai_fills_the_list(person: Person) -> None:
    person.drop(DATA / "claude_ai")
    person.until(lambda: len(titles(person)) == 2)
    assert set(titles(person)) == {"A clock that stops", "A name"}
    services = person.application.services
    clock = next(one for one in services.sessions.all().result() if one.title == "A clock that stops")
    person.gui.importing.session_wanted.emit(clock.key)
    person.until(lambda: person.window.transcript.branch_text == "branch 3 of 3")
    assert person.leaf == person.key("c-a4")


def test_the_menu_of_a_session_that_is_not_open_acts_on_it(person: Person) -> None:
    person.drop(DATA / "claude_ai")
    person.until(lambda: len(titles(person)) == 2)
    opened, view = person.gui.opened.key, person.window.sessions
    other = next(key for key in view.model.listing.by_key if key != opened)
    title = view.model.listing.by_key[other].title
    person.until(lambda: [session.key for session in view.selected] == [opened])
    row = view.model.row_of(other)
    assert row is not None
    place = view.list.visualRect(view.model.index(row)).center()
    there = view.list.viewport().mapToGlobal(place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, there)
    QApplication.sendEvent(view.list.viewport(), event)
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    menu.close()  # the chosen action is triggered in the same turn
    person.window.actions_table["star"].trigger()
    person.window.actions_table["export"].trigger()
    person.until(lambda: person.window.findChild(QFileDialog) is not None)
    dialog = person.window.findChild(QFileDialog)
    assert dialog is not None
    (name,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    assert name.text().startswith(title)
    dialog.reject()
    person.until(lambda: view.model.listing.by_key[other].starred)
    assert person.gui.opened.key == opened
    assert [session.key for session in view.selected] == [opened]
