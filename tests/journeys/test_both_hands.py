"""The journeys a person comes for, each by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from stemmata.domain.entries.entry import Kind
from tests.journeys.hands import Hands, Keyboard, Mouse
from tests.journeys.person import Person


@pytest.fixture(params=[Mouse, Keyboard], ids=["mouse", "keyboard"])
def hands(request: pytest.FixtureRequest, person: Person) -> Hands:
    person.window.activateWindow()
    made: Hands = request.param(person)
    return made


def test_the_abandoned_approach_is_found_compared_and_gone_on_with(
    person: Person, hands: Hands, session_file: Path
) -> None:
    person.drop(session_file)
    window, start = person.window, person.leaf
    prompt, parent = person.key("usr000b0"), person.key("ans00002")
    person.until(lambda: window.branches.outline is not None and person.gui.opened.session_tree is not None)

    hands.find("wrap before")
    person.until(lambda: window.branches.list.model.row_of(prompt) is not None)
    hands.choose(prompt)
    person.until(lambda: prompt in window.transcript.view.visible_keys)
    assert person.leaf == start, "looking moves nothing"

    compare = person.gui.controllers.compare
    hands.compare()
    person.until(lambda: compare.is_open)
    assert compare.ends == (start, person.key("ans000b0"))
    hands.leave_comparison()
    person.until(lambda: not compare.is_open)

    hands.choose(prompt)
    hands.go_on()
    hands.just_go()
    person.until(lambda: person.leaf == parent)
    composer = window.transcript.composer
    person.until(lambda: composer.text == "Another approach: wrap before theming.")
    QTest.keyClicks(composer.editor, " And test it.")
    assert composer.text.endswith(" And test it.")

    hands.choose(parent)
    hands.label("retry")
    person.until(lambda: person.tree.labels.get(person.tree.index(parent)) == "retry")
    assert person.leaf == parent, "a label moves nothing"
    person.until(window.actions_table["undo"].isEnabled)
    hands.undo()
    person.until(lambda: "retry" not in person.tree.labels.values())
    assert person.leaf == parent, "each undo takes back one thing"
    hands.undo()
    person.until(lambda: person.leaf == start)
    assert composer.text.endswith(" And test it."), "what was typed since stays"


def test_compacting_with_a_moved_cut_a_pin_and_an_edited_summary(
    person: Person, hands: Hands, session_file: Path
) -> None:
    person.drop(session_file)
    window, start = person.window, person.leaf
    rule, panel = person.key("usr00000"), window.workbench
    person.until(lambda: window.branches.outline is not None and not window.context.preview.reason)

    hands.open_workbench()
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled() and bool(panel.editor.text))
    hands.pin(rule)
    person.until(lambda: person.in_workbench() and _pinned(person) == [rule])
    person.until(lambda: panel.accept.isEnabled() and bool(panel.editor.text))
    before = person.first_kept()
    hands.move_cut()
    person.until(lambda: person.first_kept() != before)
    cut = person.first_kept()
    person.until(panel.accept.isEnabled)
    hands.rewrite("Mine alone.")
    assert panel.editor.page.toPlainText() == "Mine alone."
    person.until(panel.accept.isEnabled)
    hands.accept()

    person.until(lambda: person.leaf != start and not person.in_workbench())
    made = person.leaf
    index = person.tree.index(person.compaction or 0)
    assert person.tree.kind(index) is Kind.COMPACTION
    assert person.tree.key(person.tree.columns.target[index]) == cut
    shown = person.gui.opened.context(index).projection
    assert [person.tree.key(shown.path_totals.path[at]) for at in shown.pinned] == [rule]
    person.until(window.actions_table["undo"].isEnabled)
    hands.undo()
    person.until(lambda: person.leaf == start and window.actions_table["redo"].isEnabled())
    hands.redo()
    person.until(lambda: person.leaf == made)


def _pinned(person: Person) -> list[int]:
    offer = person.gui.compaction.offer
    return [] if offer is None else [person.tree.key(entry) for entry in offer.preview.plan.pinned]
