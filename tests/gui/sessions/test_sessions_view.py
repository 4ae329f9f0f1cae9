"""The column of sessions: filtering, choosing, many sessions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QAccessible, QFocusEvent, QImage, QPainter, QPaintEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from stemmata.domain.sessions.origin import SourceState
from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions import delegate, rows
from stemmata.gui.sessions.delegate import SessionDelegate
from stemmata.gui.sessions.listing import Order
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.rows import SessionRows
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.sessions.words import Grouping, ListFigure
from stemmata.gui.theme import metrics
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


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("running", "reply streaming"),
        ("unread", "3 new entries"),
        ("followed", "followed: new entries are imported"),
        ("deleted", "deleted by its tool; the session is safe here"),
    ],
)
@pytest.mark.parametrize("width", [248, 330])
def test_each_state_is_seen_in_the_row_and_told(
    view: SessionsView, make_session: Make, state: str, words: str, width: int
) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1, source="pi")])
    view.resize(width, 600)
    row = view.list.visualRect(model.index(1, 0))
    before = view.list.grab(row).toImage()
    model.set_running(frozenset({1} if state == "running" else ()))
    model.set_new({1: 3} if state == "unread" else {})
    sources = {"followed": SourceState.FOLLOWED, "deleted": SourceState.DELETED}
    model.set_states({1: sources[state]} if state in sources else {})
    assert view.list.grab(row).toImage() != before
    told = str(model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert words in told
    assert words in str(model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole))


def test_all_rows_are_painted_after_each_scroll(view: SessionsView, make_session: Make, qtbot: QtBot) -> None:
    model_of(view).set_sessions([make_session(key) for key in range(1, 100)])
    regions: list[QRect] = []

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            if isinstance(event, QPaintEvent):
                regions.append(event.rect())
            return False

    watch, bar, viewport = Watch(), view.list.verticalScrollBar(), view.list.viewport()
    qtbot.waitExposed(view)
    viewport.installEventFilter(watch)
    for value in (72, 144, 216):
        regions.clear()
        bar.setValue(value)
        qtbot.waitUntil(lambda: viewport.rect() in regions)


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
    view.resize(330, 600)
    view.list.grab()
    assert any(text.endswith("12 branches") for text in told)
    told.clear()
    view.resize(190, 600)
    view.list.grab()
    assert told[-1] == "12"
    assert told[-2].startswith("Claude")
    assert told[-2].endswith("… · 07:00")


def test_a_date_that_fits_is_whole_beside_the_number_of_branches(
    view: SessionsView, make_session: Make, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(delegate, "draw_words", lambda _painter, _rect, _flags, text: drawn.append(text))
    days = [make_session(key, branches=2, updated_at=key * 86_400 * 10**9) for key in range(1, 60)]
    model_of(view).set_sessions(days)
    view.resize(200, 60 * 60)
    view.grab()
    briefs = {
        str(view.list.model().index(row, 0).data(SessionRole.BRIEF)) for row in range(view.list.model().rowCount())
    }
    assert len(briefs - {"None"}) == 59
    assert briefs - {"None"} <= {*drawn}


def test_the_date_is_whole_in_the_narrowest_column_beside_all_that_a_row_shows(
    view: SessionsView, make_session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(delegate, "draw_words", lambda _painter, _rect, _flags, text: drawn.append(text))
    day = 86_400 * 10**9
    model_of(view).set_sessions(
        [
            make_session(1, "branches", branches=12, source="claude-code", updated_at=5 * day),
            make_session(2, "one", source="claude-code", updated_at=6 * day),
            make_session(3, "figure", source="claude-code", context_tokens=9_700, cost=40_000, updated_at=7 * day),
        ]
    )
    model_of(view).show_figure(ListFigure.TOKENS, on=True)
    view.resize(metrics.COLUMN_MINIMUMS[0], 600)
    view.grab()
    for key in (1, 2, 3):
        row = model_of(view).row_of(key)
        assert row is not None
        time = model_of(view).index(row).data(SessionRole.TIME)
        assert any(text.endswith(time) for text in drawn)


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


@pytest.fixture
def tree(view: SessionsView, make_session: Make) -> SessionsView:
    """The list of a session with two agents, and of a second session."""
    tool = {"source": "claude-code"}
    model_of(view).set_sessions(
        [
            make_session(1, source_id="m", **tool),
            make_session(2, source_id="m/agent-a", parent=1, created_at=1, **tool),
            make_session(3, source_id="m/agent-b", parent=1, created_at=2, **tool),
            make_session(4),
        ]
    )
    return view


def current(view: SessionsView) -> object:
    return view.list.currentIndex().data(SessionRole.KEY)


def test_arrow_keys_unfold_fold_and_walk_the_tree(tree: SessionsView) -> None:
    tree.select(1)
    tree.list.setFocus()
    keys = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Left):
        QTest.keyClick(tree.list, key)
        keys.append((current(tree), tree.model.rowCount()))
    assert keys == [(1, 5), (2, 5), (3, 5), (1, 5), (1, 3)]
    QTest.keyClick(tree.list, Qt.Key.Key_Left)  # there is nothing above
    assert current(tree) == 1


def test_arrow_keys_are_mirrored_with_the_window(tree: SessionsView) -> None:
    tree.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    tree.select(1)
    tree.list.setFocus()
    QTest.keyClick(tree.list, Qt.Key.Key_Left)
    assert tree.model.rowCount() == 5


def press(view: SessionsView, row: int, x: int) -> None:
    rect = view.list.visualRect(view.model.index(row))
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, rect.center().y()))


def test_a_click_on_the_triangle_unfolds_and_opens_nothing(tree: SessionsView) -> None:
    chosen: list[int] = []
    tree.session_chosen.connect(chosen.append)
    press(tree, 1, 12)
    assert (tree.model.rowCount(), chosen) == (5, [])
    at = QPoint(12, tree.list.visualRect(tree.model.index(1)).y() + 9)
    QTest.mouseDClick(tree.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert (tree.model.rowCount(), chosen) == (3, [])
    press(tree, 1, 100)
    assert (tree.model.rowCount(), chosen) == (3, [1])
    press(tree, 2, 12)  # a session without others below it
    assert chosen == [1, 4]


def test_a_click_on_a_folder_opens_it(view: SessionsView, make_session: Make) -> None:
    view.model.set_sessions([make_session(1), make_session(2, "Warmup")])
    press(view, 2, 100)
    assert view.model.shown == 2
    press(view, 2, 100)
    assert view.model.shown == 1


@pytest.fixture
def folders(view: SessionsView, make_session: Make) -> SessionsView:
    """A list with the rows: a header, a session of a person, an orphaned agent's folder, the folder of warm-ups."""
    orphan = make_session(3, "lonely", source="claude-code", source_id="x/agent-z")
    view.model.set_sessions([make_session(1), orphan, make_session(4, "Warmup"), make_session(5, "Warmup")])
    view.select(1)
    view.list.setFocus()
    return view


