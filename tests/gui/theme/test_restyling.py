"""Another theme or size of text while the window is used: many short turns, and the same result."""

from __future__ import annotations

from itertools import count

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from stemmata.gui.theme.restyling import in_turns
from stemmata.gui.theme.theme import Scheme, Theme


@pytest.fixture
def theme(application: QApplication) -> Theme:
    theme = Theme("dark")
    theme.apply(application)
    theme.takes_turns = True
    return theme


@pytest.fixture
def one_step_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each step last longer than a turn has time for."""
    monkeypatch.setattr("stemmata.gui.theme.restyling.thread_time", count().__next__)


class Told(QLabel):
    """A label that writes down when it is styled."""

    def __init__(self, text: str, told: list[str], parent: QWidget) -> None:
        super().__init__(text, parent)
        self._told = told

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._told.append(self.text())


def _window(qtbot: QtBot) -> QWidget:
    """A window with labels of several roles, a button, a field and a list."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for role in ("dim", "heading", "chip", ""):
        label = QLabel(f"A {role} label")
        label.setProperty("role", role)
        column.addWidget(label)
    rows = QListWidget()
    rows.addItems(["one", "two"])
    for widget in (QPushButton("Press"), QLineEdit("Type"), rows):
        column.addWidget(widget)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(300, 400)
    window.show()
    return window


def _picture(window: QWidget) -> QImage:
    QApplication.processEvents()
    return window.grab().toImage()


def _finish(qtbot: QtBot, theme: Theme) -> None:
    qtbot.waitUntil(lambda: not theme.is_changing)


def test_a_change_in_turns_looks_like_one_made_at_once(application: QApplication, theme: Theme, qtbot: QtBot) -> None:
    window = _window(qtbot)
    looks: tuple[tuple[Scheme, int], ...] = ("light", 100), ("high-contrast", 130), ("dark", 100)
    for scheme, scale in looks:
        theme.set_scheme(scheme)
        theme.set_scale(scale)
        _finish(qtbot, theme)
        changed = _picture(window)
        theme.apply(application)
        assert changed == _picture(window), f"{scheme} at {scale} %"


def test_colours_of_a_sheet_do_not_stay_behind(theme: Theme, qtbot: QtBot) -> None:
    window = _window(qtbot)
    label = window.findChildren(QLabel)[0]
    theme.set_scheme("light")
    _finish(qtbot, theme)
    label.setProperty("role", "")
    label.style().unpolish(label)
    label.style().polish(label)
    assert label.palette().windowText().color() == theme.color("text")
    QApplication.instance().setStyleSheet("")  # type: ignore[union-attr]
    assert label.palette().windowText().color() == QApplication.palette().windowText().color()


def test_one_widget_is_styled_in_a_turn_that_has_no_time_left(
    theme: Theme, qtbot: QtBot, one_step_a_turn: None
) -> None:
    told: list[str] = []
    window = QWidget()
    qtbot.addWidget(window)
    outer = Told("outer", told, window)
    middle = Told("middle", told, outer)
    Told("inner", told, middle)
    gone = Told("gone", told, middle)
    window.show()
    told.clear()
    theme.set_scheme("light")
    delete(gone)
    shares = []
    while theme.is_changing:
        before = len(told)
        theme.take_turn()
        shares.append(len(told) - before)
    assert told == ["outer", "middle", "inner"]  # each once, none before the widget around it
    assert max(shares) == 1


def test_each_turn_of_a_change_is_asked_for(theme: Theme, qtbot: QtBot) -> None:
    """A turn of a change came beside the turns of what it had changed: 15 ms together."""
    asked: list[int] = []
    theme.start_turn = lambda: asked.append(1)
    theme.set_scheme("light")
    assert asked == [1]
    qtbot.wait(20)
    turns = 0
    while theme.is_changing:
        assert len(asked) == turns + 1
        theme.take_turn()
        turns += 1
    assert turns > 5


