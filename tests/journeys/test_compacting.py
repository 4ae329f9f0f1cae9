"""Compacting in the real window: look first, move the cut, edit, run, undo."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.compaction import digest_size
from stemmata.gui.compaction.summary_dialog import SummaryDialog
from stemmata.gui.core import freed_memory
from stemmata.gui.widgets.figures import figure_text
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.request import Compaction
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

STILL = 20  # looks at a place that does not change, each in a turn of its own


def test_compact_with_a_moved_cut_and_an_edited_summary_then_undo(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, before, leaf = person.window, person.total(), person.leaf
    person.until(person.is_planned)
    window.context.preview.compact.click()
    person.until(person.in_workbench)
    assert not window.sessions.isVisible()
    panel = window.workbench
    person.until(lambda: "## " in panel.summary.toPlainText() and panel.accept.isEnabled())
    cut = person.key("usr00006")
    window.transcript.view.cut_moved.emit(cut)
    person.until(lambda: person.first_kept() == cut)
    person.qtbot.wait(300)
    person.until(panel.accept.isEnabled)
    panel.summary.setPlainText("## Goal\nLook at every module.")
    panel.accept.click()
    person.until(lambda: person.leaf != leaf)
    assert not person.in_workbench()
    assert window.sessions.isVisible()
    compaction = person.tree.index(person.compaction or 0)
    assert person.tree.key(person.tree.columns.target[compaction]) == cut
    assert person.total() != before
    assert window.toast.text.startswith("Compacted ")
    person.until(lambda: window.focusWidget() is window.branches.list)
    window.toast.click()
    person.until(lambda: person.leaf == leaf)
    person.until(lambda: person.total() == before)


@pytest.mark.parametrize("most", [0, digest_size.MOST_MEASURED])
def test_the_digest_of_a_very_long_part_is_not_written_in_advance(
    person: Person, session_file: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    answer = Future[Compaction]()

    def draft(_self: Compactions, request: object, *_more: object) -> Future[Compaction]:
        asked.append(request)
        return answer

    monkeypatch.setattr(Compactions, "draft", draft)
    monkeypatch.setattr(digest_size, "MOST_MEASURED", most)
    person.drop(session_file)
    person.until(person.is_planned)
    if most:
        person.until(lambda: bool(asked))
    else:
        person.qtbot.wait(digest_size.MEASURE_MS + 50)
        assert not asked


def test_the_memory_of_a_digest_of_many_entries_is_given_back(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freed_memory, "MANY_TEXTS", 1)
    person.drop(session_file)
    person.until(person.is_planned)
    person.until(lambda: person.gui.freed_memory.is_waiting)
    person.gui.freed_memory.close()
    person.window.context.preview.compact.click()
    person.until(person.in_workbench)
    person.until(lambda: person.gui.freed_memory.is_waiting)  # the workbench shows the digest


def test_the_workbench_ends_the_digest_written_in_advance_and_tells_how_far_its_own_is(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts: list[tuple[Callable[[], bool], Callable[[int], object]]] = []

    def draft(
        _self: Compactions, _request: object, wanted: Callable[[], bool],
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> Future[Compaction]:  # fmt: skip
        drafts.append((wanted, tell))
        return Future()

    monkeypatch.setattr(Compactions, "draft", draft)
    person.drop(session_file)
    person.until(person.is_planned)
    person.until(lambda: len(drafts) == 1)
    assert drafts[0][0]()
    person.window.actions_table["compact"].trigger()
    person.until(lambda: len(drafts) == 2)
    assert not drafts[0][0]()
    is_wanted, tell = drafts[1]
    tell(40)
    person.until(lambda: person.window.workbench.draft_note.text() == "writing the digest… 40%")
    assert is_wanted()
    person.window.actions_table["leave-preview"].trigger()
    assert not is_wanted()
    tell(50)
    person.qtbot.wait(1)
    assert person.window.workbench.draft_note.text() == "writing the digest… 40%"


def test_leaving_the_workbench_changes_nothing(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    count = len(person.tree)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    person.window.actions_table["leave-preview"].trigger()
    assert not person.in_workbench()
    assert len(person.tree) == count
    assert person.window.actions_table["compact"].isEnabled()


def _compact(person: Person) -> None:
    """Open the workbench and wait for its summary."""
    panel = person.window.workbench
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled() and bool(panel.editor.text))


def _compact_with_own_words(person: Person) -> None:
    """Open the workbench and edit its summary."""
    _compact(person)
    person.window.workbench.editor.edit()
    QTest.keyClicks(person.window.workbench.editor.source, "My own words. ")


def _is_edited(person: Person) -> bool:
    return person.window.workbench.edited


def test_an_edited_summary_is_not_lost_by_leaving(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, panel = person.window, person.window.workbench
    leave = window.actions_table["leave-preview"]
    _compact_with_own_words(person)
    leave.trigger()
    assert person.in_workbench(), "the first Esc shows the preview again"
    assert not panel.editor.is_editing
    leave.trigger()
    assert not person.in_workbench()
    person.until(lambda: window.toast.text == "Your summary was not used.")
    window.toast.click()
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled())
    assert panel.edited
    assert panel.editor.text.startswith("My own words. ")
    leave.trigger()
    window.actions_table["compact"].trigger()
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled() and bool(panel.editor.text))
    assert not panel.edited, "the next one begins with a draft"


def test_a_summary_that_is_offered_again_comes_into_no_other_session(person: Person, session_file: Path) -> None:
    """The offer stays in the status line, also while the workbench is open again."""
    person.drop(session_file)
    window, panel = person.window, person.window.workbench
    leave, first = window.actions_table["leave-preview"], person.gui.opened.key
    assert first is not None
    other = person.application.services.branching.fork(first, person.key("ans00002")).result().key

    _compact_with_own_words(person)
    leave.trigger()
    leave.trigger()
    person.until(lambda: window.toast.text == "Your summary was not used.")
    _compact(person)
    window.toast.click()
    person.until(lambda: panel.editor.text.startswith("My own words. "))
    assert _is_edited(person), "the workbench that is open takes it"
    person.gui.open_session(other)
    person.until(lambda: person.gui.opened.key == other and person.gui.opened.session_tree is not None)
    _compact(person)
    assert not _is_edited(person)
    assert not panel.editor.text.startswith("My own words. ")


def test_an_edited_summary_is_there_again_when_its_session_is(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    panel, first = person.window.workbench, person.gui.opened.key
    assert first is not None
    other = person.application.services.branching.fork(first, person.key("ans00002")).result().key

    def go_to(session: int) -> None:
        person.gui.open_session(session)
        person.until(lambda: person.gui.opened.key == session and person.gui.opened.session_tree is not None)

    _compact_with_own_words(person)
    go_to(other)
    _compact(person)
    assert not _is_edited(person)
    go_to(first)
    _compact(person)
    assert _is_edited(person)
    assert panel.editor.text.startswith("My own words. ")


@pytest.mark.parametrize("is_at_end", [True, False])
def test_after_leaving_the_transcript_stands_where_it_stood(
    person: Person, session_file: Path, *, is_at_end: bool
) -> None:
    person.window.resize(1440, 500)
    person.drop(session_file)
    view = person.window.transcript.view
    person.until(person.is_planned)
    if not is_at_end:
        view.show_place(person.key("usr00002"), 10)
    before = view.place
    assert (before is None) is is_at_end
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    view.show_place(person.key("usr00004"), 0)  # as dragging the cut does
    person.window.actions_table["leave-preview"].trigger()
    person.until(lambda: view.place == before)
    person.qtbot.wait(1)
    assert view.place == before


def test_the_figures_follow_the_summary_that_was_written(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled())
    offer = person.gui.compaction.offer
    assert offer is not None
    assert offer.preview.forecast.summary == to_tokens(units(panel.summary.toPlainText()))
    assert offer.after.total.value == sum(figure.value or 0 for figure in offer.after.categories.values())


def test_the_size_of_a_typed_summary_waits_for_a_turn_of_its_own(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled())
    summary = person.gui.compaction.summary
    sizes, known = list[int](), list[int]()
    summary.drafted.connect(sizes.append)
    summary._typing.timeout.connect(lambda: known.append(len(sizes)))  # after the slot of the summary itself
    panel.summary.insertPlainText("Look at every module. ")
    size = to_tokens(units(panel.summary.toPlainText()))
    person.until(lambda: size in sizes)
    (before,) = known
    assert size not in sizes[:before]


def test_a_cut_that_cannot_be_had_leaves_the_last_one(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    compact = person.window.actions_table["compact"]
    person.until(person.is_planned)
    compact.trigger()
    person.until(person.in_workbench)
    cut = person.key("usr00006")
    person.window.transcript.view.cut_moved.emit(cut)
    person.until(lambda: person.first_kept() == cut)
    person.window.transcript.view.cut_moved.emit(person.key("usr00000"))
    person.qtbot.wait(400)
    assert person.in_workbench()
    assert person.first_kept() == cut
    person.window.actions_table["leave-preview"].trigger()
    person.qtbot.wait(100)
    assert compact.isEnabled()


def test_keeping_everything_is_no_dead_end(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    block, compact = person.window.context.preview, person.window.actions_table["compact"]
    person.until(person.is_planned)
    block.keep_changed.emit(1_000_000)
    person.qtbot.wait(200)
    assert compact.isEnabled()
    assert block.compact.isEnabled()


def test_undo_by_key_takes_the_offer_to_undo_away(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, leaf = person.window, person.leaf
    person.until(window.actions_table["prune"].isEnabled)
    window.actions_table["prune"].trigger()
    person.until(lambda: person.leaf != leaf and window.toast.isVisible())
    person.until(window.actions_table["undo"].isEnabled)
    window.actions_table["undo"].trigger()
    person.until(lambda: person.leaf == leaf)
    person.until(lambda: window.toast.text.startswith("Undone: pruning of"))
    total = person.gui.opened.context(person.gui.opened.leaf).breakdown.total
    assert window.toast.text.endswith(f". The context now has {figure_text(total)} tokens.")


@pytest.mark.parametrize("is_last", [True, False])
def test_an_undone_compaction_says_the_size_that_the_context_has_now(
    person: Person, session_file: Path, is_last: bool
) -> None:
    person.drop(session_file)
    window, leaf = person.window, person.leaf
    person.until(person.is_planned)
    person.gui.controllers.auto_compaction.use_digest()
    person.until(lambda: person.leaf != leaf and person.compaction is not None)
    compaction = person.compaction
    assert compaction is not None
    if not is_last:
        person.application.services.branching.label(person.gui.opened.key or 0, compaction, "kept").result()
        person.until(lambda: window.actions_table["undo"].text() == "Undo label “kept”")
    person.until(lambda: person.gui.controllers.history.of_session.next_undo is not None)
    person.gui.controllers.branches.undo_compaction(compaction)
    person.until(lambda: person.compaction is None and window.toast.text.endswith(" tokens."))
    total = person.gui.opened.context(person.gui.opened.leaf).breakdown.total
    assert window.toast.text.endswith(f". The context now has {figure_text(total)} tokens.")


def test_undo_on_a_card_undoes_its_compaction_and_no_newer_step(person: Person, session_file: Path) -> None:
    """Another part of the program stored a step that the window did not know yet, and that step was undone."""
    person.drop(session_file)
    window, leaf, key = person.window, person.leaf, person.gui.opened.key
    assert key is not None
    person.until(person.is_planned)
    person.gui.controllers.auto_compaction.use_digest()
    person.until(lambda: person.leaf != leaf and person.compaction is not None)
    compaction, history = person.compaction, person.gui.controllers.history
    assert compaction is not None
    person.until(lambda: (step := history.of_session.next_undo) is not None and step.leaf == person.leaf)
    person.application.services.branching.label(key, compaction, "kept").result()
    person.gui.controllers.branches.undo_compaction(compaction)  # before the window is told of the label
    person.until(lambda: "Something else was done meanwhile" in window.banner.text)
    person.until(lambda: bool(person.tree.labels))
    assert person.leaf is not None
    assert person.leaf != leaf
    person.gui.controllers.branches.undo_compaction(compaction)
    person.until(lambda: person.compaction is None)
    assert person.tree.labels


def test_what_a_toast_offers_for_a_session_goes_with_it(person: Person, session_file: Path) -> None:
    """The question whether to fork, and the undo of a pruning, would act on a session that is no longer open."""
    person.drop(session_file)
    window, first, leaf = person.window, person.gui.opened.key, person.leaf
    assert first is not None
    other = person.application.services.branching.fork(first, person.key("ans00002")).result().key

    def open_session(key: int) -> None:
        person.gui.open_session(key)
        person.until(lambda: person.gui.opened.key == key and person.gui.opened.session_tree is not None)

    person.until(person.is_planned)
    window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    person.gui.controllers.branches.fork(person.key("ans00002"))
    assert window.toast.isVisible()
    open_session(other)
    assert not window.toast.isVisible()
    open_session(first)
    person.until(window.actions_table["prune"].isEnabled)
    window.actions_table["prune"].trigger()
    person.until(lambda: person.leaf != leaf and window.toast.isVisible())
    window.toast.rest()
    assert window.status.offer.isVisible()
    open_session(other)
    assert not window.status.offer.isVisible()
    window.toast.tell("The import is done.", "Report")
    open_session(first)
    assert window.toast.isVisible()


def test_in_a_narrow_window_one_click_prunes(person: Person, session_file: Path) -> None:
    """There the context column, whose button prunes, hides itself."""
    person.drop(session_file)
    window, leaf = person.window, person.leaf
    link = window.status.prune
    assert not link.isVisible()
    window.resize(1024, 700)
    person.until(link.isVisible)
    window.actions_table["compact"].trigger()
    person.until(lambda: person.in_workbench() and not link.isVisible())  # the workbench offers it
    window.actions_table["leave-preview"].trigger()
    person.until(link.isVisible)
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    person.until(lambda: person.leaf != leaf and window.toast.text.startswith("Pruned "))
    person.until(lambda: not link.isVisible())  # nothing is left to prune
    window.actions_table["undo"].trigger()
    person.until(link.isVisible)
    window.resize(1440, 900)
    person.until(lambda: not link.isVisible())


def test_nothing_to_prune_is_no_error(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, leaf = person.window, person.leaf
    window.actions_table["prune"].trigger()
    person.until(lambda: person.leaf != leaf and window.toast.isVisible())
    window.toast.hide()
    window.actions_table["prune"].trigger()
    person.until(window.toast.isVisible)
    assert "Nothing to prune" in window.toast.text
    assert not window.banner.isVisible()


@pytest.mark.parametrize("notify", [True, False])
def test_a_pruning_by_the_button_leaves_its_note(person: Person, session_file: Path, notify: bool) -> None:
    person.application.services.preferences.change("compaction.notify", notify).result(PATIENCE)
    person.drop(session_file)
    window, leaf = person.window, person.leaf
    window.actions_table["prune"].trigger()
    person.until(lambda: person.leaf != leaf and window.toast.isVisible())
    last = person.tree.index(person.leaf or 0)
    if notify:
        [body] = person.application.services.entries.bodies([person.leaf or 0]).result(PATIENCE).values()
        title, context = plain_text(body.blocks).splitlines()
        assert title.startswith("🔧 Tool outputs pruned (≈ ")
        assert context.startswith("- 📊 Context: ≈ ")
        last = person.tree.parents[last]
    assert person.tree.kind(last) is Kind.TOOL_PRUNE
    window.toast.click()
    person.until(lambda: person.leaf == leaf)


def prune_and_compact(person: Person) -> None:
    """Open the workbench with the box of the pruning ticked."""
    person.until(person.is_planned)
    person.window.context.preview.prune_first.setChecked(True)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and panel.accept.isEnabled() and bool(panel.summary.toPlainText()))
    assert panel.prune_first.isChecked()
    panel.summary.setPlainText("## Goal\nLook at it.")


def test_prune_first_is_one_move_that_one_undo_takes_back(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    leaf, window = person.leaf, person.window
    for undo in (window.toast.click, window.actions_table["undo"].trigger):
        prune_and_compact(person)
        QTest.mouseClick(window.workbench.accept, Qt.MouseButton.LeftButton)
        person.until(lambda: window.toast.text.startswith("Compacted "))
        person.until(lambda: person.compaction is not None)
        above = person.tree.parents[person.tree.index(person.compaction or 0)]
        assert person.tree.kind(above) is Kind.TOOL_PRUNE
        person.until(window.actions_table["undo"].isEnabled)
        undo()
        person.until(lambda: person.leaf == leaf)
        assert not (window.toast.isVisible() and window.toast.text.startswith("Compacted "))


def test_prune_first_into_a_new_session_prunes_only_there(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, leaf, count = person.gui.opened.key, person.leaf, len(person.tree)
    prune_and_compact(person)
    panel = person.window.workbench
    drafted = panel.sizes.left.note.text()
    panel.summary.setPlainText("## Goal\n" + "Look at it again. " * 40)
    person.until(lambda: panel.sizes.left.note.text() != drafted)
    sizes = [panel.sizes.note.text().partition(" of ")[0], panel.sizes.left.note.text().partition(" ·")[0]]
    panel.new_session.setChecked(True)
    panel.accept.click()
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    assert f"({sizes[0]} → {sizes[1]})" in person.window.toast.text
    assert first is not None
    person.gui.open_session(first)
    person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
    assert (len(person.tree), person.leaf) == (count, leaf)


def test_an_older_compaction_is_gone_round_and_its_summary_edited(person: Person) -> None:
    """The demo: its compaction lies above the leaf."""
    person.gui.importing.open_demo()
    person.until(lambda: person.gui.opened.session_tree is not None)
    compaction = person.tree.key(next(iter(person.tree.of_kind(Kind.COMPACTION))))
    view, window = person.window.transcript.view, person.window
    view.wanted.emit(compaction, Action(Request.EDIT_COMPACTION))
    person.until(lambda: window.findChild(SummaryDialog) is not None)
    dialog = window.findChild(SummaryDialog)
    assert isinstance(dialog, SummaryDialog)
    dialog.editor.setPlainText("## Goal\nMine.")
    dialog.save.click()
    person.until(lambda: len(list(person.tree.of_kind(Kind.COMPACTION))) == 2)
    person.until(lambda: person.leaf == person.tree.key(list(person.tree.of_kind(Kind.COMPACTION))[-1]))
    parent = person.tree.key(person.tree.parents[person.tree.index(compaction)])
    view.wanted.emit(compaction, Action(Request.UNDO_COMPACTION))
    person.until(lambda: person.leaf == parent)


def test_a_short_session_can_be_compacted_too(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.gui.compaction.offer is not None)
    offer = person.gui.compaction.offer
    assert offer is not None
    assert 0 < len(offer.preview.plan.kept) < len(person.tree)
    person.window.context.preview.keep.slider.setValue(1)
    before = person.first_kept()
    person.until(lambda: person.first_kept() != before)
    smaller = person.gui.compaction.offer
    assert smaller is not None
    assert len(smaller.preview.plan.kept) < len(offer.preview.plan.kept)


def test_going_on_in_a_new_session_leaves_the_old_one_alone(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, count, leaf = person.gui.opened.key, len(person.tree), person.leaf
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and bool(panel.editor.text) and panel.accept.isEnabled())
    panel.new_session.setChecked(True)
    panel.accept.click()
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    assert not person.in_workbench()
    assert person.tree.kind(0) is Kind.COMPACTION
    assert person.window.toast.text.startswith("Continued in a new session")
    assert first is not None
    person.gui.open_session(first)
    person.until(lambda: person.gui.opened.key == first and person.gui.opened.session_tree is not None)
    assert (len(person.tree), person.leaf) == (count, leaf)


def test_compact_before_the_session_is_read_opens_the_workbench_then(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    opened = person.gui.opened
    key = opened.key
    assert key is not None
    opened.open(key, person.key("ans000b0"))
    assert opened.session_tree is None
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert opened.is_at_leaf


def test_the_button_too_waits_for_the_session(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    key, block = person.gui.opened.key, person.window.context.preview
    assert key is not None
    person.gui.open_session(key)
    assert (block.reason, person.gui.opened.session_tree) == ("Reading the session…", None)
    block.compact.click()
    person.until(person.in_workbench)
    assert not block.reason


def test_compact_says_why_there_is_nothing_to_compact(person: Person) -> None:
    window = person.window
    window.actions_table["new-chat"].trigger()
    person.until(lambda: person.gui.opened.key is not None)
    window.actions_table["compact"].trigger()
    person.until(window.toast.isVisible)
    assert window.toast.text == "Nothing to compact: the context is empty."
    assert not person.in_workbench()


def test_another_session_takes_the_wish_to_compact_away(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    key = person.gui.opened.key
    assert key is not None
    person.gui.open_session(key)
    person.window.actions_table["compact"].trigger()
    person.gui.open_session(key)
    person.until(person.is_planned)
    assert not person.in_workbench()


def test_after_compacting_the_branches_stand_on_the_new_leaf(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    window, leaf = person.window, person.leaf
    window.branches.list.select(person.key("usr00002"))
    window.branches.list.row_selected.emit(2)
    person.until(lambda: person.gui.opened.selection == person.key("usr00002"))
    window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    person.until(window.workbench.accept.isEnabled)
    window.workbench.accept.click()
    person.until(lambda: person.leaf != leaf and not person.in_workbench())
    branches = window.branches
    person.until(lambda: branches.model.row_of(person.leaf) == branches.model.leaf_row)
    person.until(lambda: branches.list.selected == branches.model.key(branches.model.leaf_row or 0))
    assert person.gui.opened.selection == person.leaf
    assert branches.list.is_in_sight(branches.model.leaf_row or 0)


def test_a_fork_out_of_the_preview_is_asked_for_twice_and_keeps_the_cut(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    window, session = person.window, person.gui.opened.key
    window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    cut = person.key("usr00006")
    window.transcript.view.cut_moved.emit(cut)
    person.until(lambda: person.first_kept() == cut)
    count = person.window.sessions_model.total
    window.transcript.view.wanted.emit(person.key("ans00006"), Action(Request.FORK))
    person.application.services.sessions.all().result(PATIENCE)
    assert window.sessions_model.total == count
    assert person.in_workbench()
    window.toast.click()
    person.until(lambda: window.sessions_model.total == count + 1)
    person.until(lambda: window.toast.text.startswith("Forked"))
    assert (person.gui.opened.key, person.first_kept()) == (session, cut)
    assert person.in_workbench()
    window.toast.click()
    person.until(lambda: person.gui.opened.key != session and person.gui.opened.session_tree is not None)


@pytest.mark.parametrize("place", ["column", "workbench"])
def test_no_tick_moves_the_box_from_under_the_pointer(person: Person, session_file: Path, place: str) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    window = person.window
    if place == "workbench":
        window.actions_table["compact"].trigger()
        person.until(person.in_workbench)
        person.until(window.workbench.accept.isEnabled)
    box = window.workbench.prune_first if place == "workbench" else window.context.preview.prune_first
    before = _place_of(box, person)
    for _tick in range(2):
        box.click()
        person.until(partial(_is_planned_anew, person, person.gui.compaction.offer))
        assert _place_of(box, person) == before


def _is_planned_anew(person: Person, offer: object) -> bool:
    return person.gui.compaction.offer is not offer


def _place_of(box: QWidget, person: Person) -> QPoint:
    """Return the place of a widget in the window once the columns are laid out, which takes several turns."""
    places: list[QPoint] = []

    def is_still() -> bool:
        places.append(box.mapTo(person.window, QPoint()))
        return len(places) > STILL and len(set(map(QPoint.toTuple, places[-STILL:]))) == 1

    person.until(is_still)
    return places[-1]


def test_a_click_on_the_ring_previews_a_compaction(person: Person, session_file: Path) -> None:
    """Also where the window is too narrow for the column of the context."""
    person.window.resize(1024, 700)
    person.drop(session_file)
    person.until(person.is_planned)
    ring = person.window.transcript.composer.foot.ring
    person.until(ring.isVisible)
    QTest.mouseClick(ring, Qt.MouseButton.LeftButton)
    person.until(person.in_workbench)
    accept = person.window.workbench.accept
    person.until(accept.isEnabled)
    person.see()
    assert not accept.visibleRegion().isEmpty()
