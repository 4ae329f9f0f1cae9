"""The filters of a search as buttons: what is typed can be seen on them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from stemmata.gui.search.view import LONGEST_CHOICE, FilterChips
from stemmata.gui.theme.theme import Theme


def chips(qtbot: QtBot, theme: Theme, text: str) -> FilterChips:
    found = FilterChips(theme, lambda: text)
    qtbot.addWidget(found)
    found.resize(2_000, found.sizeHint().height())
    found.refresh()
    return found


def chosen(found: FilterChips) -> dict[str, str]:
    """Return the text of each chip with a menu that has a chosen value, by its accessible name."""
    buttons = found.findChildren(QPushButton)
    return {chip.accessibleName(): chip.text() for chip in buttons if chip.property("chosen")}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("words", {}),
        ("after:7d", {"Date: Last 7 days": "Last 7 days ▾"}),
        ("before:7d", {"Date: before:7d": "before:7d ▾"}),
        ("after:2026-09 before:7d", {"Date: after:2026-09 before:7d": "after:2026-09 before:7d ▾"}),
        ("project:a&b", {"Project: a&b": "a&&b ▾"}),
        ("is:starred cost>0.5 word", {"More: is:starred cost>0.5": "More ▾"}),
        ("in:active", {"More: in:active": "More ▾"}),
        ("in:abandoned", {}),
    ],
)
def test_a_chip_shows_what_was_typed(qtbot: QtBot, theme: Theme, typed: str, expected: dict[str, str]) -> None:
    assert chosen(chips(qtbot, theme, typed)) == expected


def test_a_long_value_is_cut(qtbot: QtBot, theme: Theme) -> None:
    (text,) = chosen(chips(qtbot, theme, f"project:{'p' * 200}")).values()
    assert text == f"{'p' * (LONGEST_CHOICE - 1)}… ▾"


def test_any_time_removes_both_ends(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "word after:7d before:2026-09")
    with qtbot.waitSignal(found.changed) as told:
        found.date_menu().actions()[-1].trigger()
    assert told.args is not None
    assert told.args[0].split() == ["word"]


def test_a_chip_is_as_wide_as_its_new_number_at_once(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words")
    found.show()
    found.show_counts({}, 12_345)
    assert found.off_path.width() == found.off_path.sizeHint().width()


COUNTS = {"user": 1_200, "assistant": 3_400, "tool": 56_000, "summary": 7}
FULL = {"user": 12_345, "assistant": 23_456, "tool": 34_567, "summary": 45_678}


def shown(found: FilterChips) -> list[QPushButton]:
    return [chip for chip in found.findChildren(QPushButton) if not chip.isHidden()]


def test_the_chips_fill_two_rows_and_the_menu_of_more_has_those_that_do_not_fit(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words role:summary project:tea")
    found.show()
    assert not any(chip.isHidden() for chip in found.findChildren(QPushButton))
    alone = [action.text() for action in found.other_menu().actions()]
    found.offer("project", [("Tea", "Tea", 3), ("milk", "milk", 2)])
    found.resize(320, found.heightForWidth(320))
    found.show_counts(COUNTS, 12)
    names = [chip.accessibleName() or chip.text() for chip in shown(found)]
    assert names[:3] == ["Words", "Meaning", "Prompts"]
    assert names[-1] == "More: " + " ".join(["role:summary"] * ("Summaries" not in names) + ["project:tea"])
    places = [chip.geometry() for chip in shown(found)]
    tops = [place.top() for place in places]
    assert tops == sorted(tops)
    assert len(set(tops)) == 2
    for place, after in pairwise(places):
        assert place.right() < after.left() or place.bottom() < after.top()
    assert all(found.rect().contains(place) for place in places)
    assert all(chip.width() == chip.sizeHint().width() for chip in shown(found))
    menu = found.other_menu()
    texts = [action.text() for action in menu.actions()]
    folded = [chip for chip in found.findChildren(QPushButton) if chip.isHidden()]
    assert len(texts) == len(folded) + 1 + len(alone)
    assert texts[-len(alone) :] == alone
    project = next(action.menu() for action in menu.actions() if action.text() == "Project")
    assert isinstance(project, QMenu)
    assert [action.text() for action in project.actions() if action.isChecked()] == ["Tea  3"]
    with qtbot.waitSignal(found.changed) as told:
        project.actions()[-1].trigger()
    assert told.args == ["words role:summary"]


def test_a_folded_switch_is_an_action_of_more(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words role:summary")
    found.show()
    found.resize(240, found.heightForWidth(240))
    found.show_counts(COUNTS, 12)
    assert chosen(found)["More: role:summary"]
    summaries = next(action for action in found.other_menu().actions() if action.text() == "Summaries 7")
    assert summaries.isChecked()
    with qtbot.waitSignal(found.changed) as told:
        summaries.trigger()
    assert told.args == ["words"]


@pytest.mark.parametrize("width", range(240, 1_400, 60))
def test_counts_and_choices_do_not_change_the_height(qtbot: QtBot, theme: Theme, width: int) -> None:
    typed = [""]
    found = FilterChips(theme, lambda: typed[0])
    qtbot.addWidget(found)
    found.show()
    height = found.heightForWidth(width)
    found.resize(width, height)
    found.show_counts(FULL, 56_789)
    typed[0] = f"project:{'p' * 40} before:2026-09 after:2026-08"
    found.refresh()
    assert found.heightForWidth(width) == found.sizeHint().height() == height
    assert all(found.rect().contains(chip.geometry()) for chip in shown(found))


def test_one_row_is_enough_only_for_counts_of_five_digits(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "")
    found.show()
    row = found.heightForWidth(2_000)
    narrowest = next(width for width in range(240, 2_000) if found.heightForWidth(width) == row)
    assert found.heightForWidth(narrowest - 1) > 2 * row
    found.resize(narrowest, row)
    found.show_counts(dict.fromkeys(FULL, 88_888), 88_888)
    assert len(shown(found)) == 11
    assert len({chip.y() for chip in shown(found)}) == 1


def test_a_menu_marks_the_chosen_date(qtbot: QtBot, theme: Theme) -> None:
    for typed, expected in (("", "Any time"), ("after:7d", "Last 7 days"), ("before:7d", None)):
        marked = [each.text() for each in chips(qtbot, theme, typed).date_menu().actions() if each.isChecked()]
        assert marked == ([expected] if expected else [])


def test_the_first_chip_is_at_the_right_where_texts_run_from_right_to_left(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words")
    found.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    found.refresh()
    assert found.words.geometry().right() == found.rect().right()


def test_the_focused_chip_stays_while_counts_arrive(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words")
    found.show()
    found.activateWindow()
    found.resize(320, found.heightForWidth(320))
    last = shown(found)[-2]
    found.show_counts(FULL, 56_789)
    assert last.isHidden()  # as it is without the focus
    found.show_counts({}, 0)
    last.setFocus()
    qtbot.waitUntil(last.hasFocus)
    found.show_counts(FULL, 56_789)
    assert last.hasFocus()
    assert last.isVisible()
    assert found.rect().contains(last.geometry())


def test_a_chip_that_no_longer_fits_passes_the_focus_on(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words")
    found.show()
    found.activateWindow()
    found.show_counts(FULL, 56_789)
    found.off_path.setFocus()
    qtbot.waitUntil(found.off_path.hasFocus)
    found.resize(130, found.height())
    focused = found.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "More"