def test_a_widget_that_is_made_during_a_change_has_the_new_colours(
    theme: Theme, qtbot: QtBot, one_step_a_turn: None
) -> None:
    window = _window(qtbot)
    theme.set_scheme("light")
    made: list[QLabel] = []
    while theme.is_changing:
        theme.take_turn()
        made.append(QLabel("new", window))
        made[-1].show()
        if len(made) > 10_000:
            pytest.fail("the change does not end")
        if len(made) > 40:
            _finish(qtbot, theme)
    assert {label.palette().windowText().color().name() for label in made} == {theme.color("text").name()}


def test_widths_follow_in_one_turn_and_texts_in_the_next(theme: Theme, qtbot: QtBot) -> None:
    order: list[str] = []
    turn = 0
    for name in ("changed", "room_changed", "texts_changed"):
        getattr(theme, name).connect(lambda name=name: order.append(f"{name} {turn}"))
    theme.set_scale(120)
    assert order == []
    while theme.is_changing:
        theme.take_turn()
        turn += bool(order)
    assert order == ["changed 0", "room_changed 1", "texts_changed 2"]


def test_a_change_that_is_overtaken_leaves_no_widget_out(theme: Theme, qtbot: QtBot, one_step_a_turn: None) -> None:
    window = _window(qtbot)
    for steps in range(0, 40, 3):
        theme.set_scheme("light" if steps % 2 else "high-contrast")
        for _ in range(steps):
            theme.take_turn()
        theme.set_scheme("dark")
    _finish(qtbot, theme)
    for widget in (window, *window.findChildren(QWidget)):
        assert widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)
        assert not widget.testAttribute(Qt.WidgetAttribute.WA_SetStyle)
        assert widget.updatesEnabled()
    assert window.findChildren(QPushButton)[0].palette().buttonText().color() == theme.color("text")


def test_turns_end_when_the_time_of_one_is_over() -> None:
    assert list(in_turns(iter(range(3)), -1.0)) == [None] * 3
    assert list(in_turns(iter(range(3)), 1000.0)) == []


# -- clicks --------------------------------------------------------------------------------------------------------


def _click(widget: QWidget) -> None:
    """Click the middle of a widget as the window system does, where it is now."""
    window = widget.window()
    at = widget.mapTo(window, widget.rect().center())
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def _shown(qtbot: QtBot) -> tuple[QWidget, QPushButton, QListWidget]:
    window = _window(qtbot)
    window.hide()
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, on=False)
    window.show()
    qtbot.waitExposed(window)
    QApplication.processEvents()
    return window, window.findChildren(QPushButton)[0], window.findChildren(QListWidget)[0]


def test_a_click_during_a_change_waits_for_its_end(theme: Theme, qtbot: QtBot) -> None:
    window, button, rows = _shown(qtbot)
    clicked: list[bool] = []
    button.clicked.connect(lambda: clicked.append(window.updatesEnabled()))
    theme.set_scheme("light")
    _click(button)
    _click(rows.viewport())
    assert clicked == []
    assert rows.currentRow() == -1
    _finish(qtbot, theme)
    qtbot.waitUntil(lambda: clicked == [True])
    _click(button)
    assert clicked == [True, True]


def test_a_click_reaches_what_was_clicked_though_it_moves(theme: Theme, qtbot: QtBot) -> None:
    window, button, _rows = _shown(qtbot)
    got: list[QPoint] = []
    button.clicked.connect(lambda: got.append(button.pos()))
    before = button.geometry()
    theme.set_scale(200)
    _click(button)
    _finish(qtbot, theme)
    qtbot.waitUntil(lambda: bool(got))
    assert not button.geometry().contains(before.center()), "the button has to move for this test"
    assert len(got) == 1
    assert window.isVisible()


def test_a_click_into_rows_that_move_is_dropped(theme: Theme, qtbot: QtBot) -> None:
    _window, _button, rows = _shown(qtbot)
    pressed: list[QMouseEvent] = []
    rows.pressed.connect(pressed.append)
    theme.set_scale(200)
    first = rows.visualItemRect(rows.item(0)).center()
    at = rows.viewport().mapTo(rows.window(), first)
    QTest.mouseClick(rows.window().windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    _finish(qtbot, theme)
    QApplication.processEvents()
    assert pressed == []
    assert rows.currentRow() == -1
