"""Links are copied, and lead back to where they were made."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication

from tests.journeys.person import Person


def test_a_link_to_an_entry_leads_back_to_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    entry, actions = person.key("ans000b0"), person.window.actions_table
    person.window.branches.look_requested.emit(entry)
    actions["copy-link"].trigger()
    link = QGuiApplication.clipboard().text()
    session = person.gui.opened.session
    assert session is not None
    assert link == f"stemmata://session/{session.id}/ans000b0"
    assert person.window.toast.text == "Copied 1 link."
    person.gui.opened.close()
    person.gui.open(link)
    person.until(lambda: person.gui.opened.skeleton is not None)
    assert person.gui.opened.selection == entry
    assert entry in person.window.transcript.view.visible_keys


def test_a_link_to_a_session_opens_it_at_its_leaf(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    leaf = person.leaf
    person.until(lambda: bool(person.window.sessions.selected))
    person.window.actions_table["copy-session-link"].trigger()
    person.gui.opened.close()
    person.gui.open(QGuiApplication.clipboard().text())
    person.until(lambda: person.gui.opened.skeleton is not None)
    assert person.gui.opened.selection == leaf


def test_links_that_lead_nowhere_are_told(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    session = person.gui.opened.session
    assert session is not None
    for link, told in (
        ("stemmata://nowhere", "no link to a session"),
        ("stemmata://session/ffffffffff", "no session"),
        (f"stemmata://session/{session.id}/nothing", "nothing"),
    ):
        person.gui.open(link)
        person.until(lambda told=told: told in person.window.banner.text)  # type: ignore[misc]  # bound now
    assert person.gui.opened.key == session.key
