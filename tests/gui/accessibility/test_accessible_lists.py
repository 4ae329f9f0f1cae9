"""The lists that paint themselves: what a screen reader finds in them, and can do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAccessible, QAccessibleInterface, QGuiApplication
from PySide6.QtWidgets import QWidget

from stemmata.bootstrap.window import Application
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.compare.list_view import CompareItems, CompareList
from stemmata.gui.widgets.items_accessible import ItemsInterface
from tests.accessible.scenes import SCENES, until
from tests.accessible.tree import interfaces, told

NAME, DESCRIPTION = QAccessible.Text.Name, QAccessible.Text.Description


def items(interface: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    for at in range(interface.childCount()):
        child: QAccessibleInterface | None = interface.child(at)
        if child is not None and child.role() is QAccessible.Role.ListItem:
            yield child


def act(item: QAccessibleInterface, name: str) -> None:
    """Run an action as a screen reader does, by the action's name."""
    actions = item.actionInterface()
    assert name in actions.actionNames()
    actions.doAction(name)


# -- the transcript --------------------------------------------------------------------------------------------


def test_the_transcript_is_a_list_of_its_cards_from_the_top(reading: Application) -> None:
    view = reading.window.transcript.view
    interface = told(view)
    assert interface.role() is QAccessible.Role.List
    assert interface.text(DESCRIPTION) == "57 entries"
    found = list(items(interface))
    tops = [item.rect().top() for item in found]
    assert len(found) > 20
    assert tops == sorted(tops)
    assert all(item.parent().object() is view for item in found)


def test_a_card_says_who_when_and_what(reading: Application) -> None:
    names = [item.text(NAME) for item in items(told(reading.window.transcript.view))]
    assert any(name.startswith("You, ") and "Update the README" in name for name in names)
    assert any(name.startswith("claude-opus-4-5, ") and name.endswith(": edit README.md") for name in names)
    assert any(name.startswith("Thinking: medium, ") for name in names)
    assert all(name for name in names)


def test_a_card_says_what_its_marks_say(reading: Application) -> None:
    view = reading.window.transcript.view
    key = view.visible_keys[-1]
    view.wanted.emit(key, Action(Request.PIN))
    last = list(items(told(view)))[-1]
    until(lambda: "Pinned: compactions keep this entry" in last.text(DESCRIPTION))


def test_the_card_being_read_is_selected_and_has_the_focus_of_the_list(reading: Application) -> None:
    view = reading.window.transcript.view
    view.setFocus()
    view.scroll_to(view.visible_keys[3])
    interface = told(view)
    (current,) = [item for item in items(interface) if item.state().selected]
    assert current.state().focused
    assert interface.focusChild().text(NAME) == current.text(NAME)
    assert interface.indexOfChild(current) == list(items(interface)).index(current)


def test_cards_are_found_under_a_point(reading: Application) -> None:
    interface = told(reading.window.transcript.view)
    second = list(items(interface))[1]
    middle = second.rect().center()
    assert interface.childAt(middle.x(), middle.y()).text(NAME) == second.text(NAME)


def test_a_card_does_what_its_buttons_do(reading: Application) -> None:
    view = reading.window.transcript.view
    prompt = next(item for item in items(told(view)) if "Update the README" in item.text(NAME))
    assert {"Select", "Copy as Markdown", "Pin: compactions keep this entry", "Edit and send as a new branch"} <= set(
        prompt.actionInterface().actionNames()
    )
    act(prompt, "Copy as Markdown")
    assert QGuiApplication.clipboard().text().startswith("Perfect. Update the README")
    act(prompt, "Fork to a new session from here")
    before = reading.gui.opened.key
    until(lambda: reading.gui.opened.key != before)


# -- the navigator, the comparison, the sessions ------------------------------------------------------------------


def test_the_navigator_is_a_list_with_the_current_row(reading: Application) -> None:
    interface = told(reading.window.branches.list)
    assert interface.role() is QAccessible.Role.List
    (current,) = [item for item in items(interface) if item.state().selected]
    assert current.state().focused
    assert "current leaf" in current.text(NAME)
    assert interface.focusChild().text(NAME) == current.text(NAME)
    point = current.rect().center()
    assert interface.childAt(point.x(), point.y()).text(NAME) == current.text(NAME)


def test_a_comparison_is_a_list_of_turns_of_both_sides(reading: Application) -> None:
    SCENES["compare"](reading)
    view = reading.window.findChild(QWidget, "compareList")
    assert view is not None
    interface = told(view)
    found = list(items(interface))
    assert [item.text(NAME).partition(":")[0] for item in found[:4]] == [
        "known-good, turn 1", "dead end, turn 1", "known-good, turn 2", "dead end",
    ]  # fmt: skip
    assert [item.state().selected for item in found[:3]] == [False, True, False]
    left, right = found[0].rect(), found[1].rect()
    assert left.right() < right.left() + 2
    assert left.top() == right.top()
    assert interface.childAt(right.center().x(), right.center().y()).text(NAME) == found[1].text(NAME)
    assert isinstance(interface, ItemsInterface)
    assert isinstance(view, CompareList)
    assert CompareItems(view).at(QPoint(5, 11_999)) is None


def test_sessions_are_items_of_a_list(reading: Application) -> None:
    interface = told(reading.window.sessions.list)
    assert interface.role() is QAccessible.Role.List
    session = [item for item in items(interface) if item.state().selectable][-1]
    assert session.text(NAME).startswith("Make the CSV import fast, pi · ")
    assert session.state().selected


# -- everything --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_whatever_takes_the_focus_has_a_name(application: Application, name: str) -> None:
    widget = SCENES[name](application)
    assert not [item.object() for item, _depth in interfaces(told(widget)) if _is_nameless(item)]


def _is_nameless(item: QAccessibleInterface) -> bool:
    if not item.state().focusable or item.text(NAME):
        return False
    return not any(relation & QAccessible.RelationFlag.Label for _other, relation in item.relations())
