"""The navigator marks the path that the transcript shows, and the row that is being read, without selecting it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QCursor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.branches.model import ShownRow
from stemmata.gui.branches.row import BranchRowPainter
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import ROWS, MemoryPages, Session, actions_of, chain


def viewed(view: BranchesView) -> list[int]:
    return [row for row in range(len(view.model)) if view.model.shown(row).viewed]


def picture(view: BranchesView, area: QRect) -> QImage:
    return view.list.viewport().grab(area).toImage()


def test_the_rows_of_the_viewed_path_are_marked(view: BranchesView, session: Session) -> None:
    assert viewed(view) == []
    before = picture(view, view.list.row_rect(2))
    view.list.show_viewed(int(session.wrapped))
    assert viewed(view) == [0, 1, 2, 3]
    assert picture(view, view.list.row_rect(2)) != before
    view.list.show_viewed(int(session.end))
    assert viewed(view) == [0, 1, 4, 5, 8, 9]
    view.show_tree(session.tree, int(session.end))  # the next version of the tree keeps the mark
    assert viewed(view) == [0, 1, 4, 5, 8, 9]
    view.list.show_viewed(None)
    assert viewed(view) == []
    assert picture(view, view.list.row_rect(2)) == before
    assert len(view.model) == ROWS


def test_the_row_that_is_read_has_a_bar_and_is_not_selected(
    view: BranchesView, session: Session, theme: Theme, qtbot: QtBot
) -> None:
    view.select(int(session.end))
    with qtbot.assertNotEmitted(view.list.row_selected):
        view.list.show_reading(int(session.wrapped))
    assert view.selected == int(session.end)
    row = view.model.reading_row
    assert row == 3
    edge = picture(view, view.list.row_rect(row))
    assert edge.pixelColor(0, edge.height() // 2).name() == theme.color("accent").name()
    assert edge.pixelColor(theme.px(metrics.READING_BAR) + 1, 2).name() != theme.color("accent").name()
    view.list.show_reading(None)
    assert view.model.reading_row is None
    view.list.show_reading(-1)
    assert view.model.reading_row == 0  # above all rows


def test_the_list_follows_what_is_read_unless_it_is_in_use(qtbot: QtBot, theme: Theme) -> None:
    story, keys = chain(300)
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.move(300, 100)
    QCursor.setPos(0, 0)
    view.show()
    view.show_tree(story.tree, int(keys[-1]))
    accent = theme.color("accent").name()
    for at, focused in ((100, False), (200, True)):
        if focused:
            view.activateWindow()
            view.list.setFocus()
            qtbot.waitUntil(view.list.hasFocus)
        view.list.show_reading(int(keys[at]))
        row = view.model.reading_row
        assert row == at
        qtbot.waitUntil(lambda: not view.list.is_late)
        assert view.list.is_in_sight(row) is not focused
        strip = view.list.minimap.grab().toImage()
        y = round((at + 0.5) / 300 * strip.height())
        assert accent in {strip.pixelColor(strip.width() - 1, y + by).name() for by in (-1, 0, 1)}
    view.list.show_viewed(int(keys[-1]))
    strip = view.list.minimap.grab().toImage()
    assert strip.pixelColor(theme.px(metrics.SPACE[1]) + 1, 40).name() == theme.color("lane_1").name()


def test_only_the_rows_that_come_into_view_are_painted(
    long_view: BranchesView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = long_view
    painted: list[int] = []
    paint = BranchRowPainter.paint

    def counted(self: BranchRowPainter, painter: QPainter, shown: ShownRow, area: QRectF, **states: bool) -> None:
        painted.append(shown.place)
        paint(self, painter, shown, area, **states)

    monkeypatch.setattr(BranchRowPainter, "paint", counted)
    bar, height = view.list.verticalScrollBar(), view.list.row_height
    QApplication.processEvents()
    for step, least, most in ((-3 * height // 2, 1, 2), (height // 2, 0, 0), (-7 * height, 6, 7), (5 * height, 0, 0)):
        painted.clear()
        bar.setValue(bar.value() + step)
        QApplication.processEvents()
        assert least <= len(painted) <= most  # a row that was in view a moment ago keeps its picture
        assert on_screen(view) == view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    painted.clear()
    view.list.show_reading(view.list.row_at(100) or 0)
    qtbot.waitUntil(lambda: not view.list.is_late)
    QApplication.processEvents()
    assert painted == []  # its bar is painted over its picture
    for y in (30, 200):  # the first one is painted while it is not marked yet
        view.list.show_reading(view.list.row_at(y) or 0)
        view.list.viewport().repaint()
    qtbot.waitUntil(lambda: not view.list.is_late)
    QApplication.processEvents()
    assert on_screen(view) == view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def on_screen(view: BranchesView) -> QImage:
    return view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)
