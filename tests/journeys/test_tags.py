"""Sessions are tagged in the list, found by their tags and grouped by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.gui.sessions.model import SessionRole
from stemmata.gui.sessions.tag_popup import TagPopup
from tests.journeys.person import Person


@pytest.fixture
def popup(person: Person, session_file: Path) -> TagPopup:
    """The popup over two sessions, of which the second is selected."""
    person.drop(session_file)
    first = person.gui.opened.key
    person.gui.controllers.branches.fork(person.key("ans00002"))
    person.until(lambda: person.gui.opened.key not in (None, first) and person.gui.opened.session_tree is not None)
    person.until(lambda: bool(person.window.sessions.selected) and person.window.sessions_model.total == 2)
    person.window.actions_table["tag"].trigger()
    return person.gui.controllers.sessions.tag_popup


def tags(person: Person) -> dict[int, tuple[str, ...]]:
    return {key: session.tags for key, session in person.gui.sessions.sessions.items()}


def enter(popup: TagPopup, text: str) -> None:
    QTest.keyClicks(popup.field, text)
    QTest.keyClick(popup.field, Qt.Key.Key_Return)


def test_tags_are_added_taken_away_and_filtered_by(person: Person, popup: TagPopup) -> None:
    key, model = person.gui.opened.key, person.window.sessions_model
    assert key is not None
    assert popup.isVisible()
    assert not popup.list.isVisible()  # there are no tags yet
    low = popup.height()
    enter(popup, "#try this, ,bug,bug")
    assert popup.list.isVisible()
    assert popup.height() > low
    enter(popup, "BUG")
    assert popup.items() == {"try-this": Qt.CheckState.Checked, "bug": Qt.CheckState.Checked}
    person.until(lambda: tags(person)[key] == ("bug", "try-this"))
    person.until(lambda: person.window.actions_table["undo"].text() == "Undo tag “try-this, bug”")
    popup.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    person.until(lambda: tags(person)[key] == ("bug",))
    enter(popup, "")
    assert not popup.isVisible()
    person.window.sessions.filter.setText("#bu")
    rows = {other: model.index(model.row_of(other) or 0) for other in tags(person)}
    assert {other for other, row in rows.items() if row.data(SessionRole.MATCHES)} == {key}
    person.window.sessions.filter.setText("#ug")
    assert model.shown == 0
    person.window.sessions.filter.clear()
    person.window.actions_table["group-tag"].trigger()
    assert [model.data(model.index(row)) for row in (0, 2)] == ["#bug", "Without tags"]
    assert person.window.actions_table["group-tag"].isChecked()


def test_several_sessions_are_tagged_at_once(person: Person, popup: TagPopup) -> None:
    enter(popup, "one")
    person.until(lambda: ("one",) in tags(person).values())
    popup.hide()
    person.window.sessions.list.selectAll()
    person.window.actions_table["tag"].trigger()
    assert popup.items() == {"one": Qt.CheckState.PartiallyChecked}
    popup.list.item(0).setCheckState(Qt.CheckState.Checked)
    person.until(lambda: list(tags(person).values()) == [("one",), ("one",)])
    QTest.keyClick(popup.field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    row = person.window.sessions_model.row_of(person.gui.opened.key)
    assert row is not None
    session = person.window.sessions_model.index(row).data(SessionRole.SESSION)
    assert session.tags == ("one",)
    assert not person.window.sessions.grab().isNull()
