"""Links are copied, and lead back to where they were made."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from stemmata import APPLICATION_ID
from stemmata.assets import resource
from stemmata.gui.window.single_instance import InstanceListener
from stemmata.gui.window.workspace import ACTION_LINKS
from stemmata.system.paths import Profile
from tests.journeys.person import Person

ROOT = Path(__file__).parents[2]


def test_a_link_to_an_entry_leads_back_to_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    entry, actions = person.key("ans000b0"), person.window.actions_table
    person.window.branches.view_requested.emit(entry)
    actions["copy-link"].trigger()
    link = QGuiApplication.clipboard().text()
    session = person.gui.opened.session
    assert session is not None
    assert link == f"stemmata://session/{session.id}/ans000b0"
    assert person.window.toast.text == "Copied 1 link."
    person.gui.opened.close()
    person.gui.open(link)
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert person.gui.opened.selection == entry
    assert entry in person.window.transcript.view.visible_keys


def test_a_link_to_a_session_opens_it_at_its_leaf(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    leaf = person.leaf
    person.until(lambda: bool(person.window.sessions.selected))
    person.window.actions_table["copy-session-link"].trigger()
    person.gui.opened.close()
    person.gui.open(QGuiApplication.clipboard().text())
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert person.gui.opened.selection == leaf


def test_links_that_lead_nowhere_are_told(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    session = person.gui.opened.session
    assert session is not None

    def is_told(text: str) -> bool:
        return text in person.window.banner.text

    for link, told in (
        ("stemmata://nowhere", "Not a link to a session"),
        ("stemmata://session/ffffffffff", "No session matches"),
        (f"stemmata://session/{session.id}/nothing", "nothing"),
    ):
        person.gui.open(link)
        person.until(partial(is_told, told))
    assert person.gui.opened.key == session.key


def test_a_link_reaches_the_running_window(person: Person, session_file: Path, tmp_path: Path) -> None:
    person.drop(session_file)
    session, entry = person.gui.opened.session, person.key("ans000b0")
    assert session is not None
    person.gui.listen(str(tmp_path / "w.socket"))
    person.window.showMinimized()
    listener = person.gui.findChild(InstanceListener)
    assert listener is not None
    listener.asked.emit(f"stemmata://session/{session.id}/ans000b0")
    person.until(lambda: person.gui.opened.selection == entry)
    assert not person.window.isMinimized()


def test_starting_again_hands_over(person: Person, session_file: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    person.gui.listen(Profile.choose({}, folder=str(profile)).socket)
    command = [sys.executable, "-m", "stemmata", "--profile", str(profile), "open", session_file.name]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "app")}
    with subprocess.Popen(command, env=environment, cwd=session_file.parent) as client:
        try:
            person.qtbot.waitUntil(lambda: client.poll() is not None)
        finally:
            client.kill()  # one that was not heard would show a window of its own and stay
    assert client.returncode == 0
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert person.window.transcript.header.title.startswith("Prompt number 0")


def test_the_desktop_knows_who_follows_links() -> None:
    entry = configparser.RawConfigParser(delimiters=("=",))
    entry.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    entry.read(resource("desktop", "share", "applications", f"{APPLICATION_ID}.desktop"), encoding="utf-8")
    known = entry["Desktop Entry"]
    assert "x-scheme-handler/stemmata" in known["MimeType"].split(";")
    assert known["Exec"] == "stemmata open %u"
    assert known["Icon"] == APPLICATION_ID
    actions = [entry[f"Desktop Action {name}"]["Exec"] for name in filter(None, known["Actions"].split(";"))]
    assert actions == [f"stemmata open {link}" for link in ACTION_LINKS]


def test_the_menu_of_the_desktop_starts_actions(person: Person) -> None:
    person.gui.open("stemmata://search")
    person.until(lambda: person.window.palette_box.isVisible())
    for link, action in ACTION_LINKS.items():
        assert link.startswith("stemmata://")
        assert not person.window.actions_table[action].text().endswith("…"), "it asks for nothing more"


def test_a_file_that_does_not_exist_is_called_so(person: Person) -> None:
    person.gui.open("notes/missing.jsonl")
    person.until(lambda: person.window.banner.text.startswith("File not found: notes/missing.jsonl."))