def at(view: SessionsView) -> int:
    return view.list.currentIndex().row()


def test_arrow_keys_reach_the_folders_and_keep_the_open_session(folders: SessionsView) -> None:
    chosen: list[int] = []
    folders.session_chosen.connect(chosen.append)
    deleted = QSignalSpy(folders.delete_requested)
    rows = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Delete, Qt.Key.Key_Left):
        QTest.keyClick(folders.list, key)
        rows.append(at(folders))
    QApplication.processEvents()
    assert rows == [2, 3, 3, 2, 2, 2]
    assert (chosen, [session.key for session in folders.selected], deleted.count()) == ([], [1], 0)
    QTest.keyClick(folders.list, Qt.Key.Key_Up)
    assert at(folders) == 1
    QTest.keyClick(folders.list, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert [session.key for session in folders.selected] == [1]  # a range has no folders


def test_keys_open_and_close_a_folder(folders: SessionsView) -> None:
    chosen: list[int] = []
    folders.session_chosen.connect(chosen.append)
    QTest.keyClick(folders.list, Qt.Key.Key_End)
    right, left, space, enter = Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Space, Qt.Key.Key_Return
    seen = []
    for key in (right, left, space, space, enter, right, left, left, left):
        QTest.keyClick(folders.list, key)
        QApplication.processEvents()  # a session is opened in the next turn
        seen.append((at(folders), folders.model.rowCount()))
    opened, closed = (3, 6), (3, 4)
    assert seen == [opened, closed, opened, closed, opened, (4, 6), opened, closed, closed]
    assert chosen == [4], "what → went to"
    QTest.keyClick(folders.list, Qt.Key.Key_Space)
    QTest.keyClick(folders.list, Qt.Key.Key_Down)
    QTest.keyClick(folders.list, Qt.Key.Key_Down)
    QApplication.processEvents()
    assert chosen == [4, 5]


def test_a_folder_stays_below_the_pointer_when_it_is_clicked(folders: SessionsView, make_session: Make) -> None:
    folders.model.set_sessions([*(make_session(key) for key in range(10, 60)), make_session(4, "Warmup")])
    folders.select(10)
    bar, row = folders.list.verticalScrollBar(), folders.model.rowCount() - 1
    bar.setValue(bar.maximum())
    for _ in range(2):
        before = folders.list.visualRect(folders.model.index(row)).top()
        press(folders, row, 100)
        assert folders.list.visualRect(folders.model.index(row)).top() == before
    assert [session.key for session in folders.selected] == [10]


def test_screen_readers_name_the_folders_with_their_counts(folders: SessionsView) -> None:
    def names() -> list[str]:
        accessible = QAccessible.queryAccessibleInterface(folders.list)
        found = [accessible.child(row) for row in range(accessible.childCount())]
        return [each.text(QAccessible.Text.Name) for each in found]

    assert names()[2:] == ["Agents without their session, 1 session, hidden", "Automated, 2 sessions, hidden"]
    QTest.keyClick(folders.list, Qt.Key.Key_End)
    QTest.keyClick(folders.list, Qt.Key.Key_Space)
    read = folders.model.index(3).data(Qt.ItemDataRole.AccessibleTextRole)
    assert read == "Automated, 2 sessions, shown"


def test_the_cursor_leaves_a_folder_that_is_gone(folders: SessionsView, make_session: Make) -> None:
    QTest.keyClick(folders.list, Qt.Key.Key_End)
    folders.model.set_sessions([make_session(1)])
    assert (at(folders), folders.list.folder) == (1, "")
    folders.model.set_sessions([make_session(4, "Warmup")])
    QTest.keyClick(folders.filter, Qt.Key.Key_Down)
    assert (folders.model.rowCount(), at(folders), folders.list.hasFocus()) == (1, 0, True)


def test_the_open_session_is_unfolded_also_when_it_arrives_later(tree: SessionsView, make_session: Make) -> None:
    tree.select(3)
    assert [session.key for session in tree.selected] == [3]
    tree.select(9)
    assert tree.selected == []
    sessions = [*tree.model.listing.sessions, make_session(9, parent=4)]
    tree.model.set_sessions(sessions)
    assert [session.key for session in tree.selected] == [9]
    tree.model.expand(4, on=False)
    tree.model.set_sessions(sessions[:-1])
    tree.model.set_sessions(sessions)
    assert tree.selected == []  # folded by the user


def test_down_leads_from_the_filter_into_the_list_and_up_back(tree: SessionsView) -> None:
    tree.filter.setFocus()
    QTest.keyClick(tree.filter, Qt.Key.Key_Down)
    assert tree.list.hasFocus()
    assert current(tree) == 1
    QTest.keyClick(tree.list, Qt.Key.Key_Up)
    assert tree.filter.hasFocus()
    tree.select(4)
    QTest.keyClick(tree.filter, Qt.Key.Key_Down)
    assert current(tree) == 4


def test_the_filter_tells_the_number_of_matches(tree: SessionsView) -> None:
    texts = []
    for text in ("session", "session 4", ""):
        tree.filter.setText(text)
        texts.append(tree.found.text() if tree.found.isVisible() else "")
    assert texts == ["4 of 4 sessions", "1 of 4 sessions", ""]


def test_grouping_order_and_figures_are_saved(tree: SessionsView, theme: Theme, qtbot: QtBot, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "state.ini"), QSettings.Format.IniFormat)
    tree.model.set_grouping(Grouping.SOURCE)
    tree.model.set_order(Order.COST)
    tree.model.show_figure(ListFigure.COST, on=True)
    tree.save(settings)
    other = SessionsView(theme, SessionsModel({"a/b": 1}.get))
    qtbot.addWidget(other)
    other.restore(settings)
    model = other.model
    assert (model.grouping, model.order, model.figures) == (Grouping.SOURCE, Order.COST, frozenset({ListFigure.COST}))
    for name in ("grouping", "order", "figures"):
        settings.setValue(f"sessions/{name}", "nonsense")
    other.restore(settings)
    assert (model.grouping, model.order, model.figures) == (Grouping.SOURCE, Order.COST, frozenset())


