"""An answer that comes late does not move a person who has gone elsewhere meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from stemmata.gui.cards.content import Action, Request
from stemmata.gui.search.rows import ResultHitRow
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

CHOSEN, ASIDE = "ans00001", "ans000b0"


class Late:
    """Holds back the answers of a method of a service; what it does is done at once."""

    def __init__(self, patch: pytest.MonkeyPatch, service: object, name: str) -> None:
        self._waiting: list[tuple[Future[Any], Future[Any]]] = []
        self._method: Callable[..., Future[Any]] = getattr(service, name)
        patch.setattr(service, name, self._ask)

    def _ask(self, *arguments: Any, **named: Any) -> Future[Any]:
        asked, out = self._method(*arguments, **named), Future[Any]()
        self._waiting.append((asked, out))
        return out

    @property
    def is_asked(self) -> bool:
        return bool(self._waiting)

    def answer(self) -> None:
        """Answer all that was asked."""
        waiting, self._waiting = self._waiting, []
        for asked, out in waiting:
            out.set_result(asked.result(PATIENCE))


@pytest.fixture
def reader(person: Person, session_file: Path) -> Person:
    """A person with an open session."""
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    return person


def until_delivered(person: Person) -> None:
    """Wait until all answers that are there were delivered and no turn is left that shows something."""
    done: list[bool] = []
    future = person.application.services.entries.bodies([])
    person.gui.bridge.when_done(future, lambda _none: done.append(True))
    person.until(lambda: bool(done))
    opened, branches = person.gui.opened, person.window.branches
    person.until(lambda: not branches.is_choosing and not opened.is_behind)


def other_session(person: Person) -> int:
    """Create another session; it is not opened."""
    made = person.application.services.branching.start().result(PATIENCE)
    person.until(lambda: made.key in person.gui.sessions.sessions)
    return made.key


def compact(person: Person) -> int:
    """Compact the session with the digest, and return the key of the compaction."""
    leaf = person.leaf
    person.gui.controllers.auto_compaction.use_digest()
    person.until(lambda: person.leaf != leaf)
    until_delivered(person)
    assert person.compaction is not None
    return person.compaction


def test_undoing_a_compaction_does_not_select_the_leaf_late(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    compaction, other = compact(reader), reader.key(CHOSEN)
    reader.gui.controllers.branches.continue_from(reader.key(ASIDE))  # so the compaction is not the last step
    reader.until(lambda: reader.leaf == reader.key(ASIDE))
    until_delivered(reader)
    leaf = reader.leaf
    late = Late(monkeypatch, reader.application.services.branching, "move_leaf")
    reader.gui.controllers.branches.undo_compaction(compaction)
    reader.until(lambda: late.is_asked and reader.leaf != leaf)
    reader.gui.opened.select(other)
    late.answer()
    until_delivered(reader)
    assert reader.gui.opened.selection == other


def test_deleting_a_branch_does_not_select_the_leaf_late(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf, other = reader.leaf, reader.key(CHOSEN)
    late = Late(monkeypatch, reader.application.services.branching, "trash")
    reader.gui.controllers.branches.trash(leaf)
    reader.until(lambda: late.is_asked and reader.leaf != leaf)
    reader.gui.opened.select(other)
    late.answer()
    until_delivered(reader)
    assert reader.gui.opened.selection == other


def test_a_copied_prompt_is_not_selected_late(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf, other = reader.leaf, reader.key(CHOSEN)
    reader.gui.controllers.compare.open(reader.key(ASIDE))
    reader.until(lambda: reader.gui.controllers.compare.is_open)
    late = Late(monkeypatch, reader.application.services.comparing, "copy_turn")
    reader.gui.controllers.compare.view.panel.copy.click()
    reader.until(lambda: late.is_asked and reader.leaf != leaf)
    reader.gui.controllers.compare.leave()
    reader.gui.opened.select(other)
    late.answer()
    until_delivered(reader)
    assert reader.gui.opened.selection == other


def test_the_summary_of_a_branch_is_not_selected_late(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    other, key = reader.key(CHOSEN), reader.gui.opened.key
    reader.until(reader.is_planned)
    reader.gui.opened.select(reader.key("usr00006"))
    reader.gui.controllers.summarise_from_entry()
    reader.until(reader.in_workbench)
    reader.until(reader.window.workbench.accept.isEnabled)
    late = Late(monkeypatch, reader.application.services.compaction, "run")
    reader.window.workbench.accept.click()
    reader.until(lambda: late.is_asked and reader.compaction is None)
    reader.gui.compaction.leave()
    reader.gui.opened.select(other)
    late.answer()
    until_delivered(reader)
    assert (reader.gui.opened.key, reader.gui.opened.selection) == (key, other)


def test_a_compaction_that_ends_late_leaves_the_preview_of_another_session_open(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.until(reader.is_planned)
    first = reader.gui.opened.key
    assert first is not None
    forked = reader.application.services.branching.fork(first, reader.leaf or 0).result(PATIENCE)
    reader.window.actions_table["compact"].trigger()
    reader.until(reader.in_workbench)
    reader.until(reader.window.workbench.accept.isEnabled)
    late = Late(monkeypatch, reader.application.services.compaction, "run")
    reader.window.workbench.accept.click()
    reader.until(lambda: late.is_asked)
    reader.gui.open_session(forked.key)
    reader.until(lambda: reader.gui.opened.session_tree is not None and reader.is_planned())
    reader.window.actions_table["compact"].trigger()
    reader.until(reader.in_workbench)
    late.answer()
    until_delivered(reader)
    assert reader.in_workbench()
    assert reader.gui.opened.key == forked.key


@pytest.mark.parametrize("how", ["fork", "start"])
def test_a_new_session_is_offered_to_a_person_who_opened_another_one(
    reader: Person, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    other = other_session(reader)
    late = Late(monkeypatch, reader.application.services.branching, how)
    if how == "fork":
        reader.gui.controllers.branches.fork(reader.leaf)
    else:
        reader.gui.controllers.chat.start()
    reader.until(lambda: late.is_asked)
    reader.gui.open_session(other)
    reader.until(lambda: reader.gui.opened.session_tree is not None)
    late.answer()
    reader.until(lambda: reader.window.toast.isVisible())
    until_delivered(reader)
    assert reader.gui.opened.key == other
    reader.window.toast.click()
    reader.until(lambda: reader.gui.opened.key not in (None, other))


def test_an_imported_session_is_offered_to_a_person_who_opened_another_one(
    reader: Person, session_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_session(reader)
    copy = tmp_path / "copy.jsonl"
    copy.write_text(session_file.read_text("utf-8").replace("journey-1", "journey-2"), "utf-8")
    late = Late(monkeypatch, reader.application.services.importing, "import_paths")
    reader.gui.controllers.importing.import_paths([str(copy)])
    reader.gui.open_session(other)
    reader.until(lambda: reader.gui.opened.session_tree is not None)
    late.answer()
    reader.until(lambda: reader.window.toast.isVisible())
    until_delivered(reader)
    assert reader.gui.opened.key == other
    reader.window.toast.click()
    reader.until(lambda: reader.gui.opened.key not in (None, other))


def test_an_undone_move_does_not_select_the_leaf_late(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf, other = reader.leaf, reader.key(CHOSEN)
    reader.gui.controllers.branches.continue_from(reader.key(ASIDE))
    reader.until(lambda: reader.leaf != leaf)
    until_delivered(reader)
    late = Late(monkeypatch, reader.application.services.histories, "undo")
    reader.window.actions_table["undo"].trigger()
    reader.until(lambda: late.is_asked and reader.leaf == leaf)
    until_delivered(reader)
    reader.gui.opened.view_entry(other)
    late.answer()
    until_delivered(reader)
    assert reader.gui.opened.selection == other


def test_an_edited_summary_goes_to_the_session_it_was_asked_for(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    compaction, other = compact(reader), other_session(reader)
    late = Late(monkeypatch, reader.application.services.entries, "bodies")
    reader.window.transcript.view.wanted.emit(compaction, Action(Request.EDIT_COMPACTION))
    reader.until(lambda: late.is_asked)
    monkeypatch.undo()
    reader.gui.open_session(other)
    reader.until(lambda: reader.gui.opened.session_tree is not None)
    late.answer()
    until_delivered(reader)
    assert reader.window.findChild(QWidget, "summaryDialog") is None


def test_a_match_that_is_found_late_does_not_scroll_away_from_a_chosen_entry(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.gui.controllers.finding.open()
    bar = reader.gui.controllers.finding.bar
    late = Late(monkeypatch, reader.application.services.entries, "counts")
    QTest.keyClicks(bar.field, "module 07 is")
    reader.until(lambda: late.is_asked)
    other = reader.key(CHOSEN)
    reader.gui.opened.view_entry(other)
    place = reader.window.transcript.view.place

    def is_counted() -> bool:
        late.answer()
        return bar.count_text == "1"

    reader.until(is_counted)
    assert reader.window.transcript.view.place == place


def test_enter_opens_no_hit_of_a_text_that_was_changed_since(reader: Person) -> None:
    reader.window.actions_table["search-sessions"].trigger()
    view, opened = reader.window.results, reader.gui.opened
    opened.view_entry(before := reader.key(CHOSEN))
    view.set_query("module")
    reader.until(lambda: any(isinstance(row, ResultHitRow) for row in view.model.rows))
    until_delivered(reader)
    view.select(next(row.hit.entry for row in view.model.rows if isinstance(row, ResultHitRow)))
    view.field.setFocus()
    view.field.end(False)
    QTest.keyClicks(view.field, " i")
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    QTest.keyClicks(view.field, "s fine")
    reader.until(lambda: view.field.text() == "module is fine" and "hit" in view.header.chip_label.text())
    reader.qtbot.wait(400)  # longer than the pause after typing
    until_delivered(reader)
    assert opened.selection == before


def test_a_session_that_is_chosen_while_that_of_a_hit_is_read_has_no_find_bar(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, hit = reader.gui.opened.key, reader.key(CHOSEN)
    second, third = other_session(reader), other_session(reader)
    reader.gui.open_session(second)
    reader.until(lambda: reader.gui.opened.session_tree is not None)
    with monkeypatch.context() as patch:
        late = Late(patch, reader.application.services.sessions, "open")
        reader.gui.controllers.search_sessions()
        reader.gui.controllers.results.entry_chosen.emit(first, hit, "module")
    assert reader.gui.controllers.finding.bar.isVisible()
    reader.gui.open_session(third)
    reader.until(lambda: reader.gui.opened.session_tree is not None)
    late.answer()
    until_delivered(reader)
    reader.until(lambda: not reader.gui.controllers.finding.bar.isVisible())
    assert reader.gui.opened.key == third


def test_the_leaf_is_shown_although_the_rows_are_those_of_an_earlier_tree(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.drop(session_file)
    opened, view = person.gui.opened, person.gui.controllers.branches
    person.until(lambda: opened.selection is not None and opened.selection == person.leaf)
    branches = person.window.branches
    person.until(lambda: branches.model.leaf_row is not None)
    monkeypatch.setattr(type(branches.model), "leaf_row", 0)
    view.go_to_leaf()
    person.until(lambda: not branches.is_choosing)
    assert opened.selection == branches.list.selected == person.leaf
