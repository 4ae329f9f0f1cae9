"""Bars, the ring, the chart and the cut line: what a screen reader finds in them, and can do."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleActionInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.cut import CutLine
from stemmata.gui.widgets.stacked_bar import Segment, StackedBar
from tests.accessible.scenes import SCENES, until
from tests.accessible.tree import interfaces, told

Text = QAccessible.Text
ACTIONS = QAccessibleActionInterface


def words(widget: QWidget) -> tuple[QAccessible.Role, str, str, str]:
    """Return role, name, value and description of an interface."""
    found = told(widget)
    return found.role(), found.text(Text.Name), found.text(Text.Value), found.text(Text.Description)


def test_a_bar_says_how_full_it_is_and_of_what(theme: Theme, qtbot: QtBot) -> None:
    bar = StackedBar(theme, name="Before")
    qtbot.addWidget(bar)
    assert words(bar) == (QAccessible.Role.ProgressBar, "Before", "", "")
    bar.set_segments([Segment(20, "user", "User 20"), Segment(30, "tool", "Tool results ≈ 30")], 200)
    assert words(bar) == (QAccessible.Role.ProgressBar, "Before", "25%", "User 20, Tool results ≈ 30")
    bar.setAccessibleName("After")
    assert words(bar)[1] == "After"


def test_the_bars_and_the_ring_of_the_window_have_names_and_values(reading: Application) -> None:
    SCENES["workbench"](reading)
    bars = [bar for bar in reading.window.findChildren(StackedBar) if bar.isVisible()]
    assert all(words(bar)[1] for bar in bars)
    assert {"Before", "After"} <= {words(bar)[1] for bar in bars}
    assert all(words(bar)[2].endswith("%") and words(bar)[3] for bar in bars)


def test_the_ring_says_what_the_next_request_takes(reading: Application) -> None:
    role, name, value, description = words(reading.window.transcript.composer.foot.ring)
    assert (role, name) == (QAccessible.Role.ProgressBar, "Next request")
    assert value == "17.7k · 9%"
    assert "Window: 200k" in description


def line_of(application: Application) -> CutLine:
    SCENES["workbench"](application)
    (line,) = application.window.transcript.view.findChildren(CutLine)
    until(line.isVisible)
    return line


def test_the_cut_line_is_a_slider(reading: Application) -> None:
    line = line_of(reading)
    role, name, value, description = words(line)
    assert (role, name) == (QAccessible.Role.Slider, "Where the summary ends")
    assert value.startswith("everything above is summarised · ")
    assert "↑ and ↓" in description
    assert line in [item.object() for item, _depth in interfaces(told(reading.window.transcript.view))]


@pytest.mark.parametrize(
    ("action", "key", "step"),
    [(ACTIONS.increaseAction(), Qt.Key.Key_Up, -1), (ACTIONS.decreaseAction(), Qt.Key.Key_Down, 1)],
)
def test_the_cut_is_moved_by_keys_and_by_what_screen_readers_do(
    theme: Theme, qtbot: QtBot, action: str, key: Qt.Key, step: int
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    line = CutLine(theme, parent)
    steps = list[int]()
    line.stepped.connect(steps.append)
    told(line).actionInterface().doAction(action)
    QTest.keyClick(line, key)
    assert steps == [step, step]


def test_moving_the_cut_changes_what_is_said(reading: Application) -> None:
    line = line_of(reading)
    before = line.spoken
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Up)
    until(lambda: line.spoken != before)
