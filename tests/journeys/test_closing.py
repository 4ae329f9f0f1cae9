"""What is left when no session is open."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.person import Person


def test_no_figures_of_a_session_stay_when_it_is_closed(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    assert person.window.status.texts[2].startswith("Auto-compact at")
    person.gui.opened.close()
    assert person.total() == "—"
    assert person.window.status.texts[1:] == ("", "")
