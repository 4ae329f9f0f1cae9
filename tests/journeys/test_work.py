"""An import is seen in the status line, and can be stopped there."""

from __future__ import annotations

from pathlib import Path

from stemmata.services.importing.importing import Progress
from tests.journeys.person import Person


def test_an_import_shows_how_far_it_is(person: Person, session_file: Path) -> None:
    importing, status = person.gui.importing, person.window.status
    importing.import_paths([str(session_file)])
    assert not status.work.isHidden()
    assert status.work.text == "Importing…"
    importing._on_progress(Progress(3, 12, "/somewhere/file.jsonl"))
    assert status.work.text == "Importing file 4 of 12"
    assert (status.work.bar.value(), status.work.bar.maximum()) == (3, 12)
    person.until(lambda: status.work.isHidden())
    person.until(lambda: person.gui.opened.session_tree is not None)


def test_it_is_stopped_there(person: Person, session_file: Path) -> None:
    importing, status = person.gui.importing, person.window.status
    importing.import_paths([str(session_file)])
    status.work.button.click()
    assert importing._stop.is_set()
    assert not status.work.button.isEnabled()
    person.until(lambda: status.work.isHidden())
    status.work.button.click()