def test_the_header_offers_groupings_and_orders(tree: SessionsView) -> None:
    asked: list[str] = []
    tree.options_requested.connect(lambda name, _at: asked.append(name))
    tree.resize(400, 600)
    for button in tree.header.findChildren(QAbstractButton):
        if button.accessibleName() in ("Group by: Project", "Sort and filter"):
            button.click()
    assert asked == ["grouping", "sorting"]


def test_a_drag_over_rows_selects_them(tree: SessionsView) -> None:
    tree.list.setSelection(QRect(0, 0, 10, 500), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    assert [session.key for session in tree.selected] == [1, 4]
    region = tree.list.visualRegionForSelection(tree.list.selectionModel().selection())
    assert region.contains(tree.list.visualRect(tree.model.index(2)).center())
    tree.list.setSelection(QRect(0, 900, 10, 10), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    assert tree.selected == []


def test_steps_go_on_from_the_session_above_a_folded_one(tree: SessionsView) -> None:
    tree.select(3)
    tree.model.expand(1, on=False)
    chosen: list[int] = []
    tree.session_chosen.connect(chosen.append)
    tree.step(1)
    assert chosen == [4]


def test_in_a_narrow_column_a_button_gives_way_to_the_title(tree: SessionsView, qtbot: QtBot) -> None:
    button = next(one for one in tree.header.findChildren(QAbstractButton) if one.accessibleName() == "Import")
    tree.resize(400, 600)
    assert not button.isHidden()
    tree.setMinimumWidth(0)
    tree.resize(168, 600)
    assert button.isHidden()
    title = tree.header.title_label
    qtbot.waitUntil(lambda: title.fontMetrics().horizontalAdvance("Sessions") <= title.width())
    tree.resize(400, 600)
    assert not button.isHidden()


def test_a_list_that_becomes_empty_gives_its_keys_to_the_filter(
    view: SessionsView, make_session: Make, qtbot: QtBot
) -> None:
    model_of(view).set_sessions([make_session(1)])
    view.activateWindow()
    view.list.setFocus()
    qtbot.waitUntil(view.list.hasFocus)
    QTest.keyClicks(view.list, "/")
    assert view.filter.hasFocus()
    view.list.setFocus()
    model_of(view).set_sessions([])
    assert view.filter.hasFocus()


def test_shift_f10_opens_the_menu_of_the_current_session(
    view: SessionsView, make_session: Make, qtbot: QtBot
) -> None:
    model_of(view).set_sessions([make_session(1), make_session(2)])
    view.list.setCurrentIndex(view.list.model().index(2, 0))
    with qtbot.waitSignal(view.menu_requested) as asked:
        QTest.keyClick(view.list, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert asked.args is not None
    at = view.list.viewport().mapFromGlobal(asked.args[0])
    assert view.list.indexAt(at).row() == 2


def test_the_menu_of_another_session_does_not_open_it(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1), make_session(2), make_session(3)])
    view.select(1)
    chosen, asked = list[int](), list[list[int]]()
    view.session_chosen.connect(chosen.append)
    view.menu_requested.connect(lambda _at: asked.append([session.key for session in view.selected]))
    row = model.row_of(3)
    assert row is not None
    place = view.list.visualRect(model.index(row)).center()
    QTest.mousePress(view.list.viewport(), Qt.MouseButton.RightButton, pos=place)
    view.list.customContextMenuRequested.emit(place)
    QTest.mouseRelease(view.list.viewport(), Qt.MouseButton.RightButton, pos=place)
    QApplication.processEvents()  # a session that the cursor goes to is opened in a turn of its own
    assert asked == [[3]]
    assert [index.row() for index in view.list.selectionModel().selectedIndexes()] == [row]
    model.set_sessions([make_session(3, "Renamed"), make_session(1), make_session(4)])
    assert [session.title for session in view.selected] == ["Renamed"]
    assert list(view.menu_keys) == [3]
    view.leave_menu(view.menu_keys)
    assert list(view.menu_keys) == []
    assert [session.key for session in view.selected] == [1]
    assert not chosen


def test_the_focus_alone_opens_no_session(view: SessionsView, make_session: Make) -> None:
    """The open session may not be listed, such as after a filter; the list gets the focus when a menu closes."""
    model_of(view).set_sessions([make_session(1), make_session(2)])
    chosen: list[int] = []
    view.session_chosen.connect(chosen.append)
    view.show()
    QApplication.sendEvent(view.list, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.PopupFocusReason))
    QApplication.processEvents()  # a session that the cursor goes to is opened in a turn of its own
    assert not view.list.currentIndex().isValid()
    assert not chosen
    QTest.keyClick(view.list, Qt.Key.Key_Down)
    assert view.list.currentIndex().isValid()


