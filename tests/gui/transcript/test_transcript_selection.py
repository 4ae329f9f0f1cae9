"""Selecting over several cards."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import assistant, chain, talk, user
from tests.fakes.transcripts import cards, settle

MakeView = Callable[..., TranscriptView]
LEFT = Qt.MouseButton.LeftButton


def texts(card: Card) -> list[TextPiece]:
    return [part for part in card.parts if isinstance(part, TextPiece)]


def drag(card: Card, start: QPoint, stop: QPoint) -> None:
    """Press in the card, move to a point of the card that may lie outside, let go there."""
    QTest.mousePress(card, LEFT, pos=start)
    at, everywhere = QPointF(stop), QPointF(card.mapToGlobal(stop))
    card.mouseMoveEvent(QMouseEvent(QMouseEvent.Type.MouseMove, at, everywhere, LEFT, LEFT, Qt.KeyboardModifier(0)))
    QTest.mouseRelease(card, LEFT, pos=stop)


def three(make_view: MakeView) -> tuple[TranscriptView, list[Card]]:
    entries = chain([user("First words"), assistant("Second **words**"), user("Third words")])
    view = make_view(entries)
    settle(view)
    return view, cards(view)


def test_dragging_goes_on_in_other_cards(make_view: MakeView) -> None:
    view, (one, two, three_) = three(make_view)
    first, last = texts(one)[0].rect, texts(three_)[0].rect
    end = QPoint(last.right(), last.bottom() + three_.y() - one.y())
    drag(one, first.topLeft(), end)
    assert view.selected_text() == "First words\n\nSecond words\n\nThird words"
    assert view.selection.is_wide
    assert [key for key, _ in view.selection.parts()] == [0, 1, 2]
    assert view.selection.parts()[1][1] is None
    assert view.selection.parts()[2][1] == "Third words"
    QTest.mouseClick(two, LEFT, pos=QPoint(50, 20))
    assert view.selection.parts() == []
    assert view.selected_text() == ""


def test_dragging_back_selects_upward_and_may_come_home(make_view: MakeView) -> None:
    view, (one, two, _) = three(make_view)
    start, above = texts(two)[0].rect, texts(one)[0].rect
    QTest.mousePress(two, LEFT, pos=start.bottomRight())
    for stop in (QPoint(above.left(), above.top() + one.y() - two.y()), start.topLeft()):
        at, everywhere = QPointF(stop), QPointF(two.mapToGlobal(stop))
        none = Qt.KeyboardModifier(0)
        two.mouseMoveEvent(QMouseEvent(QMouseEvent.Type.MouseMove, at, everywhere, LEFT, LEFT, none))
        if stop.y() < 0:
            assert view.selected_text() == "First words\n\nSecond words"
    assert view.selected_text() == "Second words"
    QTest.mouseRelease(two, LEFT, pos=start.topLeft())


def test_shift_and_a_click_select_from_the_last_click_on(make_view: MakeView) -> None:
    view, (one, two, _) = three(make_view)
    QTest.mouseClick(one, LEFT, pos=texts(one)[0].rect.topLeft())
    QTest.mouseClick(two, LEFT, Qt.KeyboardModifier.ShiftModifier, texts(two)[0].rect.bottomRight())
    assert view.selected_text() == "First words\n\nSecond words"


def test_all_of_a_long_transcript_is_selected_and_what_comes_into_sight_shows_it(
    make_view: MakeView, qtbot: QtBot
) -> None:
    view = make_view(talk(200))
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    parts = view.selection.parts()
    assert parts[0] == (0, None)
    assert len(parts) == 600
    view.scroll_to(400)
    assert all(card.selection.text() for card in cards(view) if texts(card))
    with qtbot.waitSignal(view.wanted) as asked:
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert asked.args is not None
    assert asked.args[1].request is Request.COPY_SELECTION


def test_another_session_has_nothing_selected(make_view: MakeView) -> None:
    view = make_view(talk(5))
    view.selection.select_all()
    view.clear()
    assert not view.selection.is_wide
    assert view.selection.parts() == []


# -- beyond the edges ------------------------------------------------------------------------------------------------


def move(card: Card, to: QPoint) -> None:
    """The mouse goes to a point of the viewport, with its button down."""
    at = QPointF(card.mapFromParent(to))
    everywhere = QPointF(card.mapToGlobal(at.toPoint()))
    card.mouseMoveEvent(QMouseEvent(QMouseEvent.Type.MouseMove, at, everywhere, LEFT, LEFT, Qt.KeyboardModifier(0)))


def test_beyond_the_lower_edge_it_scrolls_and_selects_on(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(talk(60))
    view.scroll_to(40)
    first = next(card for card in cards(view) if texts(card))
    key = first.key
    QTest.mousePress(first, LEFT, pos=texts(first)[0].rect.topLeft() + QPoint(30, 2))
    move(first, QPoint(200, view.viewport().height() + 400))
    qtbot.waitUntil(lambda: view.visible_keys[0] > key + 12)
    assert first.key == key
    assert first.isVisible()
    assert not first.visibleRegion().contains(QPoint(50, 5))
    moved = view.visible_keys[0]
    move(first, QPoint(200, 300))
    assert not view.drag.is_scrolling
    assert view.visible_keys[0] == moved
    parts = view.selection.parts()
    assert parts[0][0] == key
    assert parts[0][1] is not None
    assert parts[0][1].startswith("tion 10")
    QTest.mouseRelease(first, LEFT, pos=QPoint())
    assert key not in view.visible_keys
    assert not any(card.key == key for card in cards(view))
    assert view.selection.parts() == parts


def test_the_wheel_takes_a_held_selection_along(make_view: MakeView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: LEFT)
    view = make_view(talk(60))
    view.scroll_to(40)
    first = next(card for card in cards(view) if texts(card))
    QTest.mousePress(first, LEFT, pos=texts(first)[0].rect.topLeft() + QPoint(30, 2))
    move(first, QPoint(200, 300))
    before, bar = view.selection.parts(), view.verticalScrollBar()
    bar.setValue(bar.value() + view.viewport().height())
    parts = view.selection.parts()
    assert len(parts) > len(before)
    assert parts[-1][0] in view.visible_keys
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: Qt.MouseButton.NoButton)
    bar.setValue(bar.value() + view.viewport().height())
    assert view.selection.parts() == parts


def test_beyond_the_upper_edge_it_scrolls_up_to_the_start(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(talk(12))
    last = [card for card in cards(view) if texts(card)][-1]
    QTest.mousePress(last, LEFT, pos=texts(last)[0].rect.bottomRight())
    move(last, QPoint(0, -2000))
    qtbot.waitUntil(lambda: view.visible_keys[0] == 0)
    QTest.mouseRelease(last, LEFT, pos=last.mapFromParent(QPoint(0, -2000)))
    assert view.selection.parts()[0][0] == 0
    assert not view.follows_end


def test_a_button_let_go_elsewhere_ends_it(
    make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(talk(60))
    view.scroll_to(40)
    first = cards(view)[0]
    QTest.mousePress(first, LEFT, pos=QPoint(60, 30))
    move(first, QPoint(200, 2000))
    assert view.drag.is_scrolling
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: not view.drag.is_scrolling)


def test_another_session_lets_go_of_the_card(make_view: MakeView) -> None:
    view = make_view(talk(60))
    card = cards(view)[-1]
    QTest.mousePress(card, LEFT, pos=QPoint(60, 30))
    move(card, QPoint(60, 40))
    view.clear()
    assert not card.isVisible()
    QTest.mouseRelease(card, LEFT, pos=QPoint(60, 40))
