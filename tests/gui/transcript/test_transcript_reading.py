"""What came below while one reads further up, and what the button at the end says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry
from stemmata.gui.transcript.reading_position import MOST_NEW
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import assistant, call, chain, result, talk, user
from tests.fakes.transcripts import show_path, view_pages

MakeView = Callable[..., TranscriptView]


def grow(view: TranscriptView, entries: Sequence[Entry]) -> list[Entry]:
    """The session with these at its end, shown."""
    whole = chain([*view_pages(view).entries, *entries])
    view_pages(view).entries = whole
    show_path(view, whole)
    return whole


def test_nothing_is_new_in_what_was_there(make_view: MakeView) -> None:
    view = make_view(talk(60))
    view.scroll_by(-2000)
    assert view.jump_button.text() == ""
    assert view.jump_button.accessibleName() == "Go to the end"
    assert view.jump_button.width() == view.jump_button.height()


def test_the_button_counts_what_came_meanwhile(make_view: MakeView) -> None:
    view = make_view(talk(60))
    view.scroll_by(-2000)
    grow(view, [user("One more")])
    assert view.jump_button.text() == "1 new below"
    grow(view, [assistant("and", call("x")), result("x", "its result is no card"), assistant("another")])
    assert view.jump_button.text() == "3 new below"
    assert view.jump_button.accessibleName() == "Go to the end, 3 new below"
    assert view.jump_button.width() > view.jump_button.fontMetrics().horizontalAdvance("3 new below")
    assert view.viewport().rect().contains(view.jump_button.geometry())
    assert view.viewport().childAt(view.jump_button.geometry().center()) is view.jump_button
    QTest.mouseClick(view.jump_button, Qt.MouseButton.LeftButton)
    view.scroll_by(-2000)
    assert view.jump_button.text() == ""


def test_what_comes_into_sight_is_not_new_any_more(make_view: MakeView) -> None:
    view = make_view(talk(60))
    view.scroll_by(-2000)
    whole = grow(view, [user(f"Line\n\n{at}" * 9) for at in range(12)])
    assert view.jump_button.text() == "12 new below"
    view.scroll_to(len(whole) - 12)
    left = view.jump_button.text()
    assert 0 < int(left.partition(" ")[0]) < 12
    view.scroll_by(-3000)
    assert view.jump_button.text() == left


def test_very_many_are_not_counted(make_view: MakeView) -> None:
    view = make_view(talk(60))
    view.scroll_by(-2000)
    grow(view, [user(f"Again {at}") for at in range(MOST_NEW + 20)])
    assert view.jump_button.text() == "99+ new below"


def test_what_is_followed_and_other_branches_are_not_new(make_view: MakeView) -> None:
    other = Entry(id="other", parent="e100", role=user("x").role, blocks=(Text("Another way"),))
    entries = [*talk(60), other]
    view = make_view(entries, whole=False)
    show_path(view, entries, 239)
    grown = [*entries, Entry(id="on", parent="e239", role=user("x").role, blocks=(Text("On"),))]
    view_pages(view).entries = grown
    show_path(view, grown)
    view.scroll_by(-2000)
    assert view.jump_button.text() == ""
    show_path(view, grown, 240)
    view.scroll_to(20)
    assert view.jump_button.text() == ""
