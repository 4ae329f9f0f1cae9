"""An old session says above the composer how it can be continued, with both sizes: by a click or by keys."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.entry import Kind
from stemmata.gui.composer.resume_line import ResumeLine
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.person import Person


def line(person: Person) -> ResumeLine:
    return person.window.transcript.composer.resume_line


def old(person: Person, session_file: Path) -> ResumeLine:
    """An imported session is open, and its line is shown."""
    person.drop(session_file)
    person.until(line(person).isVisible)
    return line(person)


def moved(person: Person, first: int | None) -> None:
    opened = person.gui.opened
    person.until(lambda: opened.key != first and opened.session_tree is not None)


def test_both_ways_have_their_sizes(person: Person, session_file: Path) -> None:
    found = old(person, session_file)
    choice = found.choice
    assert choice is not None
    assert found.whole.text() == f"Continue in full · {person.total().partition(' of ')[0]}"
    assert found.summary.text().startswith("Continue from a summary · ≈ ")
    assert (choice.from_summary.value or 0) < (choice.whole.value or 0)


def test_whole_by_mouse_hides_the_line_and_writes_on(person: Person, session_file: Path) -> None:
    found, first = old(person, session_file), person.gui.opened.key
    QTest.mouseClick(found.whole, Qt.MouseButton.LeftButton)
    assert found.isHidden()
    assert person.window.focusWidget() is person.window.transcript.composer.editor
    assert not person.window.actions_table["resume-whole"].isEnabled()
    assert first is not None
    person.gui.opened.open(first)
    person.until(lambda: person.gui.opened.session_tree is not None)
    person.qtbot.wait(100)
    assert found.isHidden()  # it was answered


def test_from_a_summary_by_keys_takes_the_draft_along_and_one_undo_leads_back(
    person: Person, session_file: Path
) -> None:
    found, first, window = old(person, session_file), person.gui.opened.key, person.window
    count, composer = len(person.tree), window.transcript.composer
    QTest.keyClicks(composer.editor, "half written")
    for _ in range(80):
        if window.focusWidget() is found.summary:
            break
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Backtab)
    assert window.focusWidget() is found.summary
    QTest.keyClick(found.summary, Qt.Key.Key_Return)
    moved(person, first)
    new = person.gui.opened.key
    assert person.tree.kind(0) is Kind.COMPACTION
    assert composer.text == "half written"
    person.until(lambda: window.toast.text.startswith("Continued from a summary ("))
    person.until(found.isHidden)
    window.toast.click()
    moved(person, new)
    assert person.gui.opened.key == first
    assert len(person.tree) == count
    assert composer.text == "half written"
    assert new is not None
    person.until(lambda: person.application.services.sessions.get(new).result(PATIENCE).trashed)


def test_from_the_palette(person: Person, session_file: Path) -> None:
    old(person, session_file)
    first = person.gui.opened.key
    action = person.window.actions_table["resume-summary"]
    assert action.isEnabled()
    action.trigger()
    moved(person, first)
    assert first is not None
    person.gui.open_session(first)
    moved(person, person.gui.opened.key if person.gui.opened.key != first else None)
    person.until(lambda: line(person).choice is not None)
    new = person.application.services.sessions.all().result(PATIENCE)
    person.window.actions_table["resume-summary"].trigger()
    moved(person, first)
    assert len(person.application.services.sessions.all().result(PATIENCE)) == len(new)  # the same one again
    person.until(lambda: person.window.toast.text.startswith("Resumed in session "))


def test_sending_a_message_continues_whole(chat: Chat, session_file: Path) -> None:
    found = old(chat.person, session_file)
    first = chat.person.gui.opened.key
    chat.hands.send("Go on, please.")
    chat.until(found.isHidden)
    chat.until(lambda: not chat.person.gui.controllers.runs.state.is_busy and len(chat.person.tree) > 0)
    assert chat.person.gui.opened.key == first
    assert found.isHidden()


def test_a_new_chat_has_no_line(chat: Chat) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    assert chat.composer.resume_line.isHidden()


def test_a_full_disk_leaves_the_session_and_the_choice(person: Person, session_file: Path) -> None:
    found, first, store = old(person, session_file), person.gui.opened.key, person.application.core.store

    def pages(most: int) -> None:
        text = f"PRAGMA max_page_count = {most}"
        store.write(lambda writer: writer.connection.execute(text).fetchall()).result(PATIENCE)

    pages(1)
    found.summary.click()
    assert not found.summary.isEnabled()
    person.until(person.window.banner.isVisible)
    assert "disk is full" in person.window.banner.text
    assert person.gui.opened.key == first
    pages(1_000_000)
    person.until(lambda: found.isVisible() and found.summary.isEnabled())
    found.summary.click()
    moved(person, first)
