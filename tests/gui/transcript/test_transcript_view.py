"""The transcript as a whole: what is shown, how it moves, what it tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry
from stemmata.gui.cards.card import Card
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import assistant, call, chain, result, talk, user
from tests.fakes.pages import FakePages
from tests.fakes.transcripts import cards, is_joined, places, said, settle, show_path, view_pages

MakeView = Callable[..., TranscriptView]
MOST_CARDS = 40


# -- showing ---------------------------------------------------------------------------------------------------------


def test_the_tail_is_there_before_the_tree(make_view: MakeView) -> None:
    pages = FakePages(entries := talk(500))
    view = make_view(entries, whole=False, pages=pages)
    assert view.visible_keys[-1] == 1999
    assert is_joined(view)
    assert view.follows_end
    assert sum(count for _, count in pages.calls) < 200


def test_the_tree_arrives_without_a_jump(make_view: MakeView) -> None:
    entries = talk(500)
    view = make_view(entries, whole=False)
    before = places(view)
    show_path(view, entries)
    assert places(view) == before


def test_the_tree_arrives_while_reading_further_up(make_view: MakeView) -> None:
    entries = talk(500)
    view = make_view(entries, whole=False)
    view.scroll_by(-500)
    before = places(view)
    assert not view.follows_end
    show_path(view, entries)
    assert places(view) == before


def test_new_entries_are_followed_only_from_the_end(make_view: MakeView) -> None:
    entries = talk(60)
    view = make_view(entries[:200])
    show_path(view, entries)
    assert view.visible_keys[-1] == 239
    view.scroll_by(-3000)
    before = places(view)
    more = chain([*(entry for entry in entries), user("one more")])
    show_path(view, more)
    assert places(view) == before


def test_a_result_that_arrives_fills_its_call(make_view: MakeView) -> None:
    entries = chain([user("go"), assistant("so", call("a")), result("a", "1\n2\n3")])
    view = make_view(entries[:2])
    assert "no result yet" in said(view)
    view_pages(view).entries = entries
    show_path(view, entries)
    assert "3 lines" in said(view)


def test_another_branch_keeps_the_place_on_the_common_part(make_view: MakeView) -> None:
    entries = [*talk(100), Entry(id="other", parent="e250", role=user("x").role, blocks=(Text("Another way"),))]
    view = make_view(entries, whole=False)
    show_path(view, entries, 399)
    view.scroll_to(200)
    before = places(view)
    show_path(view, entries, 400)
    after = places(view)
    assert all(after[key] == y for key, y in before.items() if key <= 250 and key in after)
    assert 200 in after


def test_a_session_of_another_shape(make_view: MakeView) -> None:
    view = make_view(talk(50))
    view.show_tail([])
    assert cards(view) == []
    assert view.visible_keys == []
    view.clear()
    show_path(view, [user("alone")])
    assert len(cards(view)) == 1


def test_turns_of_one_speaker_read_as_one_card(make_view: MakeView) -> None:
    view = make_view(chain([user("go"), assistant("first", call("a")), result("a"), assistant("second")]))
    assert said(view).count("sonnet") == 1
    assert [card.key for card in cards(view)] == [0, 1, 3]


def test_entries_the_archive_has_lost(make_view: MakeView) -> None:
    entries = talk(20)
    view = make_view(entries, pages=FakePages(entries[:70]))
    assert is_joined(view)
    settle(view)
    view.scroll_to(0)
    assert view.visible_keys[0] == 0


def test_the_first_message_need_not_wait_for_a_library(make_view: MakeView, monkeypatch: pytest.MonkeyPatch) -> None:
    view = make_view([], whole=False)
    view.warm_up()
    monkeypatch.setattr("markdown_it.MarkdownIt", None)  # loading it again would fail
    view_pages(view).entries = chain([user("Hello *there*")])
    show_path(view, view_pages(view).entries)
    assert "Hello there" in said(view)


# -- moving ----------------------------------------------------------------------------------------------------------


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.integers(-2000, 2000), st.floats(0, 1)), min_size=1, max_size=12))
def test_wherever_one_goes_the_view_is_covered(make_view: MakeView, steps: list[int | float]) -> None:
    view = make_view(talk(300))
    bar = view.verticalScrollBar()
    for step in steps:
        if isinstance(step, float):
            bar.setValue(round(step * bar.maximum()))
        else:
            view.scroll_by(step)
        shown = cards(view)
        assert is_joined(view)
        assert shown[0].y() <= 0
        assert shown[-1].geometry().bottom() >= view.viewport().height() - 20
        assert view.card_count <= MOST_CARDS
    view.close()
    view.deleteLater()


def test_idle_work_moves_nothing(make_view: MakeView) -> None:
    view = make_view(talk(3000))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    before = places(view)
    settle(view)
    assert places(view) == before
    assert not view.idle.run(1)


def test_the_wheel_moves_by_pixels_where_it_says_so(make_view: MakeView) -> None:
    view = make_view(talk(100))
    view.scroll_to(0)

    def turn(pixels: int, angle: int) -> None:
        nothing, point = Qt.MouseButton.NoButton, QPointF(100, 100)
        phase, modifiers = Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(point, point, QPoint(0, pixels), QPoint(0, angle), nothing, modifiers, phase, False)
        view.wheelEvent(event)

    turn(-13, -120)
    assert cards(view)[0].y() == -13
    turn(0, 120)
    assert cards(view)[0].y() == 0
    turn(0, -120)
    assert cards(view)[0].y() == -72


def test_going_to_an_entry(make_view: MakeView) -> None:
    view = make_view(talk(100))
    view.scroll_to(120)
    assert places(view)[120] == 0
    view.scroll_to(122)  # a result: shown with its call
    assert places(view)[121] == 0
    before = places(view)
    view.scroll_to(9999)
    assert places(view) == before


def test_the_button_leads_back_to_the_end(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(talk(100))
    button = view.jump_button
    assert not button.isVisible()
    view.scroll_by(-1000)
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.follows_end
    assert not button.isVisible()


def test_a_resize_keeps_the_place(make_view: MakeView) -> None:
    view = make_view(talk(100))
    view.scroll_to(200)
    view.resize(400, 600)
    assert view.visible_keys[0] == 200
    assert is_joined(view)
    view.scroll_to_end()
    view.resize(700, 500)
    assert view.visible_keys[-1] == 399


def test_a_view_that_was_higher_for_a_moment_keeps_the_requested_place(make_view: MakeView) -> None:
    view = make_view(talk(100))
    settle(view)
    view.scroll_to_end()
    view.scroll_by(-60)
    place, size = view.place, view.size()
    assert place is not None
    view.resize(size.width(), size.height() + 100)
    view.show_place(*place)
    assert view.place != place  # there is not enough below it
    view.resize(size)
    assert view.place == place
    view.scroll_by(-30)
    moved = view.place
    view.resize(size.width(), size.height() + 10)
    view.resize(size)
    assert view.place == moved


def test_a_path_that_is_shown_anew_while_the_view_is_higher_keeps_the_requested_place(make_view: MakeView) -> None:
    view = make_view(entries := talk(100))
    settle(view)
    view.scroll_by(-60)
    place, size = view.place, view.size()
    assert place is not None
    view.resize(size.width(), size.height() + 100)
    view.show_place(*place)
    show_path(view, entries)
    assert view.place != place  # there is not enough below it
    view.resize(size)
    assert view.place == place


def test_the_scroll_bar_says_where_one_is(make_view: MakeView) -> None:
    view = make_view(talk(200))
    settle(view)
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 10_000
    view.scroll_to(400)
    assert bar.value() == pytest.approx(bar.maximum() / 2, rel=0.1)
    view.scroll_to(0)
    assert bar.value() == 0


def test_the_visible_entry_is_told_once(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(talk(100))
    view.scroll_to(200)
    with qtbot.assertNotEmitted(view.visible_entry_changed):
        view.scroll_by(1)
    with qtbot.waitSignal(view.visible_entry_changed) as signal:
        view.scroll_to(240)
    assert signal.args == [240]


# -- bounds ----------------------------------------------------------------------------------------------------------


def test_a_long_path_costs_a_few_cards(make_view: MakeView) -> None:
    pages = FakePages(entries := talk(5000))
    view = make_view(entries, pages=pages)
    settle(view)
    bar = view.verticalScrollBar()
    for step in range(40):
        bar.setValue(bar.maximum() * step // 40)
        settle(view)
    assert view.card_count <= MOST_CARDS
    assert len(view.findChildren(Card)) <= MOST_CARDS
    assert max(count for _, count in pages.calls) <= 64
