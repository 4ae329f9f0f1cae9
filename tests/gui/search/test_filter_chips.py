"""The filters of a search as buttons: what is typed can be seen on them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from stemmata.gui.search.view import LONGEST_CHOICE, FilterChips
from stemmata.gui.theme.theme import Theme


def chips(qtbot: QtBot, theme: Theme, text: str) -> FilterChips:
    found = FilterChips(theme, lambda: text)
    qtbot.addWidget(found)
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
    found.resize(600, 100)
    found.show()
    found.show_counts({}, 12_345)
    assert found.off_path.width() == found.off_path.sizeHint().width()
