"""What the transcript asks for when its cards are clicked, copied, folded or restyled."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Entry
from stemmata.domain.search.needle import text_needle
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.window.controllers import Controllers
from tests import strategies
from tests.fakes.conversation import assistant, call, chain, compaction, result, talk, user
from tests.fakes.transcripts import cards, is_joined, places, settle

MakeView = Callable[..., TranscriptView]
MOST_CARDS = 40


# -- asking ----------------------------------------------------------------------------------------------------------


COPIES = {Request.COPY_TEXT, Request.COPY_JSON, Request.COPY_OUTPUT}
ANSWERED_BY_THE_VIEW = {Request.COPY, *COPIES, Request.FOLD, Request.SHOW_ALL}


@pytest.mark.parametrize("request_", [one for one in Request if one not in ANSWERED_BY_THE_VIEW])
def test_cards_ask_through_the_view(make_view: MakeView, qtbot: QtBot, request_: Request) -> None:
    view = make_view(chain([user("go"), compaction("s")]))
    with qtbot.waitSignal(view.wanted) as caught:
        cards(view)[0].acted.emit(0, Action(request_, "text", 1))
    assert caught.args == [0, Action(request_, "text", 1)]


def test_the_window_has_an_answer_to_every_request() -> None:
    answers = Controllers.card_answers(Mock(), Mock(), 0, Action(Request.COPY))
    assert set(answers) == set(Request) - COPIES - {Request.FOLD}


def test_copying(make_view: MakeView) -> None:
    view = make_view(chain([user("go **on**"), assistant("plain words")]))
    clipboard = QGuiApplication.clipboard()
    first, second = cards(view)
    first.acted.emit(0, Action(Request.COPY))
    assert clipboard.text() == "go **on**"
    first.acted.emit(0, Action(Request.COPY_TEXT, "code"))
    assert clipboard.text() == "code"
    first.acted.emit(0, Action(Request.COPY_JSON, '{"a":1}'))
    assert clipboard.text() == '{\n  "a": 1\n}'
    first.acted.emit(0, Action(Request.COPY_OUTPUT, "\x1b[1mcode\x1b[0m"))
    assert clipboard.text() == "code"
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "code"
    second.selection.select_all()
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == view.selected_text() == "plain words"
    first.acted.emit(0, Action(Request.ACTIVATE))
    assert view.selected_text() == ""
    first.acted.emit(77, Action(Request.COPY))
    assert clipboard.text() == "plain words"


def test_folding_pushes_down_what_is_below(make_view: MakeView) -> None:
    view = make_view(chain([user("go"), assistant(call("a")), result("a", "line\n" * 9), user("next")]))
    before = places(view)
    cards(view)[1].acted.emit(1, Action(Request.FOLD, "call0"))
    after = places(view)
    assert (after[0], after[1]) == (before[0], before[1])
    assert after[3] > before[3] + 100
    cards(view)[1].acted.emit(1, Action(Request.FOLD, "call0"))
    assert places(view) == before


def test_calls_of_tools_may_be_open_without_a_click(make_view: MakeView) -> None:
    view = make_view(chain([user("go"), assistant(call("a")), result("a", "line\n" * 9), user("next")]))
    folded = places(view)
    view.open_tools(on=True)
    opened = places(view)
    assert opened[3] > folded[3] + 100
    cards(view)[1].acted.emit(1, Action(Request.FOLD, "call0"))
    assert places(view)[3] == folded[3]
    cards(view)[1].acted.emit(1, Action(Request.FOLD, "call0"))
    view.open_tools(on=True)  # as it is
    assert places(view)[3] == opened[3]
    view.open_tools(on=False)
    assert places(view)[3] == folded[3]


def test_in_an_open_call_a_match_is_not_folded_away(make_view: MakeView) -> None:
    view = make_view(chain([user("go"), assistant(call("a")), result("a", "needle\n" * 9), user("next")]))
    view.open_tools(on=True)
    opened = places(view)
    view.finding.mark(text_needle("needle"))
    view.finding.go(1)
    assert places(view)[3] == opened[3]
    cards(view)[1].acted.emit(1, Action(Request.FOLD, "call0"))
    view.finding.go(1)
    assert places(view)[3] == opened[3]  # opened again


def test_showing_all_of_a_long_text(make_view: MakeView) -> None:
    view = make_view(chain([user("word\n" * 30_000), user("next")]))
    view.scroll_to(0)
    cards(view)[0].acted.emit(0, Action(Request.SHOW_ALL))
    assert view.verticalScrollBar().maximum() > 100_000


# -- looks -----------------------------------------------------------------------------------------------------------


def test_another_scheme_keeps_the_place(make_view: MakeView, theme: Theme) -> None:
    view = make_view(talk(100))
    view.scroll_to(200)
    theme.set_scheme("light")
    assert view.visible_keys[0] == 200
    image = view.viewport().grab().toImage()
    assert image.pixelColor(2, image.height() - 2) == theme.color("bg")
    theme.set_scale(150)
    assert is_joined(view)


def test_cards_can_be_read_aloud(make_view: MakeView) -> None:
    view = make_view(chain([user("go on"), assistant("yes")]))
    assert view.accessibleName() == "Transcript"
    assert [(card.accessibleName(), card.accessibleDescription()) for card in cards(view)] == [
        ("You", "go on"),
        ("sonnet", "yes"),
    ]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.entry_lists(min_size=1, max_size=25, damaged=True))
def test_any_session_can_be_shown(make_view: MakeView, entries: list[Entry]) -> None:
    view = make_view(entries)
    settle(view)
    view.scroll_to(0)
    view.grab()
    assert view.card_count <= MOST_CARDS
    view.close()
    view.deleteLater()
