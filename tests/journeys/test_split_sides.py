"""Two sessions side by side: what is asked for on a side is about what that side shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.gui.cards.content import Action, Request
from stemmata.gui.window.split_controller import LEFT, RIGHT, SplitController
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person
from tests.journeys.test_windows import is_open


@pytest.fixture
def split(person: Person, session_file: Path) -> SplitController:
    """The view with another session on the right, which is active."""
    text = session_file.read_text(encoding="utf-8")
    other = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    other.write_text(text.replace("journey-1", "journey-2"), encoding="utf-8")
    person.drop(other)
    right = person.gui.opened.key
    person.drop(session_file)
    person.until(lambda: person.gui.opened.key != right and person.gui.opened.session_tree is not None)
    split = person.gui.controllers.split
    split.show_beside(right, None)
    person.until(lambda: split.other is not None)
    person.window.actions_table["other-side"].trigger()
    person.until(lambda: person.gui.opened.key == right and person.gui.opened.session_tree is not None)
    return split


def test_the_side_that_is_active_stays_so_when_another_window_is_closed(
    person: Person, split: SplitController
) -> None:
    right = person.gui.opened.key
    assert right is not None
    other = person.gui.open_window(right)
    person.until(lambda: is_open(other, right))
    other.window.close()
    assert split.active == RIGHT
    assert person.gui.opened.key == right
    person.until(lambda: person.gui.opened.session_tree is not None)


def test_a_card_that_is_clicked_makes_its_side_active(person: Person, split: SplitController) -> None:
    opened, right = person.gui.opened, person.gui.opened.key
    chosen = person.key("usr00004")
    person.window.beside.view.setFocus()
    split.activate(LEFT)  # the focus stays
    person.until(lambda: opened.key != right and opened.session_tree is not None)
    person.window.beside.view.wanted.emit(chosen, Action(Request.ACTIVATE))
    assert split.active == RIGHT
    person.until(lambda: opened.key == right and opened.session_tree is not None)
    assert opened.selection == chosen


def test_an_entry_of_another_session_is_not_selected(person: Person, split: SplitController) -> None:
    opened = person.gui.opened
    foreign = person.key("usr00004")
    split.activate(LEFT)
    person.until(lambda: opened.session_tree is not None and opened.session_tree.tree.get(foreign) is None)
    before = opened.selection
    opened.select(foreign)
    assert opened.selection == before


def test_windows_go_one_after_the_other(person: Person, split: SplitController) -> None:
    right = person.gui.opened.key
    assert right is not None
    person.gui.follow()
    other = person.gui.open_window(right)
    person.until(lambda: is_open(other, right))
    person.application.close()


def open_other(person: Person) -> None:
    """The session that is not open, as an import does it."""
    other = next(key for key in person.gui.sessions.sessions if key != person.gui.opened.key)
    person.gui.open_session(other)


def test_a_question_about_one_session_moves_nothing_in_another(person: Person, split: SplitController) -> None:
    opened, controller = person.gui.opened, person.gui.controllers.branches
    right, chosen = opened.key, person.key("usr00004")
    controller.leave_for(chosen)
    popup = person.leave_popup
    open_other(person)
    person.until(lambda: opened.key != right and opened.session_tree is not None)
    assert not popup.isVisible()
    leaf = person.leaf
    popup.answered.emit(None, False)
    person.application.services.sessions.check().result(PATIENCE)
    assert person.leaf == leaf


def test_a_label_for_one_session_is_not_given_in_another(person: Person, split: SplitController) -> None:
    opened, popup = person.gui.opened, person.window.label_popup
    right = opened.key
    person.gui.controllers.branches.label([person.key("usr00004")])
    assert popup.isVisible()
    open_other(person)
    person.until(lambda: opened.key != right and opened.session_tree is not None)
    assert not popup.isVisible()
    popup.accepted.emit("here")
    person.application.services.sessions.check().result(PATIENCE)
    assert not person.tree.labels


def path_keys(person: Person) -> list[int]:
    opened = person.gui.opened
    return [] if opened.session_tree is None else [opened.session_tree.tree.key(at) for at in opened.path]


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_the_other_side_takes_the_place_of_a_deleted_session(
    person: Person, split: SplitController, side: int
) -> None:
    opened, right = person.gui.opened, person.gui.opened.key
    left = next(key for key in person.gui.sessions.sessions if key != right)
    split.activate(side)
    person.until(lambda: opened.key in (left, right) and opened.session_tree is not None)
    deleted, kept = (left, right) if side == LEFT else (right, left)
    assert opened.key == deleted
    assert deleted is not None
    person.application.services.sessions.delete([deleted]).result(PATIENCE)
    person.until(lambda: opened.key == kept and opened.session_tree is not None)
    assert not split.is_split
    assert split.active == LEFT
    person.until(lambda: person.window.transcript.view.visible_entry in path_keys(person))


def test_nothing_is_shown_when_the_sessions_of_both_sides_are_deleted(person: Person, split: SplitController) -> None:
    person.application.services.sessions.delete(list(person.gui.sessions.sessions)).result(PATIENCE)
    person.until(lambda: person.gui.opened.key is None)
    assert not split.is_split
    assert person.window.transcript.view.visible_entry == -1


def test_a_session_is_opened_beside_nothing_as_the_only_one(person: Person, split: SplitController) -> None:
    split.join()
    person.gui.opened.close()
    person.window.sessions.select(next(iter(person.gui.sessions.sessions)))
    person.window.actions_table["open-session-beside"].trigger()
    assert not split.is_split
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert person.window.transcript.view.visible_entry in path_keys(person)


def test_an_entry_of_a_session_that_was_open_before_is_not_forked(person: Person, split: SplitController) -> None:
    opened = person.gui.opened
    foreign, count = person.key("usr00004"), len(person.gui.sessions.sessions)
    split.activate(LEFT)
    person.until(lambda: opened.session_tree is not None and opened.session_tree.tree.get(foreign) is None)
    person.gui.controllers.branches.fork(foreign)
    person.application.services.sessions.check().result(PATIENCE)
    assert len(person.gui.sessions.sessions) == count
