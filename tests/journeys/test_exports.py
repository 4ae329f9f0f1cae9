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
    assert (
        dialog.headline.text()
        == "2 sessions from 1 file, 16 new entries\N{NO-BREAK SPACE}· 1 conversation not imported."
    )
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


def open_menu(person: Person, row: int) -> QMenu:
    """Click on a row of the list with the right button, and return the menu that opens."""
    view = person.window.sessions
    place = view.list.visualRect(view.model.index(row)).center()
    there = view.list.viewport().mapToGlobal(place)
    QApplication.sendEvent(view.list.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, there))
    return next(menu for menu in view.findChildren(QMenu) if menu.isVisible())


def asked_file(person: Person) -> str:
    """Wait for the dialog of an export, close it, and return the file name that it suggests."""
    person.until(lambda: person.window.findChild(QFileDialog) is not None)
    dialog = person.window.findChild(QFileDialog)
    assert dialog is not None
    (name,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    dialog.reject()
    return name.text()


def test_the_menu_of_a_session_that_is_not_open_acts_on_it(person: Person) -> None:
    person.drop(DATA / "claude_ai")
    person.until(lambda: len(titles(person)) == 2)
    opened, view = person.gui.opened.key, person.window.sessions
    other = next(key for key in view.model.listing.by_key if key != opened)
    title = view.model.listing.by_key[other].title
    person.until(lambda: [session.key for session in view.selected] == [opened])
    row = view.model.row_of(other)
    assert row is not None
    menu = open_menu(person, row)
    menu.close()  # the chosen action is triggered in the same turn
    person.window.actions_table["star"].trigger()
    person.window.actions_table["export-listed"].trigger()
    assert asked_file(person).startswith(title)
    person.until(lambda: view.model.listing.by_key[other].starred)
    assert person.gui.opened.key == opened
    assert [session.key for session in view.selected] == [opened]


def test_a_session_is_exported_from_its_menu_while_no_session_is_open(person: Person) -> None:
    person.gui.importing.import_paths([str(DATA / "claude_ai")], opens=False)
    person.until(lambda: len(titles(person)) == 2)
    assert person.gui.opened.key is None
    view = person.window.sessions
    session = next(iter(view.model.listing.by_key.values()))
    row = view.model.row_of(session.key)
    assert row is not None
    menu = open_menu(person, row)
    assert all(action.isEnabled() for action in menu.actions() if not action.isSeparator())
    export = person.window.actions_table["export-listed"]
    assert export in menu.actions()
    menu.close()
    export.trigger()
    assert asked_file(person).startswith(session.title)


def test_the_menu_of_several_sessions_has_only_what_acts_on_all_of_them(person: Person) -> None:
    person.drop(DATA / "claude_ai")
    person.until(lambda: len(titles(person)) == 2)
    view = person.window.sessions
    view.list.selectAll()
    assert len(view.selected) == 2
    row = view.model.row_of(view.selected[0].key)
    assert row is not None
    menu, actions = open_menu(person, row), person.window.actions_table
    for id in ("rename", "export-listed", "open-session-beside"):
        assert actions[id] not in menu.actions()
    assert actions["star"] in menu.actions()
    menu.close()
