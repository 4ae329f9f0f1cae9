"""Two transcripts side by side: each its own path, the active one drives the navigator and the context."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.gui.composer.view import ComposerPlace
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.window.split_controller import LEFT, RIGHT, SplitController
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def split(person: Person, session_file: Path) -> SplitController:
    """The other branch beside the active one; the left side is active."""
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None and person.window.sessions_model.total == 1)
    person.gui.opened.view_entry(person.key("usr000b0"))
    person.window.actions_table["open-beside"].trigger()
    person.gui.opened.view_leaf()
    split = person.gui.controllers.split
    assert split.is_split
    person.see()
    return split


def active(split: SplitController) -> int:
    return split.active


def is_split(split: SplitController) -> bool:
    return split.is_split


def is_looking(person: Person) -> bool:
    return person.gui.opened.viewed_key is not None


def sides(person: Person) -> tuple[str, str]:
    return person.window.transcript.branch_text, person.window.beside.branch_text


def test_each_side_shows_its_own_path(person: Person, split: SplitController) -> None:
    person.until(lambda: sides(person) == ("branch 2 of 2", "branch 1 of 2"))
    assert active(split) == LEFT
    assert person.window.beside.isVisible()


def test_the_cards_of_the_other_side_are_built_in_turns(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cards in view were built in one turn, of 14 ms."""
    monkeypatch.setattr("stemmata.gui.transcript.view.BUILD_SECONDS", 0)
    monkeypatch.setattr("stemmata.gui.transcript.view.LATE_BUILD_SECONDS", 0)
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None and person.window.sessions_model.total == 1)
    split, built = person.gui.controllers.split, list[bool]()
    split.shown.connect(lambda: built.append(person.window.beside.view.is_settled))
    person.gui.opened.view_entry(person.key("usr000b0"))
    person.window.actions_table["open-beside"].trigger()
    person.until(lambda: bool(built))
    assert built[0] is False
    person.until(lambda: person.window.beside.view.is_settled)
    assert len(person.window.beside.view.visible_keys) > 1


def test_the_active_side_drives_the_navigator(person: Person, split: SplitController) -> None:
    person.window.actions_table["other-side"].trigger()
    assert active(split) == RIGHT
    person.until(lambda: person.window.branches.list.selected_row is not None)
    assert is_looking(person)
    person.window.branches.view_requested.emit(person.key("usr00004"))
    person.until(lambda: sides(person) == ("branch 2 of 2", "branch 2 of 2"))
    person.window.branches.view_requested.emit(person.key("usr000b0"))
    assert sides(person) == ("branch 2 of 2", "branch 1 of 2")
    QTest.keyClick(person.window, Qt.Key.Key_F6)
    assert active(split) == LEFT
    assert not is_looking(person)
    assert sides(person) == ("branch 2 of 2", "branch 1 of 2")


def heads(person: Person) -> list[str]:
    """Return the marks in the headers of both sides."""
    return [column.header.property("active") for column in (person.window.transcript, person.window.beside)]


def test_the_active_side_is_marked_and_has_the_composer(person: Person, split: SplitController) -> None:
    window = person.window
    composer, left, right = window.transcript.composer, window.transcript, window.beside
    assert heads(person) == ["yes", "no"]
    assert left.isAncestorOf(composer)
    assert (left.view.accessibleName(), right.view.accessibleName()) == (
        "Transcript, left side", "Transcript, right side",
    )  # fmt: skip
    person.until(lambda: left.view.height() == right.view.height())
    window.actions_table["other-side"].trigger()
    assert heads(person) == ["no", "yes"]
    assert right.isAncestorOf(composer)
    person.until(composer.isVisible)
    person.until(lambda: left.view.height() == right.view.height())
    window.actions_table["split-view"].trigger()
    assert heads(person)[0] == ""
    assert left.isAncestorOf(composer)
    assert left.view.accessibleName() == "Transcript"
    assert composer.isEnabled()


