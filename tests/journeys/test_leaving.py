"""Going on from elsewhere in the real window: what becomes of the branch that is left."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind
from stemmata.gui.compaction.panel import PROVIDER
from stemmata.gui.transcript import controller
from stemmata.gui.transcript.cut import CutLine
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

Key = Qt.Key


def summaries(person: Person) -> list[int]:
    return [person.tree.key(entry) for entry in person.tree.of_kind(Kind.BRANCH_SUMMARY)]


def test_going_on_below_asks_nothing(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    there = person.key("ans00004")
    person.gui.controllers.branches.continue_from(there)
    person.until(lambda: person.leaf == there)
    below = person.key("ans00006")
    person.gui.controllers.branches.leave_for(below)
    person.until(lambda: person.leaf == below)
    assert "leave_popup" not in vars(person.gui.controllers.branches)


def test_the_branch_that_is_left_is_summarised_by_keyboard(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    start, there = person.leaf, person.key("ans00005")
    person.gui.controllers.branches.leave_for(there)
    popup = person.leave_popup
    assert (
        popup.text.text()
        == "You leave 8 messages of the active branch. They stay in the tree as a branch of their own."
    )
    QTest.keyClick(popup, Key.Key_Down)
    assert popup.summarise.hasFocus()
    QTest.keyClick(popup.summarise, Key.Key_Return)
    person.until(lambda: bool(summaries(person)))
    [summary] = summaries(person)
    assert person.leaf == summary
    assert person.tree.key(person.tree.parents[person.tree.index(summary)]) == there
    person.until(person.window.actions_table["undo"].isEnabled)
    person.window.actions_table["undo"].trigger()
    person.until(lambda: person.leaf == start)


def test_a_focus_is_asked_for_and_kept(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.gui.controllers.branches.leave_for(person.key("ans00005"))
    popup = person.leave_popup
    QTest.mouseClick(popup.with_focus, Qt.MouseButton.LeftButton)
    assert popup.focus.isVisible()
    QTest.keyClicks(popup.focus, "module 7")
    QTest.keyClick(popup.focus, Key.Key_Return)
    person.until(lambda: bool(summaries(person)))
    body = person.application.services.entries.bodies(summaries(person)).result()
    assert '"focus":"module 7"' in body[summaries(person)[0]].details


def test_escape_takes_the_question_back(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    before = person.leaf
    person.gui.controllers.branches.leave_for(person.key("ans00005"))
    QTest.keyClick(person.leave_popup, Key.Key_Escape)
    person.qtbot.wait(50)
    assert person.leaf == before


def test_the_question_is_not_asked_again_where_that_is_wanted(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, second = person.key("ans00005"), person.key("ans00003")
    person.gui.controllers.branches.leave_for(first)
    popup = person.leave_popup
    popup.always.setChecked(True)
    person.just_go()
    person.until(lambda: person.leaf == first)
    person.gui.controllers.branches.leave_for(second)
    person.until(lambda: person.leaf == second)
    assert not popup.isVisible()


def test_a_summary_takes_the_place_of_the_end_of_the_branch(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    above, before = person.key("ans00005"), person.leaf
    person.gui.compaction.open_from(person.key("usr00006"))
    workbench = person.window.workbench
    person.until(lambda: person.gui.compaction.is_open and workbench.accept.isEnabled())
    workbench.editor.edit()
    workbench.summary.setPlainText("## Goal\n\nMy own words.")
    workbench.accept.click()
    person.until(lambda: bool(summaries(person)))
    [summary] = summaries(person)
    assert person.tree.key(person.tree.parents[person.tree.index(summary)]) == above
    assert person.leaf == summary
    body = person.application.services.entries.bodies([summary]).result(PATIENCE)[summary]
    assert plain_text(body.blocks) == "## Goal\n\nMy own words."
    person.until(lambda: person.window.toast.text.startswith("Summarised ≈ "))
    person.until(lambda: not person.in_workbench() and person.gui.opened.selection == summary)
    person.window.toast.click()
    person.until(lambda: person.leaf == before)


def test_from_an_entry_on_is_previewed_with_its_figures(person: Person, session_file: Path) -> None:
    """The preview says what the summary replaces, and the line moves as that of a compaction."""
    person.drop(session_file)
    person.until(person.is_planned)
    window, compaction = person.window, person.gui.compaction
    compaction.open_from(person.key("usr00006"))
    panel, view = window.workbench, window.transcript.view
    person.until(lambda: compaction.is_open and panel.accept.isEnabled())
    assert (panel.header.title, panel.accept.text()) == ("Summarise from here", "Summarise")
    hidden = (panel.keep, panel.prune_first, panel.new_session, panel.sizes.left.link)
    assert not any(widget.isVisible() for widget in hidden)
    offer = compaction.offer
    assert offer is not None
    plan, tree = offer.preview.plan, person.tree
    assert tree.key(plan.summarised[0]) == person.key("usr00006")
    assert tree.key(plan.kept[-1]) == person.key("ans00005")
    assert offer.after.total.value == offer.kept.value + offer.summary.value  # type: ignore[operator]
    line = next(line for line in view.findChildren(CutLine) if line.isVisible())
    assert line.spoken.startswith(f"everything below is summarised · {len(plan.summarised)} entries")
    assert not panel.writers.isTabEnabled(PROVIDER)
    window.actions_table["compare-cuts"].trigger()
    assert window.toast.text == "Only cuts with the summary above them can be compared."
    line.stepped.emit(1)  # to the reply below
    person.until(lambda: compaction.offer is not None and compaction.offer is not offer)
    moved = compaction.offer
    assert moved is not None
    assert len(moved.preview.plan.summarised) < len(plan.summarised)
    compaction.open_up_to(person.key("ans00003"))  # up to there, instead
    person.until(lambda: compaction.offer is not None and not compaction.offer.is_branch_summary)
    assert (panel.header.title, panel.accept.text()) == ("Compact", "Compact")
    assert all(widget.isVisible() for widget in hidden)
    compaction.open_from(person.key("ans00004"))
    person.until(lambda: compaction.offer is not None and compaction.offer.is_branch_summary)
    compaction.cancel()
    person.until(lambda: compaction.offer is not None and not compaction.offer.is_branch_summary)
    assert not summaries(person)


def test_the_first_entry_can_be_summarised_with_all_that_follows(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    first = person.tree.key(person.gui.opened.path[0])
    person.gui.compaction.open_from(first)
    person.until(lambda: person.gui.compaction.is_open and person.window.workbench.accept.isEnabled())
    person.window.workbench.accept.click()
    person.until(lambda: bool(summaries(person)))
    [summary] = summaries(person)
    assert person.tree.parents[person.tree.index(summary)] < 0


def test_only_the_active_branch_is_summarised(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    person.gui.compaction.open_from(person.key("usr000b0"))
    assert person.window.toast.text.startswith("Only the active branch")


def test_summarising_up_to_an_entry_opens_the_preview_behind_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.gui.controllers.compaction.open_up_to(person.key("ans00003"))
    person.until(person.in_workbench)
    assert person.first_kept() == person.key("usr00004")


def test_summarising_is_in_the_menu_of_branches(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    person.gui.opened.view_entry(person.key("ans00005"))
    actions = person.window.actions_table
    person.until(actions["summarise-from"].isEnabled)
    actions["summarise-from"].trigger()
    person.until(person.in_workbench)
    offer = person.gui.compaction.offer
    assert offer is not None
    assert offer.is_branch_summary
    actions["summarise-up-to"].trigger()
    person.until(lambda: person.first_kept() == person.key("usr00006"))
    assert person.in_workbench()


# -- several turns ---------------------------------------------------------------------------------------------------


@pytest.fixture
def selected(person: Person, session_file: Path) -> Person:
    """The last three turns are selected."""
    person.drop(session_file)
    navigator = person.window.branches.list
    person.until(lambda: person.window.branches.outline is not None)
    navigator.setFocus()
    for _ in range(2):
        QTest.keyClick(navigator, Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    return person


def test_selected_turns_are_copied_as_markdown(selected: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()

    def put_together(*arguments: Any) -> tuple[list[str], int]:
        threads.append(threading.current_thread())
        return turns(*arguments)

    turns = controller.turns_as_markdown
    monkeypatch.setattr(controller, "turns_as_markdown", put_together)
    QTest.keyClick(selected.window.branches.list, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    selected.until(lambda: selected.window.toast.text == "Copied 3 turns as Markdown.")
    assert QGuiApplication.clipboard().text() == (
        "## claude-opus-4-5\n\nModule 06 is **fine**.\n\n## You\n\nPrompt number 7: please look at module 7.\n\n"
        "## claude-opus-4-5\n\nModule 07 is **fine**.\n"
    )
    assert len(threads) == 1
    assert threading.main_thread() not in threads  # they may be long


def test_selected_turns_are_pinned_and_labelled(selected: Person) -> None:
    navigator = selected.window.branches.list
    selected.until(lambda: not selected.window.branches.is_choosing)
    QTest.keyClick(navigator, Key.Key_P)
    selected.until(lambda: len(selected.tree.pins) == 3)
    assert len(navigator.selection.rows) == 3
    QTest.keyClick(navigator, Key.Key_L)
    QTest.keyClicks(selected.window.label_popup.field, "end")
    QTest.keyClick(selected.window.label_popup.field, Key.Key_Return)
    selected.until(lambda: list(selected.tree.labels.values()) == ["end"] * 3)


def test_two_turns_are_compared(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    view = person.window.branches
    person.until(lambda: view.outline is not None)
    person.gui.controllers.compare.open(person.key("ans000b0"), person.key("ans00004"))
    person.until(lambda: person.gui.controllers.compare.is_open)
    assert person.gui.controllers.compare.ends == (person.key("ans00004"), person.key("ans000b0"))
