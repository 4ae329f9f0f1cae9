"""A tree that was read again is shown over several turns of the event loop, so that none is longer than a frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.domain.entries import path_totals, whole_columns
from tests.journeys.person import Person


def shown_columns(person: Person) -> list[QWidget]:
    columns = person.window.columns
    found = [columns.widget(at) for at in range(columns.count())]
    return [column for column in found if column is not None and column.isVisible()]


def painted(person: Person) -> int:
    return sum(column.updatesEnabled() for column in shown_columns(person))


def test_the_columns_are_painted_one_after_the_other(person: Person, session_file: Path) -> None:
    """After an undo, the sessions, the branches, the transcript and the chart were painted in one turn of 30 ms."""
    person.drop(session_file)
    person.until(lambda: painted(person) == len(shown_columns(person)))
    counts: list[int] = []
    person.gui.opened.tree_read.connect(lambda: counts.append(painted(person)))
    person.gui.controllers.branches.pin([person.key("ans00001")])
    person.until(lambda: bool(counts))
    while counts[-1] < len(shown_columns(person)):
        QApplication.processEvents()
        counts.append(painted(person))
    assert len(shown_columns(person)) > 2
    # on a busy machine Qt handles two timers that are due in one turn, so not every number is seen
    assert {0, len(shown_columns(person))} < set(counts)


def test_the_new_leaf_is_selected_after_the_tree(person: Person, session_file: Path) -> None:
    """Its path is shown with the tree and not once more, which would lay out the transcript twice."""
    person.drop(session_file)
    leaf, opened, events = person.leaf, person.gui.opened, list[str]()

    def read() -> None:
        events.append("tree")
        QTimer.singleShot(0, lambda: events.append("next turn"))

    opened.tree_read.connect(read)
    opened.view_changed.connect(lambda: events.append("view"))
    opened.selected.connect(lambda: events.append(f"selected {opened.selection == person.leaf}"))
    person.gui.controllers.branches.leave_for(person.key("ans00001"))
    person.just_go()
    person.until(lambda: person.leaf != leaf and len(events) > 2)
    assert events == ["tree", "next turn", "selected True"]


def test_another_branch_costs_only_what_it_does_not_share(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The totals of a sibling's path of 14,000 entries were computed from the root: 18 ms for each step."""
    person.drop(session_file)
    opened, leaf = person.gui.opened, person.leaf
    assert leaf is not None
    other = next(end for end in person.tree.leaves if not person.tree.is_ancestor(end, leaf))
    shared = person.tree.common_ancestor(leaf, other)
    assert shared is not None
    summed: list[int] = []
    original = whole_columns.marked

    def marked(which: bytes) -> Iterator[int]:
        summed.append(len(which))
        return original(which)

    monkeypatch.setattr(path_totals, "marked", marked)
    opened.view_entry(person.tree.key(other))
    assert opened.end == other
    below = len(opened.path) - len(person.tree.path(shared))
    assert summed
    assert max(summed) <= below < len(opened.path)