def test_writing_goes_to_the_side_that_was_asked_for(person: Person, split: SplitController) -> None:
    window = person.window
    composer = window.transcript.composer
    (write,) = (place.button for place in window.beside.findChildren(ComposerPlace))
    QTest.mouseClick(write, Qt.MouseButton.LeftButton)
    assert active(split) == RIGHT
    person.until(lambda: composer.editor.hasFocus() and window.beside.isAncestorOf(composer))
    QTest.keyClicks(composer.editor, "Go on here")
    QTest.keyClick(window, Qt.Key.Key_F6)
    assert active(split) == LEFT
    person.until(window.transcript.view.hasFocus)
    assert composer.text == "Go on here"  # the session's draft, which is the same on both sides
    (write,) = (place.button for place in window.beside.findChildren(ComposerPlace))
    assert not write.isHidden()


def test_where_a_message_goes_is_told_on_the_side_it_is_written_on(person: Person, split: SplitController) -> None:
    left, right = person.window.transcript.header, person.window.beside.header
    assert (left.mark, right.mark) == ("", "")
    person.window.actions_table["other-side"].trigger()
    person.until(lambda: right.mark != "")
    assert left.mark == ""
    person.window.actions_table["other-side"].trigger()
    person.until(lambda: left.mark == right.mark == "")


def test_finding_belongs_to_the_active_side(person: Person, split: SplitController) -> None:
    window, finding = person.window, person.gui.controllers.finding
    window.actions_table["other-side"].trigger()
    window.actions_table["find-in-session"].trigger()
    finding.bar.field.setText("Another approach")
    person.until(lambda: finding.bar.count_text == "1 of 1")
    assert window.beside.isAncestorOf(finding.bar)
    assert person.key("usr000b0") in window.beside.view.visible_keys
    QTest.keyClick(window, Qt.Key.Key_F6)
    person.until(lambda: finding.bar.count_text == "No match")
    assert window.transcript.isAncestorOf(finding.bar)
    finding.bar.field.setText("Prompt number 7")
    person.until(lambda: finding.bar.count_text == "1 of 1")
    assert person.key("usr00007") in window.transcript.view.visible_keys


def test_what_is_asked_of_a_header_makes_its_side_active(person: Person, split: SplitController) -> None:
    buttons = {button.accessibleName(): button for button in person.window.beside.header.findChildren(IconButton)}
    find, step = buttons["Find in session"], buttons["Next branch"]
    QTest.mouseClick(find, Qt.MouseButton.LeftButton)
    assert active(split) == RIGHT
    assert person.window.beside.isAncestorOf(person.gui.controllers.finding.bar)
    split.activate(LEFT)
    QTest.mouseClick(step, Qt.MouseButton.LeftButton)
    assert active(split) == RIGHT
    person.until(lambda: sides(person) == ("branch 2 of 2", "branch 2 of 2"))


def test_the_side_that_is_gone_to_stays_where_it_is_read(person: Person, session_file: Path) -> None:
    other = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    text = session_file.read_text(encoding="utf-8")
    other.write_text(text.replace("journey-1", "journey-2").replace("usr0000", "usr1000"), encoding="utf-8")
    person.drop(other)
    second = person.gui.opened.key
    read = person.key("usr10003")
    person.drop(session_file)
    person.until(lambda: person.gui.opened.key != second and person.gui.opened.session_tree is not None)
    split = person.gui.controllers.split
    split.show_beside(second, None)
    person.until(lambda: bool(person.window.beside.view.visible_keys))
    person.window.beside.view.show_place(read, 7)
    for side in (RIGHT, LEFT, RIGHT):
        split.activate(side)
        person.until(lambda: person.gui.opened.session_tree is not None)
        assert person.window.beside.view.place == (read, 7)


def test_prompts_are_gone_through_on_the_active_side(person: Person, split: SplitController) -> None:
    person.window.resize(1440, 560)
    person.window.actions_table["other-side"].trigger()
    left, right = person.window.transcript.view, person.window.beside.view
    person.until(lambda: right.height() < 350)
    before = left.place
    right.scroll_to(person.key("usr00000"))
    person.window.actions_table["next-prompt"].trigger()
    assert right.visible_keys[0] == person.key("usr00001")
    assert left.place == before


