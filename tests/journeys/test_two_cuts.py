"""Two cuts beside each other in the workbench: their sizes, and the choice of one, by mouse and by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.entry import Kind
from stemmata.gui.compaction.panel import WorkbenchPanel
from stemmata.gui.transcript.cut import CutLine, HeldLine
from stemmata.gui.widgets.wrapping import WrappingRow
from tests.journeys.person import Person

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def panel(person: Person, session_file: Path) -> WorkbenchPanel:
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled())
    person.window.transcript.view.cut_moved.emit(person.key("usr00004"))
    settled(person, "usr00004")
    return panel


def settled(person: Person, first_kept: str) -> None:
    """Wait until the cut is there and its summary is written."""
    panel, offers = person.window.workbench, person.gui.compaction
    person.until(lambda: person.first_kept() == person.key(first_kept))
    person.qtbot.wait(250)
    person.until(panel.accept.isEnabled)
    assert offers.offer is not None


def visible(person: Person, kind: type[QWidget]) -> list[QWidget]:
    return [part for part in person.window.transcript.view.findChildren(kind) if part.isVisible()]


def move(person: Person, first_kept: str) -> None:
    person.window.transcript.view.cut_moved.emit(person.key(first_kept))
    settled(person, first_kept)


def after(person: Person) -> str:
    offer = person.gui.compaction.offer
    assert offer is not None
    return f"−{offer.saved_percent}%"


def accepted(person: Person, leaf: int | None, cut: str) -> None:
    """Wait for the compaction, and undo it."""
    person.until(lambda: person.leaf != leaf and not person.in_workbench())
    *_, entry = person.tree.of_kind(Kind.COMPACTION)
    assert person.tree.is_ancestor(entry, person.tree.index(person.leaf or 0))
    assert person.tree.key(person.tree.columns.target[entry]) == person.key(cut)
    person.window.toast.click()
    person.until(lambda: person.leaf == leaf)


def test_by_mouse(person: Person, panel: WorkbenchPanel) -> None:
    sizes, leaf = panel.sizes, person.leaf
    assert (sizes.left.title.text(), sizes.right.isVisible()) == ("After", False)
    first, kept = after(person), sizes.facts["kept"].value
    assert not sizes.heads.isVisible()
    QTest.mouseClick(sizes.left.link, LEFT)
    assert sizes.right.isVisible()
    assert sizes.heads.value == "A | B · in use"
    assert visible(person, HeldLine) == []  # it is where the cut line is
    move(person, "usr00006")
    second = after(person)
    assert first != second
    assert (sizes.left.title.text(), sizes.right.title.text()) == ("After cut A", "After cut B")
    assert sizes.left.note.text().endswith(first)
    assert sizes.right.note.text().endswith(second)
    assert sizes.facts["kept"].value.partition(" entries")[0].split(" · ")[0] == kept.partition(" entries")[0]
    person.window.transcript.view.scroll_to(person.key("usr00003"))
    [line] = visible(person, HeldLine)
    QTest.mouseClick(line, LEFT)
    settled(person, "usr00004")
    assert sizes.heads.value == "A · in use | B"
    assert sizes.facts["kept"].accessibleName().startswith("Kept word for word: A ")
    assert sizes.left.note.text().endswith(first)
    assert sizes.right.note.text().endswith(second)
    QTest.mouseClick(sizes.right.link, LEFT)  # use cut B after all
    settled(person, "usr00006")
    QTest.mouseClick(panel.accept, LEFT)
    accepted(person, leaf, "usr00006")


def test_by_keys(person: Person, panel: WorkbenchPanel) -> None:
    window, leaf = person.window, person.leaf
    assert not window.actions_table["other-cut"].isEnabled()
    QTest.keyClick(window, Key.Key_H, CONTROL_SHIFT)
    [line] = visible(person, CutLine)
    line.setFocus()
    QTest.keyClick(line, Key.Key_Down)
    person.until(lambda: person.first_kept() != person.key("usr00004"))
    QTest.keyClick(window, Key.Key_J, CONTROL_SHIFT)
    settled(person, "usr00004")
    assert panel.sizes.right.isVisible()
    QTest.keyClick(window, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    accepted(person, leaf, "usr00004")
    person.until(lambda: not person.in_workbench())
    window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert not panel.sizes.right.isVisible()
    assert not window.actions_table["other-cut"].isEnabled()


def test_ending_the_comparison_keeps_the_used_cut(person: Person, panel: WorkbenchPanel) -> None:
    panel.sizes.left.link.click()
    move(person, "usr00006")
    assert panel.sizes.right.link.text() == "End comparison"
    panel.sizes.right.link.click()
    assert not panel.sizes.right.isVisible()
    assert person.first_kept() == person.key("usr00006")
    assert visible(person, HeldLine) == []


def test_a_pin_and_the_pruning_are_in_both(person: Person, panel: WorkbenchPanel) -> None:
    panel.sizes.left.link.click()
    move(person, "usr00006")
    person.gui.controllers.branches.pin([person.key("usr00001")])
    person.until(panel.sizes.facts["pinned"].isVisible)
    assert panel.sizes.facts["pinned"].value.count("1 · ") == 2
    before = panel.sizes.left.note.text()
    panel.prune_first.setChecked(True)
    person.until(lambda: panel.sizes.left.note.text() != before)


def test_each_keeps_the_size_of_its_own_summary(person: Person, panel: WorkbenchPanel) -> None:
    summary = panel.sizes.facts["summary"]
    drafted = summary.value
    panel.editor.source.setPlainText("## Goal\n" + "Many words. " * 200)
    person.until(lambda: summary.value != drafted)
    long = summary.value
    panel.sizes.left.link.click()
    assert summary.value == f"{long} | {long}"
    panel.editor.source.setPlainText("## Goal\nFew.")
    person.until(lambda: summary.value.startswith(f"{long} | ") and not summary.value.endswith(long))


def test_the_sizes_are_laid_out_once(person: Person, panel: WorkbenchPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt laid out all lines whenever a second value was shown in one of them, and asked for 60 heights."""
    asked: list[int] = []
    height = WrappingRow.heightForWidth

    def height_for_width(row: WrappingRow, width: int) -> int:
        asked.append(width)
        return height(row, width)

    monkeypatch.setattr(WrappingRow, "heightForWidth", height_for_width)
    person.window.actions_table["compare-cuts"].trigger()
    assert panel.sizes.right.isVisible()
    assert len(asked) < 20
