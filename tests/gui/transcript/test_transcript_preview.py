"""A compaction previewed over the transcript."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.compaction.plan import Plan, plan_from
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.growing import numbers
from stemmata.domain.entries.tree import Tree
from stemmata.gui.cards.card import Card
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.cut import CutLine
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import talk
from tests.fakes.pages import FakePages

CUT = 200


@pytest.fixture
def tree() -> Tree:
    entries = talk(100)
    pin = Entry(id="pin", parent="e188", kind=Kind.PIN, target="e188")
    return Tree.from_entries([*entries, pin])


@pytest.fixture
def view(theme: Theme, qtbot: QtBot, tree: Tree) -> TranscriptView:
    view = TranscriptView(theme, FakePages(talk(100)))
    qtbot.addWidget(view)
    view.resize(700, 700)
    view.move(100, 100)
    view.show()
    view.show_path(tree, tree.path(399), context_at(tree, 399))
    return view


def plan(tree: Tree, cut: int = CUT) -> Plan:
    return plan_from(tree, 399, cut)


def card(view: TranscriptView, key: int) -> Card:
    return next(card for card in view.viewport().findChildren(Card) if card.key == key and card.isVisible())


def line(view: TranscriptView) -> CutLine:
    return view.viewport().findChildren(CutLine)[0]


def said(card: Card) -> str:
    return "\n".join(part.text() for part in card.parts)


def test_the_way_to_the_end_covers_nothing_meanwhile(view: TranscriptView, tree: Tree) -> None:
    view.scroll_by(-2000)
    assert view.jump_button.isVisible()
    view.set_preview(plan(tree))
    view.scroll_by(100)
    assert not view.jump_button.isVisible()
    view.set_preview(None)
    assert view.jump_button.isVisible()


def test_the_cut_is_brought_into_sight(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    assert line(view).isVisible()
    assert CUT in view.visible_keys
    first = card(view, CUT)
    assert 0 <= line(view).geometry().center().y() - first.y() <= 20
    assert line(view).geometry().bottom() < first.y() + first.parts[0].rect.top()
    assert 200 < first.y() < 600


def test_cards_say_what_becomes_of_them(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    assert "kept" in said(card(view, CUT))
    assert "summarised" in said(card(view, CUT - 4))
    view.scroll_to(188)
    assert "kept word for word" in said(card(view, 188))


def test_the_line_says_how_much(view: TranscriptView, tree: Tree) -> None:
    made = plan(tree)
    view.set_preview(made, 12_345)
    told = line(view)
    assert isinstance(told, CutLine)
    assert told.spoken == f"everything above is summarised · {len(made.summarised)} entries · ≈ 12.3k"


def test_the_end_of_a_preview(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    height = card(view, CUT).height()
    view.set_preview(None)
    assert not line(view).isVisible()
    assert card(view, CUT).height() < height
    assert "kept" not in said(card(view, CUT))


def test_moving_the_cut_does_not_scroll(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    top = card(view, view.visible_keys[0]).y()
    before = view.visible_keys[0]
    view.set_preview(plan(tree, CUT + 4))
    assert (view.visible_keys[0], card(view, before).y()) == (before, top)
    assert "summarised" in said(card(view, CUT))


def test_the_line_is_above_the_first_kept_card_where_the_first_kept_entry_has_none(
    theme: Theme, qtbot: QtBot
) -> None:
    entries = talk(3)
    entries[4] = replace(entries[4], flags=entries[4].flags | Flag.HIDDEN)
    tree, last = Tree.from_entries(entries), len(entries) - 1
    view = TranscriptView(theme, FakePages(entries))
    qtbot.addWidget(view)
    view.resize(700, 900)
    view.show()
    view.show_path(tree, tree.path(last), context_at(tree, last))
    view.set_preview(plan_from(tree, last, 4))
    above, below = card(view, 3).geometry(), card(view, 5).geometry()
    assert above.bottom() < line(view).y() < below.center().y()


def test_dragging_asks_for_another_cut(view: TranscriptView, tree: Tree, qtbot: QtBot) -> None:
    view.set_preview(plan(tree))
    target = card(view, CUT - 4).y()
    with qtbot.waitSignal(view.cut_moved) as caught:
        handle = line(view)
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mousePress(handle, left, none, QPoint(300, 5))
        QTest.mouseMove(handle, QPoint(300, target - handle.y()))
    assert caught.args == [CUT - 4]


def test_dragging_to_an_edge_scrolls(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    first = view.visible_keys[0]
    for _ in range(30):
        line(view).dragged.emit(1)
    assert view.visible_keys[0] < first
    for _ in range(90):
        line(view).dragged.emit(699)
    assert view.visible_keys[0] > first


def test_keys_move_the_cut(view: TranscriptView, tree: Tree, qtbot: QtBot) -> None:
    view.set_preview(plan(tree))
    for key, wanted in ((Qt.Key.Key_Up, CUT - 1), (Qt.Key.Key_Down, CUT + 1)):
        with qtbot.waitSignal(view.cut_moved) as caught:
            QTest.keyClick(line(view), key)
        assert caught.args == [wanted]
    with qtbot.assertNotEmitted(view.cut_moved):
        QTest.keyClick(line(view), Qt.Key.Key_X)


def test_the_line_is_seen_and_scrolls_away(view: TranscriptView, tree: Tree, theme: Theme) -> None:
    view.set_preview(plan(tree))
    line(view).setFocus()
    handle = line(view).geometry().center()
    assert view.viewport().grab().toImage().pixelColor(60, handle.y()) == theme.color("summary")
    view.scroll_to(0)
    assert not line(view).isVisible()


def test_a_preview_belongs_to_its_path(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(plan(tree))
    view.show_path(tree, tree.path(100), context_at(tree, 100))
    assert not line(view).isVisible()
    view.show_tail(range(10))
    view.set_preview(plan(tree))
    assert not line(view).isVisible()


def test_a_plan_that_keeps_nothing(view: TranscriptView, tree: Tree) -> None:
    view.set_preview(Plan(399, 400, numbers("i", range(400)), (), ()))
    assert not line(view).isVisible()
    words = [word for key in view.visible_keys for word in said(card(view, key)).split()]
    assert "summarised" in words
    assert "kept" not in words