def test_a_click_makes_a_side_active(person: Person, split: SplitController) -> None:
    person.window.activateWindow()
    person.window.beside.view.setFocus()
    person.until(lambda: active(split) == RIGHT)
    person.window.transcript.view.setFocus()
    person.until(lambda: active(split) == LEFT)


def test_the_other_side_hears_of_changes(person: Person, split: SplitController) -> None:
    key = person.gui.opened.key
    assert key is not None
    person.application.services.sessions.rename(key, "Renamed").result(PATIENCE)
    person.until(lambda: person.window.beside.header.title == "Renamed")
    person.until(lambda: person.window.transcript.header.title == "Renamed")


def test_another_session_may_stand_beside(person: Person, session_file: Path) -> None:
    other = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    text = session_file.read_text(encoding="utf-8")
    other.write_text(text.replace("journey-1", "journey-2").replace("Prompt number", "Question"), encoding="utf-8")
    person.drop(other)
    second = person.gui.opened.key
    person.drop(session_file)
    person.until(lambda: person.gui.opened.key != second and person.gui.opened.session_tree is not None)
    first, split = person.gui.opened.key, person.gui.controllers.split
    split.show_beside(second, None)
    person.until(lambda: person.window.beside.header.title.startswith("Question"))
    assert person.gui.opened.key == first
    split.switch()
    person.until(lambda: person.gui.opened.key == second and person.gui.opened.session_tree is not None)
    assert person.window.transcript.header.title.startswith("Prompt")
    split.switch()
    person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
    assert person.window.beside.header.title.startswith("Question")
    assert second is not None
    person.application.services.sessions.trash([second], on=True).result(PATIENCE)
    assert person.window.transcript.header.title.startswith("Prompt")


def test_joining_keeps_the_left_side(person: Person, split: SplitController) -> None:
    split.switch()
    action = person.window.actions_table["split-view"]
    assert action.isChecked()
    action.trigger()
    assert not is_split(split)
    assert active(split) == LEFT
    assert person.gui.opened.viewed_key is None
    action.trigger()
    assert is_split(split)
    (close,) = (
        button for button in person.window.beside.findChildren(IconButton)
        if button.accessibleName() == "Close this side"
    )  # fmt: skip
    close.click()
    assert not action.isChecked()
    action.trigger()
    person.until(lambda: sides(person) == ("branch 2 of 2", "branch 2 of 2"))


def test_joining_from_the_right_keeps_the_keys_in_the_transcript(person: Person, split: SplitController) -> None:
    person.window.activateWindow()
    QTest.keyClick(person.window, Qt.Key.Key_F6)
    person.until(person.window.beside.view.hasFocus)
    person.window.actions_table["split-view"].trigger()
    assert person.window.transcript.view.hasFocus()


def test_a_preview_takes_the_room(person: Person, split: SplitController) -> None:
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert not split.is_split


def test_found_again_after_a_restart(qtbot: QtBot, person: Person, split: SplitController, tmp_path: Path) -> None:
    beside = person.window.beside.view
    person.window.resize(1440, 560)  # there is more than can be seen at once
    person.until(lambda: beside.verticalScrollBar().maximum() > 10)
    beside.show_place(person.key("res00001"), 10)
    place = beside.place
    assert place is not None
    split.switch()
    person.application.close()
    again = build(["--profile", str(tmp_path / "profile")])
    try:
        again.window.resize(1440, 560)
        again.gui.restore()
        again.window.show()
        other = Person(again, qtbot)
        other.until(lambda: again.gui.is_warm and again.gui.opened.session_tree is not None)
        other.until(
            lambda: again.gui.controllers.split.is_split and sides(other) == ("branch 2 of 2", "branch 1 of 2")
        )
        other.until(lambda: other.window.beside.view.place == place)
    finally:
        again.close()
