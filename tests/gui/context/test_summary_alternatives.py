"""Written summaries to choose from, and the page of their difference."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.compaction.alternatives import MOST, Alternatives
from stemmata.gui.compaction.difference import DifferencePage
from stemmata.gui.compaction.panel import DIGEST, MODEL
from stemmata.gui.compaction.summary_editor import DIFFERENCE, PREVIEW, SummaryEditor
from stemmata.gui.theme.theme import Theme
from stemmata.services.compaction.request import CompactionRequest


def asked(cut: int, focus: str = "", text: str = "text") -> CompactionRequest:
    return CompactionRequest(session=1, leaf=9, first_kept=cut, focus=focus, text=text)


def test_a_digest_of_the_same_subject_replaces_the_one_before() -> None:
    kept = Alternatives()
    one = kept.add(DIGEST, asked(3, text="old"), "")
    kept.edit(one.number, "mine")
    again = kept.add(DIGEST, asked(3, text="new"), "")
    assert (again.number, again.written, again.text) == (one.number, "new", "mine")
    assert [found.number for found in kept.of(asked(3))] == [one.number]


def test_a_model_that_writes_again_replaces_nothing() -> None:
    kept = Alternatives()
    texts = ("one", "two")
    numbers = [kept.add(MODEL, asked(3, text=text), "").number for text in texts]
    assert [found.text for found in kept.of(asked(3))] == list(texts)
    assert kept.best(MODEL, asked(3)) == kept.get(numbers[1])
    kept.choose(numbers[0])
    assert kept.best(MODEL, asked(3)) == kept.get(numbers[0])


def test_the_best_one_fits_cut_and_focus_and_else_is_the_last() -> None:
    kept = Alternatives()
    first, second = kept.add(MODEL, asked(3, "a"), ""), kept.add(MODEL, asked(4, "b"), "")
    assert kept.best(MODEL, asked(3, "a")) == first
    assert kept.best(MODEL, asked(5, "c")) == second
    assert kept.best(DIGEST, asked(3, "a")) is None
    kept.drop(MODEL)
    assert kept.best(MODEL, asked(3, "a")) is None
    assert kept.get(first.number) is None


def test_no_more_are_kept_than_needed() -> None:
    kept = Alternatives()
    for at in range(MOST + 5):
        kept.add(MODEL, asked(3, text=str(at)), "")
    assert kept.of(asked(3))[0].text == "5"
    kept.remove(kept.of(asked(3))[0].number)
    assert len(kept.of(asked(3))) == MOST - 1


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> DifferencePage:
    page = DifferencePage(theme)
    qtbot.addWidget(page)
    page.resize(420, 300)
    page.show()
    qtbot.waitExposed(page)
    return page


def test_the_lines_that_differ_are_marked(page: DifferencePage, theme: Theme) -> None:
    page.show_versions([("before", "## Goal\nOne.\nTwo.")])
    page.show_text("## Goal\nOne.\nThree.")
    assert page.canvas.diff.splitlines() == [" ## Goal", " One.", "-Two.", "+Three."]
    assert (page.counts.text(), page.area.accessibleDescription()) == ("+1 −1", "+1 −1")
    height = page.canvas.minimumHeight()
    assert height > 0
    theme.set_scale(200)
    assert page.canvas.minimumHeight() > height
    page.show_text("## Goal\nOne.\nTwo.")
    assert (page.canvas.diff, page.counts.text()) == ("", "no difference")


def test_the_chosen_version_stays_chosen(page: DifferencePage) -> None:
    page.show_text("c")
    page.show_versions([("one", "a"), ("two", "b")])
    assert page.other.currentText() == "two"
    page.show_versions([("zero", "z"), ("one", "a")])
    assert page.other.currentText() == "one"  # the last one, until one is chosen
    page.other.setFocus()
    QTest.keyClick(page.other, Qt.Key.Key_Up)
    assert page.other.currentText() == "zero"
    page.show_versions([("zero", "z"), ("one", "a"), ("two", "b")])
    assert page.other.currentText() == "zero"
    QTest.keyClick(page.other, Qt.Key.Key_Down)
    page.show_versions([("one", "a"), ("two", "b"), ("three", "d")])
    assert page.other.currentText() == "one"
    page.show_versions([("two", "b")])
    assert page.other.currentText() == "two"
    page.show_versions([])
    page.show_text("d")
    assert page.canvas.diff.splitlines() == ["-b", "+c"]  # of no interest any more: the page is hidden


def test_without_versions_the_page_is_hidden(qtbot: QtBot, theme: Theme) -> None:
    editor = SummaryEditor(theme)
    qtbot.addWidget(editor)
    editor.show()
    editor.set_text("new")
    for _ in range(2):
        editor.show_versions([("old one", "old")])
    assert editor.switch.tabRect(DIFFERENCE).width() > 0
    editor.switch.setCurrentIndex(DIFFERENCE)
    assert editor.difference.canvas.diff.splitlines() == ["-old", "+new"]
    editor.focus_page()
    assert editor.focusWidget() is editor.difference.area
    editor.set_text("newer")
    assert editor.difference.canvas.diff.splitlines() == ["-old", "+newer"]
    editor.show_versions([])
    assert editor.switch.currentIndex() == PREVIEW
    assert not editor.switch.isTabVisible(DIFFERENCE)


def test_a_difference_too_long_to_compare_is_shown_all_the_same(page: DifferencePage) -> None:
    page.show_versions([("old", "\n".join(f"old {at}" for at in range(5_000)))])
    page.show_text("\n".join(f"new {at}" for at in range(5_000)))
    assert page.counts.text() == "+5000 −5000"
