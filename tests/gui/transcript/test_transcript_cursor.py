"""The cursor of the transcript: the card that keys act on."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.fold_lines import FoldLine
from stemmata.gui.core.actions import ColumnKeys
from stemmata.gui.transcript.cursor import CursorFrame
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import talk
from tests.fakes.transcripts import cards, places, said, show_path
from tests.gui.transcript.conftest import MakeView


def focused(view: TranscriptView) -> TranscriptView:
    """The view as it is when keys reach it."""
    view.activateWindow()
    QTest.qWaitForWindowActive(view)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.ShortcutFocusReason)
    QApplication.processEvents()
    return view


def is_shown(view: TranscriptView) -> bool:
    return view.card_cursor.is_shown


def frame(view: TranscriptView) -> CursorFrame:
    (found,) = view.viewport().findChildren(CursorFrame)
    return found


def test_the_focus_by_a_key_shows_the_cursor_at_the_card_that_is_read(make_view: MakeView) -> None:
    view = make_view(talk(100))
    assert not is_shown(view)
    focused(view)
    assert is_shown(view)
    assert view.card_cursor.key == view.visible_entry
    card = next(card for card in cards(view) if card.key == view.card_cursor.key)
    assert frame(view).geometry().intersects(card.geometry())
    view.clearFocus()
    assert not is_shown(view)


def test_the_cursor_goes_from_card_to_card_and_stays_in_view(make_view: MakeView, qtbot: QtBot) -> None:
    view = focused(make_view(talk(100)))
    view.card_cursor.home()
    assert view.card_cursor.key == view.visible_keys[0] == 0
    seen = [view.card_cursor.key]
    for _step in range(12):
        with qtbot.waitSignal(view.card_cursor.moved) as signal:
            view.card_cursor.step(1)
        seen.append(signal.args[0])
        assert view.card_cursor.key in view.visible_keys
        card = next(card for card in cards(view) if card.key == view.card_cursor.key)
        assert card.y() >= 0
    assert seen == sorted(set(seen))
    for key in reversed(seen[:-1]):
        view.card_cursor.step(-1)
        assert view.card_cursor.key == key
    with qtbot.assertNotEmitted(view.card_cursor.moved):
        view.card_cursor.step(-1)
    view.card_cursor.end()
    assert view.card_cursor.key == view.visible_keys[-1]
    assert view.follows_end
    view.card_cursor.step(1)
    assert view.follows_end


def test_arrows_scroll_a_long_card_first(make_view: MakeView) -> None:
    long = "\n\n".join(f"paragraph {at}" for at in range(80))
    entries = [
        Entry(id="0", parent=None, role=Role.USER, blocks=(Text("one"),)),
        Entry(id="1", parent="0", role=Role.ASSISTANT, blocks=(Text(long),)),
        Entry(id="2", parent="1", role=Role.USER, blocks=(Text("two"),)),
    ]
    view = focused(make_view(entries))
    cursor = view.card_cursor
    cursor.home()
    cursor.scroll_or_step(1)
    assert (cursor.key, places(view)[1]) == (1, 0)
    cursor.scroll_or_step(1)
    assert (cursor.key, places(view)[1]) == (1, -40)
    for _press in range(100):
        if cursor.key == 2:
            break
        cursor.scroll_or_step(1)
    assert cursor.key == 2
    for _press in range(100):
        if cursor.key == 0:
            break
        cursor.scroll_or_step(-1)
    assert cursor.key == 0
    cursor.page(1)
    assert cursor.key == 1
    cursor.page(-1)
    for _page in range(20):
        cursor.page(1)
    assert cursor.key == 2
    assert view.follows_end


def test_a_cursor_out_of_view_begins_at_what_is_read(make_view: MakeView) -> None:
    view = focused(make_view(talk(100)))
    view.card_cursor.home()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    assert not is_shown(view)
    view.card_cursor.step(1)
    assert view.card_cursor.key == view.visible_entry
    assert is_shown(view)


def thinking(count: int) -> list[Entry]:
    """Replies that think, call a tool and get its result, each after a prompt."""
    out: list[Entry] = []
    for at in range(count):
        parent = out[-1].id if out else None
        blocks = (Thinking(f"thought {at}"), ToolCall(f"c{at}", "read", '{"path": "a"}'), Text("done"))
        out.append(Entry(id=f"u{at}", parent=parent, role=Role.USER, blocks=(Text("please"),)))
        out.append(Entry(id=f"a{at}", parent=f"u{at}", role=Role.ASSISTANT, blocks=blocks))
        facts = {"role": Role.TOOL_RESULT, "tool": "read", "call": f"c{at}", "blocks": (Text(f"output {at}"),)}
        out.append(Entry(id=f"r{at}", parent=f"a{at}", **facts))  # type: ignore[arg-type] # facts of several types
    return out


def test_a_card_is_unfolded_and_folded(make_view: MakeView) -> None:
    view = focused(make_view(thinking(1)))
    cursor = view.card_cursor
    cursor.home()
    assert not cursor.unfold()  # a prompt has nothing to unfold
    cursor.step(1)
    assert "thought 0" not in said(view)
    cursor.toggle()
    assert "thought 0" in said(view)
    assert "output 0" in said(view)
    assert cursor.unfold()
    assert cursor.is_inside, "nothing is folded"
    cursor.leave()
    cursor.toggle()
    assert "thought 0" not in said(view)
    assert not cursor.fold()
    cursor.open()
    assert cursor.is_inside, "several lines fold"
    cursor.open()
    assert "thought 0" in said(view)
    assert "output 0" not in said(view)


def test_all_tools_and_all_thoughts_are_unfolded_at_once(make_view: MakeView) -> None:
    view = focused(make_view(thinking(2)))
    cursor = view.card_cursor
    cursor.home()
    cursor.step(1)
    cursor.unfold()  # a single card does not stay the other way round
    cursor.unfold_tools()
    assert [f"output {at}" in said(view) for at in range(2)] == [True] * 2
    assert "thought 1" not in said(view)
    cursor.unfold_thoughts()
    assert [f"thought {at}" in said(view) for at in range(2)] == [True] * 2
    cursor.unfold_tools()
    assert "output" not in said(view)
    cursor.unfold_thoughts()
    assert "thought 1" not in said(view)


def test_the_card_of_the_cursor_stays_where_it_is_when_others_unfold(make_view: MakeView) -> None:
    view = focused(make_view(thinking(30)))
    cursor = view.card_cursor
    cursor.end()
    for _step in range(3):
        cursor.step(-1)
    before = places(view)[cursor.key]
    cursor.unfold_tools()
    assert places(view)[cursor.key] == before


def test_the_mouse_hides_the_frame_and_moves_the_cursor(make_view: MakeView) -> None:
    view = focused(make_view(talk(100)))
    card = cards(view)[1]
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(60, 20))
    assert view.card_cursor.key == card.key
    assert not is_shown(view)
    view.card_cursor.step(-1)
    assert is_shown(view)


def test_keys_of_the_table_are_taken_before_the_shortcuts_of_the_window(make_view: MakeView, qtbot: QtBot) -> None:
    view = focused(make_view(talk(10)))
    view.use_keys(ColumnKeys({"J": "card-down", "[": "previous-prompt"}))
    with qtbot.waitSignal(view.action_given) as signal:
        QTest.keyClick(view, Qt.Key.Key_J)
    assert signal.args == ["card-down"]
    typed = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_BracketLeft, Qt.KeyboardModifier.GroupSwitchModifier, "[")
    with qtbot.waitSignal(view.action_given) as signal:
        QApplication.sendEvent(view, typed)
    assert signal.args == ["previous-prompt"]
    for key, taken in ((Qt.Key.Key_J, True), (Qt.Key.Key_X, False)):
        override = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
        override.ignore()
        QApplication.sendEvent(view, override)
        assert override.isAccepted() is taken


def test_the_menu_key_asks_for_the_menu_of_the_card(make_view: MakeView, qtbot: QtBot) -> None:
    view = focused(make_view(talk(100)))
    view.card_cursor.step(-1)
    place = view.mapToGlobal(QPoint())
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), place, Qt.KeyboardModifier.NoModifier)
    with qtbot.waitSignal(view.wanted) as signal:
        QApplication.sendEvent(view, event)
    assert signal.args == [view.card_cursor.key, Action(Request.MENU)]
    point = view.card_cursor.point()
    assert point is not None
    assert view.viewport().rect().contains(view.viewport().mapFromGlobal(point))


def test_screen_readers_follow_the_cursor(make_view: MakeView, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    view = focused(make_view(talk(100)))
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event.object().key))
    view.card_cursor.step(-1)
    assert told[-1] == view.card_cursor.key
    interface = QAccessible.queryAccessibleInterface(view)
    focus = interface.focusChild()
    card = focus.object()
    assert isinstance(card, Card)
    assert card.key == view.card_cursor.key
    assert focus.state().focused
    parts = [interface.child(at).object() for at in range(interface.childCount())]
    assert frame(view) not in parts


def test_a_session_without_cards_has_no_cursor(make_view: MakeView) -> None:
    view = focused(make_view([], whole=False))
    cursor = view.card_cursor
    for act in (cursor.home, cursor.end, cursor.open, cursor.toggle, cursor.start):
        act()
    cursor.step(1)
    cursor.scroll_or_step(1)
    assert not cursor.is_shown
    assert cursor.point() is None
    view.show_menu()


def test_another_path_keeps_the_cursor_where_it_has_the_entry(make_view: MakeView) -> None:
    entries = talk(20)
    view = focused(make_view(entries))
    view.card_cursor.home()
    show_path(view, entries, 10)
    assert view.card_cursor.key == 0
    view.card_cursor.end()
    show_path(view, entries, 3)
    assert not is_shown(view)
    view.show_tail(range(4))
    assert view.card_cursor.key == -1


def test_the_focus_by_the_window_keeps_the_frame_as_it_was(make_view: MakeView) -> None:
    view = focused(make_view(talk(10)))
    view.card_cursor.hide()
    QApplication.sendEvent(view, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.ActiveWindowFocusReason))
    assert not is_shown(view)


# -- inside a card -------------------------------------------------------------------------------------------------

OBJECTS = 40  # some times the height of the view
VALUE = '{"one": {"two": [1, 2], "three": {"four": null}}, "five": [' + ", ".join(['{"six": [7]}'] * OBJECTS) + "]}"


def with_json() -> list[Entry]:
    """A prompt, a reply with two calls of an unknown tool, and their results in JSON."""
    calls = [ToolCall(f"c{at}", "lookup", '{"key": {"deep": [1]}}') for at in range(2)]
    results = [
        Entry(
            id=f"r{at}", parent=f"r{at - 1}" if at else "a", role=Role.TOOL_RESULT, call=f"c{at}", tool="lookup",
            blocks=(Text(VALUE),),
        )
        for at in range(2)
    ]  # fmt: skip
    prompt = Entry(id="u", role=Role.USER, blocks=(Text("please"),))
    return [prompt, Entry(id="a", parent="u", role=Role.ASSISTANT, blocks=tuple(calls)), *results]


def line(view: TranscriptView) -> str:
    """The text of the line that the frame is around."""
    card = next(card for card in cards(view) if card.key == view.card_cursor.key)
    area = frame(view).geometry()
    at = next(one for one in card.fold_lines() if area.contains(one.area.translated(card.pos()).center()))
    assert area.height() <= at.area.height() + 4, "the frame is around the line, not around the card"
    assert view.viewport().rect().contains(area.center())
    return at.text


def reached(view: TranscriptView) -> list[FoldLine]:
    """The line with the frame, none while it is scrolled out of view."""
    card = next(card for card in cards(view) if card.key == view.card_cursor.key)
    area = frame(view).geometry() if is_shown(view) else QRect()
    return [one for one in card.fold_lines() if area.contains(one.area.translated(card.pos()).center())][:1]


def until_built(view: TranscriptView) -> None:
    """Wait until all parts in view are rendered, as they are between two presses of a key."""
    while any(card.is_late for card in cards(view)):
        QApplication.processEvents()


def test_the_cursor_goes_into_a_card_to_fold_single_parts(make_view: MakeView) -> None:
    view = focused(make_view(with_json()))
    cursor = view.card_cursor
    cursor.home()
    cursor.step(1)
    cursor.open()
    assert line(view).startswith("lookup")
    assert cursor.unfold()
    shown = said(view)
    assert '"two": [… 2]' not in shown
    assert '"two": [' in shown
    cursor.unfold()
    assert line(view) == "{", "the arguments of the first call"
    cursor.step(1)
    cursor.step(1)
    assert line(view) == '"deep": ['
    cursor.fold()
    assert line(view) == '"deep": [… 1]'
    assert said(view).count('"deep": [… 1]') == 1
    cursor.fold()
    assert line(view) == '"key": {', "the object around it"
    cursor.toggle()
    assert line(view) == '"key": {… 1}'
    cursor.open()
    assert line(view) == '"key": {'
    assert cursor.leave()
    assert not cursor.is_inside
    assert is_shown(view)
    assert not cursor.leave()


def test_screen_readers_hear_the_line_and_whether_it_is_folded(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def hear(event: object) -> None:
        told.extend([event.message()] if isinstance(event, QAccessibleAnnouncementEvent) else [])

    view = focused(make_view(with_json()))
    view.card_cursor.home()
    view.card_cursor.step(1)
    view.card_cursor.unfold()
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    view.card_cursor.go_inside()
    view.card_cursor.step(1)
    assert told[-1] == "{, unfolded"
    view.card_cursor.toggle()
    assert told[-1] == "{… 1}, folded"


def test_the_arrows_reach_every_line_of_a_long_card(make_view: MakeView) -> None:
    view = focused(make_view(with_json()))
    cursor = view.card_cursor
    cursor.home()
    cursor.step(1)
    cursor.unfold()
    cursor.unfold()  # all JSON
    cursor.open()
    seen = {one.part for one in reached(view)}
    for _press in range(2_000):
        before = frame(view).geometry(), view.verticalScrollBar().value()
        cursor.scroll_or_step(1)
        until_built(view)
        if (frame(view).geometry(), view.verticalScrollBar().value()) == before:
            break
        seen |= {one.part for one in reached(view)}
    assert {"call0", "call1"} <= seen
    for result in range(2):
        own = {part for part in seen if part.startswith(f"json-result {result + 2}/1/")}
        assert len([part for part in own if part.count("/") == 2]) == OBJECTS, "each object of the list"
    for _press in range(2_000):
        if not cursor.is_inside:
            break
        cursor.scroll_or_step(-1)
        until_built(view)
    assert not cursor.is_inside, "above the first line is the card"
    assert cursor.key == 1


def inside(view: TranscriptView) -> bool:
    return view.card_cursor.is_inside


def test_escape_leaves_the_card_and_keeps_the_cursor(make_view: MakeView) -> None:
    view = focused(make_view(with_json()))
    cursor = view.card_cursor
    cursor.home()
    cursor.step(1)
    override = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    override.ignore()
    QApplication.sendEvent(view, override)
    assert not override.isAccepted(), "outside a card Esc belongs to the window"
    cursor.open()
    assert inside(view)
    QApplication.sendEvent(view, override)
    assert override.isAccepted()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not inside(view)
    assert cursor.key == 1
    cursor.open()
    cursor.step(-1)
    assert not inside(view)
    cursor.open()
    cursor.hide()
    assert not inside(view), "the mouse is used"
    cursor.open()
    cursor.take(0)
    assert not inside(view)


def test_a_card_without_lines_that_fold_has_no_inside(make_view: MakeView) -> None:
    view = focused(make_view(with_json()))
    view.card_cursor.home()
    view.card_cursor.open()
    assert not view.card_cursor.is_inside
    assert not view.card_cursor.unfold()
