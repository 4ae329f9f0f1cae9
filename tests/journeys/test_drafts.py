"""What was being written is there again: in another session, and after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap import Application, build
from tests.journeys.person import Person


@pytest.fixture
def restart(person: Person, qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], Person]]:
    """Close the window and open it again."""
    made: list[Application] = []

    def again() -> Person:
        person.application.close()
        made.append(build(["--profile", str(tmp_path / "profile")]))
        return Person(made[-1], qtbot)

    yield again
    for application in made:
        application.close()
    qtbot.wait(1)


def reopen(person: Person, key: int) -> None:
    person.gui.open_session(key)
    person.until(lambda: person.gui.opened.skeleton is not None)


def test_a_draft_typed_just_before_closing_is_there_after_a_restart(
    person: Person, session_file: Path, restart: Callable[[], Person]
) -> None:
    person.drop(session_file)
    key = person.gui.opened.key
    assert key is not None
    QTest.keyClicks(person.window.transcript.composer.editor, "half a thought")
    later = restart()
    reopen(later, key)
    composer = later.window.transcript.composer
    later.until(lambda: composer.text == "half a thought")
    QTest.keyClicks(composer.editor, ", whole")
    assert composer.text == "half a thought, whole"


def test_a_draft_is_kept_after_a_pause_and_on_another_session(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, composer = person.gui.opened.key, person.window.transcript.composer
    drafts = person.application.services.drafts
    assert first is not None
    QTest.keyClicks(composer.editor, "one")
    assert drafts.get(first).result(10) == ""
    person.until(lambda: drafts.get(first).result(10) == "one")
    QTest.keyClicks(composer.editor, " two")
    person.window.branches.fork_requested.emit(person.key("ans00002"))
    person.until(lambda: person.gui.opened.key not in (None, first) and person.gui.opened.skeleton is not None)
    assert composer.text == ""
    assert drafts.get(first).result(10) == "one two"
    reopen(person, first)
    assert composer.text == "one two"


def test_a_prompt_that_is_continued_from_wins_over_the_kept_draft(
    person: Person, session_file: Path, restart: Callable[[], Person]
) -> None:
    person.drop(session_file)
    key = person.gui.opened.key
    assert key is not None
    QTest.keyClicks(person.window.transcript.composer.editor, "old")
    later = restart()
    later.gui.open_session(key)
    composer = later.window.transcript.composer
    composer.put("the prompt")
    later.until(lambda: later.gui.opened.skeleton is not None)
    later.application.services.drafts.get(key).result(10)
    later.qtbot.wait(50)
    assert composer.text == "the prompt"
