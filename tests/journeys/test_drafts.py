"""What was being written is there again: in another session, and after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import name_of
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def key(person: Person, session_file: Path) -> int:
    """The key of the open session."""
    person.drop(session_file)
    key = person.gui.opened.key
    assert key is not None
    return key


def reopen(person: Person, key: int) -> None:
    person.gui.open_session(key)
    person.until(lambda: person.gui.opened.session_tree is not None)


def test_a_draft_typed_just_before_closing_is_there_after_a_restart(
    person: Person, key: int, restart: Callable[[], Person]
) -> None:
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
    assert drafts.get(first).result(PATIENCE) == ""
    person.until(lambda: drafts.get(first).result(PATIENCE) == "one")
    QTest.keyClicks(composer.editor, " two")
    person.gui.controllers.branches.fork(person.key("ans00002"))
    person.until(lambda: person.gui.opened.key not in (None, first) and person.gui.opened.session_tree is not None)
    assert composer.text == ""
    assert drafts.get(first).result(PATIENCE) == "one two"
    reopen(person, first)
    assert composer.text == "one two"


def test_a_prompt_that_is_continued_from_wins_over_the_kept_draft(
    person: Person, key: int, restart: Callable[[], Person]
) -> None:
    QTest.keyClicks(person.window.transcript.composer.editor, "old")
    later = restart()
    later.gui.open_session(key)
    composer = later.window.transcript.composer
    composer.put("the prompt")
    later.until(lambda: later.gui.opened.session_tree is not None)
    later.application.services.drafts.get(key).result(PATIENCE)
    later.qtbot.wait(50)
    assert composer.text == "the prompt"


# -- what is attached ---------------------------------------------------------------------------------------------


def chips(person: Person) -> list[str]:
    rows = person.window.transcript.composer.attachments.rows
    return [row.attached.name for row in rows if row.attached.is_ready]


def attach(person: Person, folder: Path) -> None:
    (folder / "notes.txt").write_text("Remember the milk.", encoding="utf-8")
    picture = QImage(8, 8, QImage.Format.Format_RGB32)
    picture.fill(0)
    assert picture.save(str(folder / "shot.png"))
    composer = person.window.transcript.composer
    composer.editor.files_given.emit([str(folder / "notes.txt"), str(folder / "shot.png")])
    person.until(lambda: chips(person) == ["notes.txt", "shot.png"])


def test_what_is_attached_is_there_after_a_restart_and_goes_with_the_message(
    person: Person, key: int, restart: Callable[[], Person], tmp_path: Path
) -> None:
    attach(person, tmp_path)
    QTest.keyClicks(person.window.transcript.composer.editor, "look")
    later = restart()
    reopen(later, key)
    later.until(lambda: chips(later) == ["notes.txt", "shot.png"])
    composer, drafts = later.window.transcript.composer, later.application.services.drafts
    assert composer.text == "look"
    assert composer.attachments.rows[1].attached.picture is not None
    composer.attachments.rows[0].remove.click()
    later.until(lambda: len(drafts.attached(key).result(PATIENCE)) == 1)
    blocks, files = later.gui.controllers.chat.drafts.take()
    assert ([name_of(block) for block in blocks], len(files)) == (["shot.png"], 1)
    later.gui.controllers.chat.drafts.restore_unsent(key)
    assert chips(later) == ["shot.png"]


def test_a_file_attached_while_the_kept_ones_are_read_takes_none_of_their_places(
    person: Person, key: int, restart: Callable[[], Person], tmp_path: Path
) -> None:
    attach(person, tmp_path)
    later = restart()
    later.gui.open_session(key)
    (tmp_path / "more.txt").write_text("More.", encoding="utf-8")
    later.window.transcript.composer.editor.files_given.emit([str(tmp_path / "more.txt")])
    later.until(lambda: "more.txt" in chips(later))
    later.until(lambda: len(later.application.services.drafts.attached(key).result(PATIENCE)) == 3)
    assert sorted(chips(later)) == ["more.txt", "notes.txt", "shot.png"]


def test_what_is_kept_is_not_written_over_before_it_was_read(
    person: Person, key: int, restart: Callable[[], Person], tmp_path: Path
) -> None:
    attach(person, tmp_path)
    later, gate = restart(), Event()
    controllers = later.gui.controllers
    later.application.services.sessions.archive.read(lambda _reader: gate.wait(PATIENCE))
    later.gui.open_session(key)
    composer = later.window.transcript.composer
    composer.editor.files_given.emit([str(tmp_path / "notes.txt")])
    composer.attachments.rows[0].remove.click()
    controllers.chat.drafts.flush()
    gate.set()
    later.until(lambda: chips(later) == ["notes.txt", "shot.png"])
    controllers.chat.drafts.flush()
    assert len(later.application.services.drafts.attached(key).result(PATIENCE)) == 2


def test_a_very_long_text_that_is_pasted_is_attached_and_kept(
    person: Person, key: int, restart: Callable[[], Person]
) -> None:
    text = "one line of it\n" * 20_000
    person.window.transcript.composer.editor.text_given.emit(text)
    person.until(lambda: chips(person) == ["Pasted text.txt"])
    later = restart()
    reopen(later, key)
    later.until(lambda: chips(later) == ["Pasted text.txt"])
