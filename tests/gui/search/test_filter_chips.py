"""The filters of a search as buttons: what is typed can be seen on them."""

from __future__ import annotations

import pytest
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


def test_the_chips_keep_one_row_and_the_menu_of_more_has_those_that_do_not_fit(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words role:summary project:tea")
    found.show()
    assert not any(chip.isHidden() for chip in found.findChildren(QPushButton))
    alone, height = [action.text() for action in found.other_menu().actions()], found.sizeHint().height()
    found.offer("project", [("tea", "tea", 3)])
    found.resize(320, height)
    found.show_counts({"user": 1_200, "assistant": 3_400, "tool": 56_000, "summary": 7}, 12)
    assert found.sizeHint().height() == height
    shown = [chip for chip in found.findChildren(QPushButton) if not chip.isHidden()]
    assert len({chip.y() for chip in shown}) == 1
    assert all(chip.width() >= chip.sizeHint().width() and chip.geometry().right() < 320 for chip in shown)
    menu = found.other_menu()
    texts = [action.text() for action in menu.actions()]
    assert texts[-len(alone) :] == alone
    assert texts[-len(alone) - 6 : -len(alone)] == ["Summaries 7", "Abandoned 12", "Date", "Project", "Tool", ""]
    summaries = next(action for action in menu.actions() if action.text() == "Summaries 7")
    assert summaries.isChecked()
    assert "More: role:summary project:tea" in chosen(found)
    with qtbot.waitSignal(found.changed) as told:
        summaries.trigger()
    assert told.args == ["words project:tea"]
    project = next(action.menu() for action in menu.actions() if action.text() == "Project")
    assert isinstance(project, QMenu)
    with qtbot.waitSignal(found.changed) as told:
        project.actions()[-1].trigger()
    assert told.args == ["words role:summary"]


def test_a_chip_that_no_longer_fits_passes_the_focus_on(qtbot: QtBot, theme: Theme) -> None:
    found = chips(qtbot, theme, "words")
    found.show()
    found.activateWindow()
    found.off_path.setFocus()
    qtbot.waitUntil(found.off_path.hasFocus)
    found.resize(320, found.height())
    focused = found.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "More"
