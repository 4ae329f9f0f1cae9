"""Finding text in the open session, by keys alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from shiboken6 import delete

from stemmata.gui.transcript.find_bar import FindBar
from stemmata.services.sessions.sessions import Entries
from tests.fakes.transcripts import cards, said
from tests.journeys.person import Person


@pytest.fixture
def bar(person: Person, session_file: Path) -> FindBar:
    """The find bar, opened by its shortcut."""
    person.drop(session_file)
    person.window.branches.list.setFocus()
    person.window.actions_table["find-in-session"].trigger()
    return person.gui.controllers.finding.bar


def _find(person: Person, bar: FindBar, text: str, count: str) -> None:
    bar.field.clear()
    QTest.keyClicks(bar.field, text)
    person.until(lambda: bar.count_text == count)


def test_typing_counts_and_goes_to_the_first_match(person: Person, bar: FindBar) -> None:
    assert person.window.focusWidget() is bar.field
    QTest.keyClicks(bar.field, "prompt number")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    first = int(bar.count_text.split()[0])
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count_text == f"{first % 8 + 1} of 8"
    QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count_text == f"{first} of 8"
    assert f"Prompt number {first - 1}" in said(person.window.transcript.view)


def test_f3_goes_through_the_matches_of_one_card_and_unfolds_them(person: Person, bar: FindBar) -> None:
    _find(person, bar, "line of module 06", "1 of 700")
    assert "line of module 06" in said(person.window.transcript.view)
    person.window.actions_table["find-next"].trigger()
    assert bar.count_text == "2 of 700"
    person.window.actions_table["find-previous"].trigger()
    person.window.actions_table["find-previous"].trigger()
    assert bar.count_text == "700 of 700"
    marked = [part for card in cards(person.window.transcript.view) for part in card.spots()]
    assert any(spot.part.current == spot.start for spot in marked)


def test_one_match_is_set_off_at_a_time(person: Person, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "prompt number")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    for _ in range(3):
        person.window.actions_table["find-previous"].trigger()
        marked = [part for card in cards(person.window.transcript.view) for part in card.spots()]
        assert sum(spot.part.current == spot.start for spot in marked) == 1


def test_the_search_for_fewer_letters_ends(person: Person, bar: FindBar, monkeypatch: pytest.MonkeyPatch) -> None:
    """The db thread asks before each entry whether its answer is still wanted."""
    asked: list[tuple[str, Callable[[], bool]]] = []

    def held(_entries: Entries, _keys: Sequence[int], count: Any, **more: Any) -> Future[Any]:
        asked.append((count.keywords["needle"].lowered, more["is_wanted"]))
        return Future()

    monkeypatch.setattr(Entries, "counts", held)
    assert isinstance(person.application.services.entries, Entries)
    bar.field.setText("prompt")
    person.until(lambda: bool(asked))
    assert asked[-1][1]()
    bar.field.setText("prompt number")
    person.until(lambda: asked[-1][0] == "prompt number")
    assert not any(is_wanted() for text, is_wanted in asked if text == "prompt")
    assert asked[-1][1]()
    person.gui.controllers.finding.close()
    assert not asked[-1][1]()


def test_other_branches_are_counted_and_gone_to(person: Person, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "wrap before theming")
    person.until(bar.elsewhere.isVisible)
    assert bar.count_text == "No match"
    bar.elsewhere.click()
    person.until(lambda: bar.count_text == "1 of 1")
    assert "wrap before theming" in said(person.window.transcript.view)


def test_matches_of_a_path_that_is_no_longer_shown_are_not_gone_to(person: Person, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "prompt number")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    tree = person.tree
    shorter = next(leaf for leaf in tree.leaves if leaf != tree.get(person.leaf))
    person.gui.opened.view_entry(tree.key(shorter))
    for _ in range(9):
        person.gui.controllers.finding.step(1)
    person.until(lambda: not bar.count_text.endswith(" of 8"))


def test_case_whole_words_and_patterns(person: Person, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "prompt number")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    QTest.keyClick(bar.field, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    assert bar.options.case
    person.until(lambda: bar.count_text == "No match")
    bar.field.clear()
    QTest.keyClicks(bar.field, "Prompt number")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    QTest.keyClick(bar.field, Qt.Key.Key_W, Qt.KeyboardModifier.AltModifier)
    person.until(lambda: bar.count_text.endswith(" of 8"))
    _find(person, bar, "rompt number", "No match")
    QTest.keyClick(bar.field, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    bar.field.clear()
    QTest.keyClicks(bar.field, r"Prompt numb\w+ [0-3]")
    person.until(lambda: bar.count_text.endswith(" of 4"))
    before = bar.count_text
    person.window.actions_table["find-next"].trigger()
    assert bar.count_text != before
    assert any(card.spots() for card in cards(person.window.transcript.view))


def test_a_pattern_that_is_wrong_or_endless_is_told(person: Person, bar: FindBar) -> None:
    QTest.keyClick(bar.field, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    QTest.keyClicks(bar.field, "(module")
    person.until(lambda: bar.problem.isVisible())
    assert "not complete" in bar.problem.text()
    assert not bar.next.isEnabled()
    bar.field.clear()
    QTest.keyClicks(bar.field, r"(\w|\s|\w\w)+\d{9}")
    person.until(lambda: "too long" in bar.problem.text())
    assert not any(card.spots() for card in cards(person.window.transcript.view))
    bar.field.clear()
    QTest.keyClicks(bar.field, r"Prompt numb\w+")
    person.until(lambda: bar.count_text.endswith(" of 8"))
    assert not bar.problem.isVisible()


def test_escape_closes_and_gives_the_focus_back(person: Person, bar: FindBar) -> None:
    _find(person, bar, "module", bar.count_text)
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert person.window.focusWidget() is person.window.branches.list
    assert not person.window.actions_table["find-next"].isEnabled()
    assert not any(card.spots() for card in cards(person.window.transcript.view))


def test_closing_forgets_a_widget_that_was_deleted_meanwhile(person: Person, session_file: Path) -> None:
    """As the row of a queued message that was sent while the bar was open."""
    person.drop(session_file)
    row = QLineEdit(person.window)
    row.show()
    row.setFocus()
    person.window.actions_table["find-in-session"].trigger()
    bar = person.gui.controllers.finding.bar
    delete(row)
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
