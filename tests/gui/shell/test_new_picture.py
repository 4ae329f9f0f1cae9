"""A window that changes as a whole keeps its old picture until the new one is complete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from stemmata.gui.core import turns
from stemmata.gui.core.turns import BUSY
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.new_picture import SUDDEN, NewPicture, TellingLayout, _Copies
from tests.gui.theme.columns_window import ColumnsWindow, Painted


class Resized(QWidget):
    """A window that counts clicks."""

    pressed = 0

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.pressed += 1


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    palette, font = qapp.palette(), qapp.font()
    theme = Theme("dark")
    theme.apply(qapp)
    theme.takes_turns = True
    yield theme
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.fixture
def window(theme: Theme, qtbot: QtBot) -> ColumnsWindow:
    theme.takes_turns = True
    window = ColumnsWindow(qtbot, Resized(), TellingLayout)
    for column in window.columns:
        column.color = QColor("blue")
    window.count()
    return window


@pytest.fixture
def new(window: ColumnsWindow, theme: Theme) -> NewPicture:
    new = NewPicture(window.widget, window.splitter, theme)
    assert isinstance(window.layout, TellingLayout)
    window.layout.about_to_change.connect(new.resize)
    window.layout.has_changed.connect(new.cover_columns)
    return new


def _inside(column: Painted) -> Painted:
    """Add a widget that fills the column and has its colour."""
    inside = Painted()
    inside.color = column.color
    QVBoxLayout(column).addWidget(inside)
    QApplication.processEvents()
    return inside


def _color(widgets: list[Painted], name: str) -> None:
    for widget in widgets:
        widget.color = QColor(name)


def _grow(window: ColumnsWindow, by: int) -> None:
    window.widget.resize(window.widget.width() + by, window.widget.height() + by)


def _shown(window: ColumnsWindow) -> set[str]:
    """Return the colours near the upper left corner of both columns, as they were at the first size."""
    picture = window.widget.screen().grabWindow(window.widget.winId()).toImage()
    return {picture.pixelColor(QPoint(x, 60)).name() for x in (40, 360)}


def test_the_old_picture_stays_until_the_new_one_is_complete(new: NewPicture, window: ColumnsWindow) -> None:
    _grow(window, SUDDEN)
    shares, seen = [], []
    while new.is_painting:
        QApplication.sendPostedEvents()  # paints, in this turn
        seen.append(_shown(window))
        new.take_turn()
        shares.append(window.count())
    first_new = seen.index({"#0000ff"})
    assert seen == [{"#ff0000"}] * first_new + [{"#0000ff"}] * (len(seen) - first_new)
    assert sum(shares[:first_new]) == 2  # each column into its picture
    QApplication.processEvents()
    shares.append(window.count())
    assert max(shares) == 1
    assert _shown(window) == {"#0000ff"}


def test_an_edge_that_is_dragged_shows_a_column_in_each_turn(new: NewPicture, window: ColumnsWindow) -> None:
    places = [_inside(column) for column in window.columns]
    _color([*window.columns, *places], "red")
    window.widget.repaint()
    _color([*window.columns, *places], "blue")  # the window shows red until something is painted anew
    window.count()
    for step in range(3):
        heights, painted, seen = [place.height() for place in places], [], []
        _grow(window, SUDDEN - 1)
        while new.is_painting:
            QApplication.sendPostedEvents()  # paints, in this turn
            painted.append(window.count())
            seen.append(window.seen())
            new.take_turn()
        QApplication.sendPostedEvents()
        painted.append(window.count())
        assert [place.height() for place in places] == [height + SUDDEN - 1 for height in heights]
        assert [count for count in painted if count] == [1, 1]
        if step == 0:
            assert "#0000ff" not in seen[0]  # the old picture
            assert {"#ff0000", "#0000ff"} in seen  # one column is new
        assert _shown(window) == {"#0000ff"}


def test_what_a_column_showed_moves_with_it(new: NewPicture, window: ColumnsWindow) -> None:
    window.splitter.setSizes([100, 300])
    window.first.color = QColor("green")
    for column in window.columns:
        _inside(column)
        layout = column.layout()
        assert layout is not None
        layout.setContentsMargins(0, 0, 0, 0)
    QApplication.processEvents()
    window.widget.repaint()
    window.splitter.setStretchFactor(0, 1)
    window.splitter.setStretchFactor(1, 0)
    place = window.second.mapTo(window.widget, window.second.rect().center())
    _grow(window, 50)
    QApplication.sendPostedEvents()
    assert window.second.mapTo(window.widget, window.second.rect().center()).x() > place.x() + 40
    assert new.is_painting
    picture = window.widget.screen().grabWindow(window.widget.winId()).toImage()
    left = window.second.mapTo(window.widget, QPoint()).x()
    assert picture.pixelColor(left + 1, place.y()).name() == "#0000ff"  # its own, not that of the first column
    assert picture.pixelColor(left - 30, place.y()).name() == window.widget.palette().window().color().name()


def test_a_column_that_is_closed_while_an_edge_is_dragged_leaves_no_picture(
    new: NewPicture, window: ColumnsWindow, qtbot: QtBot
) -> None:
    inside = _inside(window.first)
    _inside(window.second)
    _grow(window, 5)
    window.second.setParent(None)
    _grow(window, 5)
    while new.is_painting:
        new.take_turn()
        QApplication.sendPostedEvents()
    qtbot.addWidget(window.second)
    layout = window.second.layout()
    assert layout is not None
    assert layout.isEnabled()
    assert inside.width() == window.first.width() - 2 * inside.x()
    assert [w for w in QApplication.allWidgets() if w.parent() is window.widget] == [window.splitter]


def test_a_column_that_is_deleted_while_an_edge_is_dragged_leaves_no_picture(
    new: NewPicture, window: ColumnsWindow
) -> None:
    inside = _inside(window.first)
    _inside(window.second)
    _grow(window, 5)
    delete(window.second)
    while new.is_painting:
        new.take_turn()
    assert inside.width() == window.first.width() - 2 * inside.x()
    assert [w for w in QApplication.allWidgets() if w.parent() is window.widget] == [window.splitter]


def test_a_hidden_column_has_no_picture(new: NewPicture, window: ColumnsWindow) -> None:
    for column in (*window.columns, window.hidden):
        _inside(column)
    window.hidden.color = QColor("green")
    _grow(window, 5)
    pictures = [w for w in QApplication.allWidgets() if w.parent() is window.widget and w is not window.splitter]
    assert len(pictures) == 2
    while new.is_painting:
        new.take_turn()
    assert [w for w in QApplication.allWidgets() if w.parent() is window.widget] == [window.splitter]


def test_a_step_that_cannot_wait_ends_the_one_before(new: NewPicture, window: ColumnsWindow, theme: Theme) -> None:
    places = [_inside(column) for column in window.columns]
    heights = [place.height() for place in places]
    _grow(window, 5)
    theme.takes_turns = False
    _grow(window, 5)
    assert not new.is_painting
    QApplication.processEvents()
    assert [place.height() for place in places] == [height + 10 for height in heights]


def test_each_column_is_shown_while_the_edge_moves_again_and_again(new: NewPicture, window: ColumnsWindow) -> None:
    places = [_inside(column) for column in window.columns]
    before = [place.height() for place in places]
    _grow(window, 5)
    for _ in range(6):
        QApplication.sendPostedEvents()
        new.take_turn()
        QApplication.sendPostedEvents()
        assert new.is_painting
        _grow(window, 5)
    assert all(place.height() > height for place, height in zip(places, before, strict=True))
    assert _shown(window) == {"#0000ff"}
    while new.is_painting:
        new.take_turn()
    assert [place.height() for place in places] == [height + 35 for height in before]


def test_an_edge_that_moves_after_a_column_is_laid_out_lays_it_out_again(
    new: NewPicture, window: ColumnsWindow
) -> None:
    place = _inside(window.first)
    before = place.height()
    _grow(window, 5)
    while place.height() == before:
        new.take_turn()
    _grow(window, 7)  # before the other column is laid out
    while new.is_painting:
        new.take_turn()
    assert place.height() == before + 12


def test_the_memory_of_copies_is_given_back(
    new: NewPicture, window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    (copies,) = (child for child in new.children() if isinstance(child, _Copies))
    monkeypatch.setattr("stemmata.gui.window.new_picture.FORGOTTEN", 0)
    _grow(window, 5)
    memory = copies.memory
    assert not memory.isNull()
    _grow(window, 5)
    assert copies.memory is memory  # the same for each step
    qtbot.waitUntil(lambda: copies.memory.isNull())


def test_another_page_is_shown_while_an_edge_is_dragged(new: NewPicture, window: ColumnsWindow, qtbot: QtBot) -> None:
    _grow(window, 5)
    new.begin()
    assert new.is_painting
    QApplication.sendPostedEvents()
    assert "#000000" not in _shown(window)  # what the window shows was thrown away, so it is painted at once
    assert _shown(window) <= {"#ff0000", "#0000ff"}
    qtbot.waitUntil(lambda: not new.is_painting)
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}


def test_a_resize_meanwhile_is_painted_at_once(new: NewPicture, window: ColumnsWindow) -> None:
    _grow(window, SUDDEN)
    new.take_turn()
    _grow(window, SUDDEN)
    assert not new.is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}
    assert window.widget.updatesEnabled()


def test_a_theme_that_changes_meanwhile_paints_the_window(
    new: NewPicture, window: ColumnsWindow, theme: Theme, qtbot: QtBot
) -> None:
    _grow(window, SUDDEN)
    theme.set_scheme("light")
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert not new.is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}
    theme.set_scheme("dark")
    _grow(window, SUDDEN)
    assert not new.is_painting
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert all(column.updatesEnabled() for column in window.columns)


def test_a_click_into_the_old_picture_waits_for_the_new_one(
    new: NewPicture, window: ColumnsWindow, qtbot: QtBot
) -> None:
    assert isinstance(window.widget, Resized)
    _grow(window, SUDDEN)
    QTest.mouseClick(
        window.widget.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(3, 3)
    )
    assert window.widget.pressed == 0
    qtbot.waitUntil(lambda: not new.is_painting)
    qtbot.waitUntil(lambda: isinstance(window.widget, Resized) and window.widget.pressed == 1)


@pytest.mark.parametrize("scrolled", [False, True])
def test_a_click_into_a_list_reaches_the_row_that_was_seen(
    new: NewPicture, window: ColumnsWindow, qtbot: QtBot, *, scrolled: bool
) -> None:
    rows = QListWidget()
    rows.addItems([f"row {at}" for at in range(100)])
    QVBoxLayout(window.first).addWidget(rows)
    QApplication.processEvents()
    third = rows.viewport().mapTo(window.widget, rows.visualItemRect(rows.item(2)).topLeft() + QPoint(5, 5))
    new.begin()
    window.splitter.setSizes([100, 300])
    QTest.mouseClick(window.widget.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, third)
    if scrolled:
        rows.scrollToBottom()
    qtbot.waitUntil(lambda: not new.is_painting)
    QApplication.processEvents()
    assert rows.currentRow() == (-1 if scrolled else 2)  # where the person saw another row, the click is dropped


def test_a_platform_that_does_not_tell_its_picture_is_painted_at_once(
    new: NewPicture, window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemmata.gui.window.new_picture.TELL_PICTURE", ())
    _grow(window, SUDDEN)
    assert not new.is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}


def test_a_window_that_nobody_has_opened_is_painted_at_once(
    new: NewPicture, window: ColumnsWindow, theme: Theme
) -> None:
    theme.takes_turns = False
    _grow(window, SUDDEN)
    assert not new.is_painting


def test_a_page_is_seen_when_all_of_it_is_painted(new: NewPicture, window: ColumnsWindow) -> None:
    window.hidden.color = QColor("green")
    new.begin()
    window.pages.setCurrentWidget(window.hidden)
    window.first.update()
    seen = []
    while new.is_painting:
        QApplication.sendPostedEvents()
        seen.append(tuple(sorted(_shown(window))))
        new.take_turn()
    shown = dict.fromkeys(seen)
    assert [*shown] == [("#ff0000",), ("#0000ff", "#008000")]


def test_columns_are_laid_out_one_in_a_turn(
    new: NewPicture, window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemmata.gui.window.new_picture.MOST_SECONDS", -1)
    inside = [_inside(column) for column in window.columns]
    before = [widget.width() for widget in inside]
    new.begin()
    window.splitter.setSizes([100, 300])
    changed = []
    for _ in range(4):
        changed.append(sum(widget.width() != width for widget, width in zip(inside, before, strict=True)))
        new.take_turn()
    assert changed == [0, 0, 1, 2]
    assert [w.width() for w in window.columns] == [w.width() + 2 * w.x() for w in inside]


def test_a_page_that_was_held_is_laid_out_when_it_is_shown(
    new: NewPicture, window: ColumnsWindow, qtbot: QtBot
) -> None:
    inside = _inside(window.second)
    new.begin()
    window.splitter.setSizes([100, 300])
    window.pages.setCurrentWidget(window.hidden)
    qtbot.waitUntil(lambda: not new.is_painting)
    window.pages.setCurrentWidget(window.second)
    assert window.second.width() == inside.width() + 2 * inside.x()


def test_another_change_meanwhile_begins_again(new: NewPicture, window: ColumnsWindow) -> None:
    window.hidden.color = QColor("green")
    turns = 1
    while turns < 20:  # after each number of turns
        window.pages.setCurrentWidget(window.second)
        new.begin()
        for _ in range(turns):
            new.take_turn()
            QApplication.sendPostedEvents()
        new.begin()
        window.pages.setCurrentWidget(window.hidden)
        while new.is_painting:
            QApplication.sendPostedEvents()
            new.take_turn()
        QApplication.processEvents()
        assert _shown(window) == {"#0000ff", "#008000"}, turns
        turns += 1
    assert [w for w in QApplication.allWidgets() if w.parent() is window.widget] == [window.splitter]


def test_a_new_size_meanwhile_lays_out_and_paints_at_once(new: NewPicture, window: ColumnsWindow) -> None:
    inside = [_inside(column) for column in window.columns]
    new.begin()
    window.splitter.setSizes([100, 300])
    _grow(window, 10)
    assert not new.is_painting
    QApplication.processEvents()
    assert [w.width() for w in window.columns] == [w.width() + 2 * w.x() for w in inside]


def test_a_turn_waits_until_others_have_left_time(
    new: NewPicture, window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column was laid out in the turn in which cards were built: 15 ms together."""
    time = [100.0]
    monkeypatch.setattr(turns, "thread_time", lambda: time[0])

    def turns_until_painted() -> int:
        _grow(window, SUDDEN)
        count = 0
        while new.is_painting:
            QApplication.processEvents()
            count += 1
        return count

    alone = turns_until_painted()
    other = QTimer(window.widget, interval=0)  # stands for other work of each turn
    other.timeout.connect(lambda: time.__setitem__(0, time[0] + 2 * BUSY))
    other.start()
    assert turns_until_painted() > 2 * alone
