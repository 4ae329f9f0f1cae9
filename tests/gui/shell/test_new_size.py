"""A window that suddenly has another size keeps its picture until the new one is complete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QMouseEvent, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.new_size import SUDDEN, NewSize
from tests.gui.theme.columns_window import ColumnsWindow


class Resized(QWidget):
    """A window that is painted in several turns after a sudden resize."""

    new_size: NewSize | None = None
    pressed = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.new_size is not None:
            self.new_size.resized(event.oldSize(), event.size())

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
def widget(theme: Theme) -> Resized:
    widget = Resized()
    widget.new_size = NewSize(widget, theme)
    return widget


@pytest.fixture
def window(widget: Resized, qtbot: QtBot) -> ColumnsWindow:
    window = ColumnsWindow(qtbot, widget)
    for column in window.columns:
        column.color = QColor("blue")
    window.count()
    return window


def _new_size(window: ColumnsWindow) -> NewSize:
    assert isinstance(window.widget, Resized)
    assert window.widget.new_size is not None
    return window.widget.new_size


def _grow(window: ColumnsWindow, by: int) -> None:
    window.widget.resize(window.widget.width() + by, window.widget.height() + by)


def _shown(window: ColumnsWindow) -> set[str]:
    """Return the colours near the upper left corner of both columns, as they were at the first size."""
    picture = window.widget.screen().grabWindow(window.widget.winId()).toImage()
    return {picture.pixelColor(QPoint(x, 60)).name() for x in (40, 300)}


def test_the_old_picture_stays_until_the_new_one_is_complete(window: ColumnsWindow) -> None:
    size = _new_size(window)
    _grow(window, SUDDEN)
    shares, seen = [], []
    while size.is_painting:
        QApplication.sendPostedEvents()  # paints, in this turn
        seen.append(_shown(window))
        size.take_turn()
        shares.append(window.count())
    first_new = seen.index({"#0000ff"})
    assert seen == [{"#ff0000"}] * first_new + [{"#0000ff"}] * (len(seen) - first_new)
    assert sum(shares[:first_new]) == 2  # each column into its picture
    QApplication.processEvents()
    shares.append(window.count())
    assert max(shares) == 1
    assert _shown(window) == {"#0000ff"}


def test_an_edge_that_is_dragged_is_followed_at_each_step(window: ColumnsWindow) -> None:
    for _ in range(3):
        _grow(window, SUDDEN - 1)
        assert not _new_size(window).is_painting
        QApplication.processEvents()
        assert _shown(window) == {"#0000ff"}


def test_a_resize_meanwhile_is_painted_at_once(window: ColumnsWindow) -> None:
    _grow(window, SUDDEN)
    _new_size(window).take_turn()
    _grow(window, SUDDEN)
    assert not _new_size(window).is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}
    assert window.widget.updatesEnabled()


def test_a_theme_that_changes_meanwhile_paints_the_window(window: ColumnsWindow, theme: Theme, qtbot: QtBot) -> None:
    _grow(window, SUDDEN)
    theme.set_scheme("light")
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert not _new_size(window).is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}
    theme.set_scheme("dark")
    _grow(window, SUDDEN)
    assert not _new_size(window).is_painting
    qtbot.waitUntil(lambda: not theme.is_changing)
    assert all(column.updatesEnabled() for column in window.columns)


def test_a_click_into_the_old_picture_is_dropped(window: ColumnsWindow, widget: Resized, qtbot: QtBot) -> None:
    def click() -> None:
        QTest.mouseClick(
            widget.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(3, 3)
        )

    _grow(window, SUDDEN)
    click()
    qtbot.waitUntil(lambda: not _new_size(window).is_painting)
    assert widget.pressed == 0
    click()
    assert widget.pressed == 1


def test_a_platform_that_does_not_tell_its_picture_is_painted_at_once(
    window: ColumnsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemmata.gui.window.new_size.TELL_PICTURE", ())
    _grow(window, SUDDEN)
    assert not _new_size(window).is_painting
    QApplication.processEvents()
    assert _shown(window) == {"#0000ff"}


def test_a_window_that_nobody_has_opened_is_painted_at_once(window: ColumnsWindow, theme: Theme) -> None:
    theme.takes_turns = False
    _grow(window, SUDDEN)
    assert not _new_size(window).is_painting
