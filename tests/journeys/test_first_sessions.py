"""The first sessions come while somebody is busy in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
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


def test_a_session_that_is_chosen_before_all_is_loaded_has_its_keys(
    restart: Callable[[], Person], person: Person, session_file: Path
) -> None:
    """The actions of the list are created after the first paint; a session may have been clicked by then."""
    person.drop(session_file)
    again = restart()
    again.window.show()
    again.until(lambda: again.window.sessions_model.shown == 1)
    key = next(session.key for session in again.gui.sessions.sessions.values())
    again.gui.open_session(key)
    again.until(lambda: again.gui.opened.session_tree is not None)
    assert again.window.sessions.selected
    assert again.window.actions_table["rename"].isEnabled()
    QTest.keyClick(again.window.sessions.list, Qt.Key.Key_F2)
    again.until(again.window.rename_popup.isVisible)
