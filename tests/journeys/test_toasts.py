"""Toasts cover no text and no row, in whatever columns and pages the window shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLabel, QLineEdit, QWidget

from tests.journeys.person import Person

LONG = "Compacted 124.6k → 9.4k tokens. The summary stands for 398 entries, and no entry was deleted."


def covered(person: Person) -> list[QWidget]:
    """Return what the toast covers: texts, fields, buttons and lists."""
    window, toast = person.window, person.window.toast
    found: list[QWidget] = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    found += [
        *window.findChildren(QLineEdit),
        *(area.viewport() for area in window.findChildren(QAbstractScrollArea)),
    ]
    places = ((each, QRect(each.mapTo(window, QPoint(0, 0)), each.size())) for each in found if each.isVisible())
    return [each for each, place in places if place.intersects(toast.geometry()) and not toast.isAncestorOf(each)]


def show(person: Person, layout: str) -> None:
    act = person.window.actions_table
    match layout:
        case "without branches":
            person.window.columns.set_shown("branches", on=False)
        case "transcript":
            for name in ("sessions", "branches", "context"):
                person.window.columns.set_shown(name, on=False)
        case "results":
            act["search-sessions"].trigger()
        case "workbench":
            person.until(person.is_planned)
            act["compact"].trigger()
            person.until(person.in_workbench)
        case "compare":
            leaf = person.tree.get(person.leaf)
            person.gui.controllers.compare.open(
                next(person.tree.key(end) for end in person.tree.leaves if end != leaf)
            )
            person.until(person.gui.controllers.compare.view.isVisible)
        case "files":
            act["show-files"].trigger()
            person.until(lambda: not person.window.columns.isVisible())
        case _:
            pass


@pytest.mark.parametrize("size", [(1440, 900), (1024, 700), (800, 560)])
@pytest.mark.parametrize(
    "layout", ["columns", "without branches", "transcript", "results", "workbench", "compare", "files"]
)
def test_a_toast_covers_nothing(person: Person, session_file: Path, layout: str, size: tuple[int, int]) -> None:
    person.drop(session_file)
    person.window.toast.withdraw()
    person.window.resize(*size)
    show(person, layout)
    person.see()
    for text in ("Copied.", LONG):
        person.window.toast.tell(text, "Undo")
        QApplication.processEvents()
        assert person.window.toast.isVisible()
        assert person.window.rect().contains(person.window.toast.geometry())
        assert not covered(person)
    person.window.toast.withdraw()


def test_the_current_entry_of_the_branches_stays_in_view(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.window.columns.set_shown("sessions", on=False)
    person.window.resize(800, 560)
    person.see()
    rows = person.window.branches.list
    person.until(lambda: rows.selected_row is not None)
    branches, toast = person.window.branches, person.window.toast
    toast.withdraw()  # that of the import, which has its room already
    person.see()
    assert rows.row_rect(rows.selected_row or 0).top() > rows.viewport().height() - toast.height()
    toast.tell(LONG, "Undo")
    person.until(lambda: toast.isVisible() and not covered(person))  # the column makes room in a turn of its own
    row = rows.selected_row
    assert row is not None
    person.until(lambda: 0 <= rows.row_rect(row).top() <= rows.viewport().height() - rows.row_height)
    toast.setVisible(False)
    branches.setContentsMargins(0, 0, 0, 100)  # as beside a toast

    def beside() -> QColor:
        low = branches.mapTo(person.window, branches.rect().bottomLeft()) + QPoint(20, -10)
        return person.window.grab().toImage().pixelColor(low)

    # the room beside the toast looks like the column, once the column is laid out
    person.until(lambda: beside() == person.gui.theme.color("bg"))


def test_a_page_that_is_left_gets_its_room_back(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    show(person, "compare")
    page = person.gui.controllers.compare.view
    person.window.toast.tell(LONG)
    branches, difference = page.widget(0), page.widget(1)
    assert branches is not None
    assert difference is not None
    assert branches.contentsMargins().bottom() > 0
    assert difference.contentsMargins().bottom() == 0  # the toast does not reach it
    person.gui.controllers.compare.leave()
    assert branches.contentsMargins().bottom() == 0
    assert not covered(person)


def _paint(person: Person, look: Callable[[], None] = lambda: None) -> None:
    """Take the turns in which the window is painted, and `look` before each."""
    while person.window.new_picture.is_painting:
        look()
        person.window.new_picture.take_turn()


def test_a_message_waits_while_the_window_shows_its_old_picture(person: Person, session_file: Path) -> None:
    """It lay over the last rows of a list, which gets room for it in a later turn only."""
    person.drop(session_file)
    window, toast = person.window, person.window.toast

    def bottom() -> int:
        return max(widget.contentsMargins().bottom() for widget in (window.sessions, window.branches))

    toast.withdraw()
    window.theme.takes_turns = True
    try:
        window.new_picture.begin()
        toast.tell("Copied.", "Undo")
        assert toast.text == "Copied."
        seen = list[bool]()
        _paint(person, lambda: seen.append(toast.isVisible()))
        assert seen
        assert not any(seen)
        assert toast.isVisible()
        assert not covered(person)
        window.new_picture.begin()
        toast.withdraw()
        toast.tell("Copied.")
        toast.withdraw()
        _paint(person)
        assert not toast.isVisible()
        window.new_picture.begin()
        toast.tell("Copied.", "Undo")
        assert bottom() > 0
        toast.rest()
        assert bottom() == 0, "no room is kept for a message that was never shown"
        _paint(person)
    finally:
        window.theme.takes_turns = False