def test_a_menu_that_is_closed_by_the_next_one_leaves_that_alone(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1), make_session(2), make_session(3)])
    view.select(1)
    for key in (2, 3):
        row, before = model.row_of(key), view.menu_keys
        assert row is not None
        view.list.customContextMenuRequested.emit(view.list.visualRect(model.index(row)).center())
        view.leave_menu(before)
        assert view.menu_keys == (key,)


def test_several_selected_sessions_stay_selected_after_their_menu(view: SessionsView, make_session: Make) -> None:
    model = model_of(view)
    model.set_sessions([make_session(1), make_session(2), make_session(3)])
    view.select(1)
    view.list.selectionModel().select(model.index(2), QItemSelectionModel.SelectionFlag.Select)
    chosen = [session.key for session in view.selected]
    assert len(chosen) == 2
    view.list.customContextMenuRequested.emit(view.list.visualRect(model.index(2)).center())
    assert [session.key for session in view.selected] == chosen
    view.leave_menu(view.menu_keys)
    assert [session.key for session in view.selected] == chosen


def test_the_bar_of_the_context_gives_way_to_tags(
    view: SessionsView, make_session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    chips, bars = list[str](), list[float]()
    monkeypatch.setattr(SessionDelegate, "_paint_chip", lambda _self, _painter, _rect, text: chips.append(text))

    def fill(_self: SessionDelegate, _painter: QPainter, line: QRect, share: float) -> int:
        bars.append(share)
        return line.right()

    monkeypatch.setattr(SessionDelegate, "_paint_fill", fill)
    session = make_session(
        1, source="claude-code", tags=("agents", "b", "c"), context_tokens=100_000, model="anthropic/claude"
    )
    model_of(view).set_sessions([session])
    view.resize(237, 600)  # the column in a window of width 1024
    view.grab()
    assert chips
    assert "agents" in chips
    assert not bars
    view.resize(500, 600)
    view.grab()
    assert bars


def painted_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each painted row will be added."""
    painted: list[int] = []
    paint = SessionDelegate.paint

    def counted(self: SessionDelegate, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        painted.append(index.row())
        paint(self, painter, option, index)

    monkeypatch.setattr(SessionDelegate, "paint", counted)
    return painted


def test_rows_are_painted_once_until_something_about_them_changes(
    view: SessionsView, make_session: Make, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt repaints the list with each change of the window around it; 14 rows took 7 ms."""
    painted = painted_rows(monkeypatch)

    def repainted() -> list[int]:
        painted.clear()
        view.list.viewport().grab()
        return sorted(painted)

    model = model_of(view)
    model.set_sessions([make_session(1), make_session(2), make_session(3)])
    assert repainted() == [0, 1, 2, 3]
    assert repainted() == []
    model.set_running(frozenset({2}))
    assert repainted() == [model.row_of(2)]
    view.select(1)
    assert repainted() == [model.row_of(1)]
    view.list.paint_anew()
    assert repainted() == [0, 1, 2, 3]
    theme.set_scheme("light")
    assert repainted() == [0, 1, 2, 3]
    theme.set_scheme("dark")
    view.resize(300, 600)
    assert repainted() == [0, 1, 2, 3]
    model.set_sessions([make_session(key) for key in range(1, 60)])
    repainted()
    view.list.scrollToBottom()
    repainted()
    view.list.scrollToTop()
    assert repainted()[:3] == [0, 1, 2], "rows out of view are forgotten"


def test_rows_that_have_changed_are_painted_in_turns_where_a_person_waits(
    view: SessionsView, make_session: Make, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows in view were painted in the turn that painted what else an undone step had changed: 15 ms."""
    painted = painted_rows(monkeypatch)

    def painted_now() -> list[int]:
        painted.clear()
        view.list.viewport().repaint()
        return sorted(painted)

    monkeypatch.setattr(rows, "thread_time", lambda: len(painted) * rows.MOST_SECONDS)  # each takes all the time
    theme.takes_turns = True
    view.resize(300, 600)
    view.show()
    model = model_of(view)
    model.set_sessions([make_session(key) for key in (1, 2, 3)])
    assert painted_now() == [0, 1, 2, 3], "a row without an old picture does not wait"
    before = view.list.viewport().grab().toImage()
    model.set_sessions([replace(make_session(key), title="Renamed") for key in (1, 2, 3)])
    assert painted_now() == [0, 1]
    assert painted_now() == [2, 3]
    assert painted_now() == []
    assert view.list.viewport().grab().toImage() != before
    model.set_sessions([make_session(key) for key in (1, 2, 3)])
    painted.clear()
    QApplication.processEvents()
    while len(painted) < 4:  # by itself
        QApplication.processEvents()
    assert view.list.viewport().grab().toImage() == before
    view.resize(310, 600)  # as when an edge of the window is dragged
    assert painted_now() == [], "all of the window is painted in the same turn"
    assert painted_now() == [0, 1]
    assert painted_now() == [2, 3]
    model.set_sessions([replace(make_session(key), title="Renamed") for key in (1, 2, 3)])
    view.hide()
    painted.clear()
    view.show()
    QApplication.processEvents()
    assert sorted(painted) == [0, 1, 2, 3], "no row is shown as it was before the list was hidden"
    model.set_sessions([make_session(key) for key in (1, 2, 3)])
    theme.changed.emit()
    assert painted_now() == [0, 1, 2, 3], "no row of another theme is shown"


def test_pictures_of_rows_look_as_rows_that_are_painted(
    view: SessionsView, make_session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_of(view).set_sessions([make_session(1), replace(make_session(2), tags=("a",), starred=True)])
    view.select(2)
    view.list.viewport().grab()
    pictures = view.grab().toImage()

    def paint_itself(rows: SessionRows, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        rows.itemDelegate().paint(painter, option, index)

    monkeypatch.setattr(SessionRows, "_paint_row", paint_itself)
    assert view.grab().toImage() == pictures


def test_nothing_is_painted_below_the_icon_of_a_hovered_row(tree: SessionsView, theme: Theme) -> None:
    """The badge and the end of the title would be seen above and below the icon."""
    rows = tree.list
    index = next(at for at in map(rows.model().index, range(rows.model().rowCount()), [0] * 99) if is_above(at))
    rows.hovered_row = index.row()
    option = QStyleOptionViewItem()
    rows.initViewItemOption(option)
    option.rect = rows.visualRect(index)
    picture = QImage(rows.viewport().size(), QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    rows.itemDelegate().paint(painter, option, index)
    painter.end()
    place = rows.archive_place(index)
    column = range(option.rect.top(), option.rect.bottom() + 1)
    found = {picture.pixelColor(x, y).name() for x in range(place.left(), place.right()) for y in column}
    assert found == {theme.color("hover").name()}


@pytest.mark.parametrize("width", range(180, 320, 10))
def test_the_title_is_whole_after_the_column_was_shown_in_little_room(view: SessionsView, width: int) -> None:
    view.hide()
    view.resize(120, 600)
    view.show()
    view.resize(width, 600)
    QApplication.processEvents()
    title = view.header.title_label
    assert title.width() >= title.sizeHint().width()


def is_above(index: QModelIndex) -> bool:
    """Return whether a row has other sessions below it, whose number it shows."""
    return bool(index.data(SessionRole.BELOW))


def test_the_name_of_the_tool_is_whole_beside_figures(
    view: SessionsView, make_session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(delegate, "draw_words", lambda _painter, _rect, _flags, text: drawn.append(text))
    model = model_of(view)
    model.set_sessions([make_session(1, source="claude-code", context_tokens=124_600, cost=4_120_000)])
    view.resize(215, 300)
    view.list.grab()
    assert any("Claude Code · " in text for text in drawn)
    for figure in ListFigure:
        model.show_figure(figure, on=True)
    drawn.clear()
    view.list.grab()
    assert {"Claude Code", "124.6k", "$4.12"} <= set(drawn)
    model.set_sessions([make_session(1, source="claude-code")])
    drawn.clear()
    view.list.grab()
    assert any("Claude Code · " in text for text in drawn), "figures that are unknown take no room"


def test_the_cursor_stays_on_the_open_session_beside_sessions_without_a_project(
    view: SessionsView, make_session: Make, qtbot: QtBot
) -> None:
    """The group without a project has an empty key, as has a cursor that is on no folder."""
    model = model_of(view)
    sessions = [make_session(1), make_session(2), make_session(3, cwd="")]
    model.set_sessions(sessions)
    view.show()
    qtbot.waitExposed(view)
    view.list.setFocus()
    view.select(2)
    model.set_sessions([*sessions, make_session(4)])
    assert view.list.currentIndex().row() == model.row_of(2)
    assert [index.row() for index in view.list.selectedIndexes()] == [model.row_of(2)]
