"""Where the keys go right after the start."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from stemmata.bootstrap import build
from tests.journeys.person import Person


def test_with_nothing_imported_the_demo_is_one_key_away(person: Person) -> None:
    person.until(lambda: person.window.focusWidget() is person.window.welcome.demo_button)


def test_the_list_of_sessions_has_the_focus(person: Person, session_file: Path, qtbot: QtBot, tmp_path: Path) -> None:
    person.drop(session_file)
    person.application.close()
    again = build(["--profile", str(tmp_path / "profile")])
    again.window.show()
    again.window.activateWindow()
    qtbot.waitUntil(lambda: again.window.focusWidget() is again.window.sessions.list, timeout=10_000)
    again.close()
    qtbot.wait(1)
