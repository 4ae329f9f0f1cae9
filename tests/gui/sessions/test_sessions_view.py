"""The column of sessions: filtering, choosing, many sessions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.session_facts import Session
from stemmata.gui.sessions.delegate import SessionDelegate
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.theme.theme import Theme

Make = Callable[..., Session]


@pytest.fixture
def view(theme: Theme, qtbot: QtBot, now: int) -> SessionsView:
    view = SessionsView(theme, SessionsModel({"anthropic/claude": 200_000}.get, lambda: now))
    qtbot.addWidget(view)
    view.resize(248, 600)
    view.show()
    return view


def click(view: SessionsView, row: int) -> None:
    rect = view.list.visualRect(view.list.model().index(row, 0))
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


def model_of(view: SessionsView) -> SessionsModel:
    model = view.list.model()
    assert isinstance(model, SessionsModel)
    return model


def test_a_click_opens_a_session_once_and_a_header_never(
    view: SessionsView, make_session: Make, qtbot: QtBot
) -> None:
    model_of(view).set_sessions([make_session(1), make_session(2)])
    chosen: list[int] = []
    view.session_chosen.connect(chosen.append)
    click(view, 0)
    click(view, 2)
    click(view, 2)
    assert chosen == [2]
    assert [session.key for session in view.selected] == [2]


def test_the_open_session_stays_selected_while_the_list_changes(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1), make_session(2)])
    view.select(2)
    view.filter.setText("session 1")
    assert view.selected == []
    view.filter.clear()
    assert [session.key for session in view.selected] == [2]
    model.set_sessions([make_session(2, "Renamed"), make_session(9, cwd="/new")])
    assert [session.title for session in view.selected] == ["Renamed"]


def test_a_chat_just_begun_is_at_the_top_and_the_open_session_stays_in_sight(
    view: SessionsView, make_session: Make, now: int
) -> None:
    old = [make_session(key, f"old {key}", cwd=f"/code/{key % 9}") for key in range(1, 90)]
    view.model.set_sessions(old)
    view.select(70)
    chat = replace(make_session(1000, "chat", cwd=""), updated_at=now + 1)
    view.model.set_sessions([*old, chat])
    view.show()
    row = view.model.row_of(70)
    assert row is not None
    assert view.list.viewport().rect().contains(view.list.visualRect(view.model.index(row)))
    view.select(1000)
    assert view.list.viewport().rect().contains(view.list.visualRect(view.model.index(1)))
    assert view.selected == [chat]


def test_enter_in_the_filter_opens_the_first_match(view: SessionsView, make_session: Make, qtbot: QtBot) -> None:
    model_of(view).set_sessions([make_session(1, "Alpha"), make_session(2, "Beta")])
    view.filter.setFocus()
    with qtbot.waitSignal(view.session_chosen) as chosen:
        QTest.keyClicks(view.filter, "bet")
        QTest.keyClick(view.filter, Qt.Key.Key_Return)
    assert chosen.args == [2]


def test_steps_pass_over_headers_and_stop_at_the_ends(view: SessionsView, make_session: Make) -> None:
    model_of(view).set_sessions([make_session(1, cwd="/a"), make_session(2, cwd="/b")])
    chosen: list[int] = []
    view.session_chosen.connect(chosen.append)
    for by in (1, 1, 1, -1):
        view.step(by)
    assert chosen == [1, 2, 1]


def test_several_are_selected_without_opening_one(view: SessionsView, make_session: Make) -> None:
    model_of(view).set_sessions([make_session(key) for key in (1, 2, 3)])
    chosen: list[int] = []
    view.session_chosen.connect(chosen.append)
    click(view, 1)
    rect = view.list.visualRect(view.list.model().index(3, 0))
    QTest.mouseClick(
        view.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, rect.center()
    )
    assert [session.key for session in view.selected] == [1, 2, 3]
    assert chosen == [1]


def test_an_empty_list_says_what_to_do(view: SessionsView, make_session: Make) -> None:
    model_of(view).set_sessions([])
    assert not view.list.isVisible()
    model_of(view).set_sessions([make_session(1)])
    assert view.list.isVisible()
    assert view.filter.placeholderText() == "Filter 1 session"
    view.filter.setText("zzz")
    assert not view.list.isVisible()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.list.isVisible()


def test_the_fill_turns_orange_when_the_context_is_nearly_full(
    view: SessionsView, make_session: Make, theme: Theme
) -> None:
    def colors(tokens: int) -> set[str]:
        model_of(view).set_sessions([make_session(1, context_tokens=tokens)])
        image: QImage = view.list.grab().toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(30, 80)}

    calm, nearly_full = theme.color("accent").name(), theme.color("summary").name()
    assert calm in colors(100_000)
    assert nearly_full in colors(190_000)
    assert nearly_full not in colors(100_000)


def test_ten_thousand_sessions_are_listed_and_filtered_quickly(view: SessionsView, make_session: Make) -> None:
    sessions = [make_session(key, f"Session number {key}", cwd=f"/x/{key % 200}") for key in range(1, 10_001)]
    started = time.thread_time()
    model_of(view).set_sessions(sessions)
    view.filter.setText("number 12")
    view.filter.clear()
    assert time.thread_time() - started < 3.0  # some 0.15 s on an idle machine
    assert model_of(view).shown == 10_000


def test_an_empty_list_says_why_and_what_to_do(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([])
    assert "Import sessions" in view.message
    view.show_trash(on=True)
    assert view.message == "The trash is empty."
    view.show_trash(on=False)
    model.set_sessions([replace(make_session(1), archived=True)])
    assert view.message == "All sessions are archived. Choose View → Show archived sessions to list them."
    view.filter.setText("nothing like it")
    assert view.message.startswith("No session matches.")
    view.filter.clear()
    model.show_archived(on=True)
    assert view.message == ""


def test_the_number_of_branches_is_told_in_little_room(
    view: SessionsView, make_session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    paint = SessionDelegate._text

    def noted(self: SessionDelegate, painter: QPainter, rect: QRect, text: str, *style: str) -> None:
        told.append(text)
        paint(self, painter, rect, text, *style)

    monkeypatch.setattr(SessionDelegate, "_text", noted)
    model_of(view).set_sessions([make_session(1, branches=12, source="claude-code")])
    view.list.grab()
    assert any(text.endswith("12 branches") for text in told)
    told.clear()
    view.resize(168, 600)
    view.list.grab()
    assert told[-1] == "12"
    assert told[-2].startswith("Claude Code · ")


def test_a_row_is_told_at_length_and_as_it_is(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1, title="<b>&", cwd="/code/<i>", branches=3, tags=("one",))])
    tip = str(model.index(1).data(Qt.ItemDataRole.ToolTipRole))
    assert tip.startswith("<qt>&lt;b&gt;&amp;<br>")
    assert all(part in tip for part in ("3 branches", "/code/&lt;i&gt;", "#one"))
    assert re.search(r"· \d+ \w{3,} \d{4} \d\d:\d\d ·", tip), tip


def test_the_header_of_the_first_session_is_in_sight_with_it(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    view.resize(248, 200)
    model.set_sessions([make_session(key, cwd=f"/{key}") for key in range(1, 20)])
    view.list.scrollToBottom()
    first = model.session_at(1)
    assert first is not None
    view.select(first.key)
    assert view.list.visualRect(model.index(0)).top() >= 0


@pytest.mark.parametrize(("key", "found"), [(Qt.Key.Key_Home, 1), (Qt.Key.Key_End, 3), (Qt.Key.Key_PageUp, 1)])
def test_keys_that_go_far_find_a_session(view: SessionsView, make_session: Make, key: Qt.Key, found: int) -> None:
    """The first row is a header, which cannot be selected."""
    model_of(view).set_sessions([make_session(number, cwd=f"/{number}") for number in (1, 2, 3)])
    view.select(2)
    view.list.setFocus()
    QTest.keyClick(view.list, key)
    index = view.list.currentIndex()
    assert index.data(SessionRole.KEY) == found
    assert [session.key for session in view.selected] == [found]
