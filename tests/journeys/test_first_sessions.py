"""The first sessions come while somebody is busy in the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest

from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


def test_who_is_typing_goes_on(person: Person, session_file: Path) -> None:
    person.until(lambda: person.window.shows_welcome)
    person.window.actions_table["palette"].trigger()
    palette = person.window.palette_box
    QTest.keyClicks(palette.field, "open")
    person.application.services.importing.import_paths([session_file]).result(PATIENCE)
    person.until(lambda: not person.window.shows_welcome)
    assert palette.isVisible()
    assert palette.field.hasFocus()


def test_else_the_list_has_the_keys(person: Person, session_file: Path) -> None:
    person.until(lambda: person.window.shows_welcome)
    person.application.services.importing.import_paths([session_file]).result(PATIENCE)
    person.until(lambda: not person.window.shows_welcome)
    assert person.window.sessions.list.hasFocus()
