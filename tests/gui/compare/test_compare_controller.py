"""Comparing in the whole window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.gui.compare.view import CompareView
from tests.fakes.waiting import PATIENCE
from tests.journeys.conftest import _lines
from tests.journeys.person import Person


class Comparer(Person):
    """A user who compares branches."""

    @property
    def view(self) -> CompareView:
        return self.gui.controllers.compare.view

    def compare(self) -> None:
        self.gui.controllers.compare.open(self.key("ans000b0"))
        self.qtbot.waitUntil(lambda: self.gui.controllers.compare.is_open)

    def until_moved(self, before: int | None) -> None:
        self.qtbot.waitUntil(lambda: self.leaf != before)


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path) -> Iterator[Comparer]:
    import json

    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in _lines()), encoding="utf-8")
    application = build(["--profile", str(tmp_path / "profile")])
    person = Comparer(application, qtbot)
    person.window.show()
    person.window.activateWindow()
    person.gui.controllers.importing.import_paths([str(path)])
    qtbot.waitUntil(lambda: person.gui.opened.session_tree is not None)
    qtbot.waitUntil(lambda: person.window.branches.outline is not None)
    yield person
    application.close()
    qtbot.wait(1)


def test_the_page_is_made_when_it_is_asked_for(person: Comparer) -> None:
    assert person.window.findChild(QWidget, "compareView") is None
    person.compare()
    assert person.window.findChild(QWidget, "compareView") is person.view
    assert person.view.isVisible()
    assert person.view.list.hasFocus()
    left, right = person.view.head.sides
    assert (left.title.text(), left.chip.text()) == ("main", "active")
    assert (right.title.text(), right.chip.text()) == ("Another approach: wrap before theming.", "abandoned")
    assert (left.dot.color, right.dot.color) == ("lane_1", "lane_2")


def test_escape_goes_back_to_the_columns(person: Comparer) -> None:
    person.compare()
    QTest.keyClick(person.view.list, Qt.Key.Key_Escape)
    assert not person.gui.controllers.compare.is_open
    assert person.window.columns.isVisible()


def test_the_action_compares_the_selected_branch(person: Comparer) -> None:
    person.gui.opened.view_entry(person.key("ans000b0"))
    person.window.actions_table["compare"].trigger()
    person.qtbot.waitUntil(lambda: person.gui.controllers.compare.is_open)


def test_the_active_branch_is_not_compared_with_itself(person: Comparer) -> None:
    person.gui.controllers.compare.open(person.key("ans00001"))
    assert "on the active branch" in person.window.toast.text
    person.gui.controllers.compare.open(10**9)
    assert not person.gui.controllers.compare.is_open


def test_going_on_from_the_other_branch_and_back(person: Comparer) -> None:
    person.compare()
    before = person.leaf
    QTest.keyClick(person.view.list, Qt.Key.Key_Return)
    person.until_moved(before)
    assert person.leaf == person.key("ans000b0")
    assert not person.gui.controllers.compare.is_open
    person.window.toast.click()
    person.qtbot.waitUntil(lambda: person.leaf == before)


def test_a_prompt_is_copied_and_the_comparison_follows(person: Comparer) -> None:
    person.compare()
    before, turns = person.leaf, person.view.list.row_count
    person.view.panel.copy.click()
    person.until_moved(before)
    person.qtbot.waitUntil(lambda: person.view.list.row_count == turns + 1)
    assert person.gui.controllers.compare.is_open
    row = person.application.services.entries.rows([person.leaf or 0]).result(PATIENCE)[person.leaf or 0]
    assert (row.parent, row.preview) == (before, "Another approach: wrap before theming.")


def test_another_session_closes_the_comparison(person: Comparer) -> None:
    person.compare()
    assert person.gui.opened.key is not None
    person.gui.opened.open(person.gui.opened.key)
    assert not person.gui.controllers.compare.is_open
    person.qtbot.waitUntil(lambda: person.gui.opened.session_tree is not None)
