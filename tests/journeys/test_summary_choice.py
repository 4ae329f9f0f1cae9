"""A summary that is written again keeps the one before: both can be chosen, and their difference is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind
from stemmata.gui.compaction.panel import WorkbenchPanel
from stemmata.gui.compaction.summary_editor import DIFFERENCE, EDIT, PREVIEW
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

Key = Qt.Key


@pytest.fixture
def panel(person: Person, session_file: Path) -> WorkbenchPanel:
    """The workbench of a session with a digest."""
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and bool(panel.editor.text) and panel.accept.isEnabled())
    return panel


def refocus(person: Person, panel: WorkbenchPanel, text: str) -> str:
    """Type another focus, and return the summary that was written with it."""
    before, count = panel.editor.text, panel.alternatives.count()
    panel.focus.setFocus()
    panel.focus.selectAll()
    QTest.keyClicks(panel.focus, text)
    QTest.keyClick(panel.focus, Key.Key_Return)
    person.until(lambda: panel.alternatives.count() == count + 1 and panel.accept.isEnabled())
    assert panel.editor.text != before
    return panel.editor.text


def stored(person: Person, leaf: int | None) -> tuple[str, str]:
    """Return text and focus of the accepted compaction."""
    person.until(lambda: person.leaf != leaf and not person.in_workbench())
    *_, entry = person.tree.of_kind(Kind.COMPACTION)
    key = person.tree.key(entry)
    body = person.application.services.entries.bodies([key]).result(PATIENCE)[key]
    return plain_text(body.blocks), json.loads(body.details)["focus"]


def test_both_are_there_to_choose_from_by_mouse(person: Person, panel: WorkbenchPanel) -> None:
    assert panel.alternatives.isHidden()
    assert not panel.editor.switch.isTabVisible(DIFFERENCE)
    first, leaf = panel.editor.text, person.leaf
    second = refocus(person, panel, "module 3")
    tabs = panel.alternatives
    assert tabs.isVisible()
    assert [tabs.tabText(at).rpartition(" · ")[0] for at in range(2)] == ["1 · no focus", "2 · module 3"]
    assert tabs.currentIndex() == 1
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    assert (panel.editor.text, panel.focus.text()) == (first, "")
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    assert (panel.editor.text, panel.focus.text()) == (second, "module 3")
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    panel.accept.click()
    assert stored(person, leaf) == (first, "")
    person.window.toast.click()
    person.until(lambda: person.leaf == leaf)


def test_both_are_there_to_choose_from_by_keys_and_an_edit_stays_with_its_own(
    person: Person, panel: WorkbenchPanel
) -> None:
    leaf = person.leaf
    refocus(person, panel, "module 3")
    tabs = panel.alternatives
    tabs.setFocus()
    QTest.keyClick(tabs, Key.Key_Left)
    person.until(lambda: panel.focus.text() == "")
    panel.editor.source.setPlainText("## Goal\nMine.")
    QTest.keyClick(tabs, Key.Key_Right)
    person.until(lambda: panel.focus.text() == "module 3")
    assert panel.editor.text != "## Goal\nMine."
    QTest.keyClick(tabs, Key.Key_Left)
    assert (panel.text, panel.editor.text) == ("## Goal\nMine.", "## Goal\nMine.")
    QTest.keyClick(panel, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert stored(person, leaf) == ("## Goal\nMine.", "")
    person.until(person.window.actions_table["undo"].isEnabled)
    person.window.actions_table["undo"].trigger()
    person.until(lambda: person.leaf == leaf)


def test_a_focus_that_was_half_typed_is_none(person: Person, panel: WorkbenchPanel) -> None:
    panel.focus.setFocus()
    QTest.keyClicks(panel.focus, "modu")
    person.until(lambda: panel.alternatives.count() == 2)
    QTest.keyClicks(panel.focus, "le 3")
    person.until(lambda: "module 3" in panel.alternatives.tabText(1))
    assert panel.alternatives.count() == 2


def test_another_cut_has_its_own(person: Person, panel: WorkbenchPanel) -> None:
    refocus(person, panel, "module 3")
    cut, view = person.first_kept(), person.window.transcript.view
    assert cut is not None
    view.cut_moved.emit(person.key("usr00006"))
    person.until(lambda: person.first_kept() == person.key("usr00006"))
    person.until(panel.alternatives.isHidden)
    view.cut_moved.emit(cut)
    person.until(lambda: panel.alternatives.isVisible() and panel.alternatives.count() == 2)


def test_the_difference_of_two_of_them(person: Person, panel: WorkbenchPanel) -> None:
    first = panel.editor.text
    second = refocus(person, panel, "module 3")
    switch, page = panel.editor.switch, panel.editor.difference
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=switch.tabRect(DIFFERENCE).center())
    assert page.isVisible()
    assert page.other.currentText().startswith("1 · no focus")
    lines = page.canvas.diff.splitlines()
    added = {line[1:] for line in lines if line.startswith("+")}
    assert added
    assert added <= set(second.splitlines())
    assert {line[1:] for line in lines if line.startswith("-")} <= set(first.splitlines())
    assert page.counts.text().startswith("+")
    assert page.canvas.grab().toImage().allGray() is False
    panel.alternatives.setCurrentIndex(0)
    assert page.other.currentText().startswith("2 · module 3")  # now the other way round
    assert {line[1:] for line in page.canvas.diff.splitlines() if line.startswith("-")} == added
    switch.setFocus()
    QTest.keyClick(switch, Key.Key_Left)
    assert switch.currentIndex() == EDIT
    QTest.keyClick(switch, Key.Key_Left)
    assert switch.currentIndex() == PREVIEW


def test_the_difference_from_the_summary_that_is_merged(person: Person) -> None:
    """The demo: a compaction lies above the leaf, whose summary the new one takes up."""
    person.gui.importing.open_demo()
    person.until(lambda: person.gui.opened.session_tree is not None)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and bool(panel.editor.text) and panel.accept.isEnabled())
    person.until(lambda: panel.editor.switch.isTabVisible(DIFFERENCE))
    panel.editor.switch.setCurrentIndex(DIFFERENCE)
    page = panel.editor.difference
    assert page.other.currentText() == "previous summary"
    assert any(line.startswith("+") for line in page.canvas.diff.splitlines())
    assert any(line.startswith("-") for line in page.canvas.diff.splitlines())
    person.window.actions_table["leave-preview"].trigger()
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert panel.editor.switch.currentIndex() == PREVIEW
