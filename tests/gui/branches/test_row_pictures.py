"""Rows are painted once, and their pictures show the same as rows that are painted directly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.branches import list_view
from stemmata.gui.branches.list_view import PREPARED
from stemmata.gui.branches.model import ShownRow
from stemmata.gui.branches.row import BranchRowPainter
from stemmata.gui.branches.row_pictures import LEAST_KEPT, RowPictures, RowState
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import Session


def seen(view: BranchesView) -> QImage:
    return view.list.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def point_at(view: BranchesView, row: int) -> None:
    """Move the mouse over a row."""
    point, none = QPointF(view.list.row_rect(row).center()), Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, point, point, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.list.viewport(), moved)


def directly(view: BranchesView, monkeypatch: pytest.MonkeyPatch) -> QImage:
    with monkeypatch.context() as patch:
        patch.setattr(RowPictures, "fit", lambda *_given: False)
        return seen(view)


def test_pictures_show_what_is_painted_directly(
    view: BranchesView, session: Session, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    def labelled() -> None:
        session.label(session.two, "better")
        view.show_tree(session.tree, int(session.end))

    steps: Sequence[Callable[[], object]] = (
        lambda: view.select(int(session.wrapped)),
        lambda: view.list.selection.toggle(5),
        lambda: point_at(view, 6),
        lambda: view.list.show_viewed(int(session.wrapped)),
        lambda: view.set_streaming(int(session.end)),
        lambda: view.set_streaming(int(session.two)),
        lambda: view.list.model.fold_sides(),
        labelled,
        lambda: theme.set_scheme("light"),
        lambda: theme.set_scale(120),
        lambda: view.resize(500, 400),
    )
    shown = seen(view)  # the image owns the bits
    pictures = {bytes(shown.constBits())}
    for step in steps:
        step()
        shown = seen(view)
        assert shown == directly(view, monkeypatch)
        pictures.add(bytes(shown.constBits()))
    assert len(pictures) == len(steps) + 1  # every step changes what is seen


def test_a_row_is_painted_once(view: BranchesView, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[int] = []
    paint = BranchRowPainter.paint

    def counted(self: BranchRowPainter, painter: QPainter, shown: ShownRow, area: QRectF, **states: bool) -> None:
        painted.append(shown.place)
        paint(self, painter, shown, area, **states)

    monkeypatch.setattr(BranchRowPainter, "paint", counted)
    theme.set_scheme("light")
    seen(view)
    assert sorted(painted) == list(range(len(view.list.model)))
    painted.clear()
    seen(view)
    assert painted == []
    point_at(view, 2)
    seen(view)
    assert painted == [2]


def test_rows_far_away_are_painted_in_several_turns_before_the_list_moves(
    long_view: BranchesView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = long_view
    QApplication.processEvents()
    monkeypatch.setattr(view.list, "underMouse", lambda: False)  # other tests leave the mouse somewhere
    ticks = iter(range(10_000))
    monkeypatch.setattr("stemmata.gui.branches.list_view.thread_time", lambda: next(ticks))  # every look is too late
    bar, added = view.list.verticalScrollBar(), list[tuple[int, int]]()
    before, add = bar.value(), RowPictures.add

    def counted(self: RowPictures, states: Sequence[RowState], top: Callable[[int], int], ground: QColor) -> None:
        added.append((len(states), bar.value()))
        add(self, states, top, ground)

    monkeypatch.setattr(RowPictures, "add", counted)
    view.list.show_reading(10)
    qtbot.waitUntil(lambda: not view.list.is_late)
    assert view.list.is_in_sight(10)
    painted = [(count, value) for count, value in added if count]
    assert len(painted) >= 3
    assert max(painted) == (PREPARED, before)  # all before the list moved
    assert {value for _count, value in painted} == {before}
    added.clear()
    seen(view)
    assert sum(count for count, _value in added) == 0


def test_another_width_is_painted_over_several_turns(
    view: BranchesView, theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the window is painted in the turn after it got another size; until then rows are as they were."""
    monkeypatch.setattr(list_view, "PAINTING", -1)  # no time for more than the first rows
    theme.takes_turns = True
    before, rows = seen(view), len(view.list.rows_in(view.list.viewport().rect()))
    assert rows > PREPARED
    view.resize(view.width() + 90, view.height())
    stretched = seen(view)
    kept = view.list.row_rect(0)
    assert stretched.copy(kept.adjusted(0, 0, -90, 0)) == before.copy(kept.adjusted(0, 0, -90, 0))
    assert stretched != directly(view, monkeypatch)
    wanted = directly(view, monkeypatch)
    qtbot.waitUntil(lambda: seen(view) == wanted)


def test_rows_that_are_no_whole_number_of_pixels_high_have_no_pictures() -> None:
    pictures = RowPictures(lambda _painter, _states: None)
    assert pictures.fit(QSize(300, 24), 1.25, 600, ())
    assert not pictures.fit(QSize(300, 25), 1.25, 600, ())
    assert not pictures.fit(QSize(300, 0), 1.0, 600, ())


def test_the_number_of_pictures_is_limited(qapp: object) -> None:
    pictures = RowPictures(lambda _painter, _states: None)
    pictures.fit(QSize(30, 10), 1.0, 100, ())
    image = QImage(30, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for start in range(0, 200, 10):
        states = [RowState(row, selected=False, hovered=False) for row in range(start, start + 10)]
        pictures.add(pictures.missing(states), lambda row: row * 10, QColor("red"))
        pictures.draw(painter, states, lambda row: row * 10)
    painter.end()
    assert len(pictures) == LEAST_KEPT
    assert pictures.missing(states) == []
    pictures.clear()
    assert pictures.missing(states) == states
