"""Moving through time in the real window: the chart, the breakdown, the transcript and the navigator together."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.context.chart import ContextChart
from stemmata.services.context.contexts import Contexts, Timeline
from tests.journeys.person import Person


def chart_of(person: Person) -> ContextChart:
    chart = person.window.context.over_time.chart
    opened = person.gui.opened

    def is_current() -> bool:
        session_tree, timeline = opened.session_tree, chart.timeline
        return (
            session_tree is not None
            and timeline is not None
            and timeline.history.path_totals.tree is session_tree.tree
        )

    person.until(is_current)
    return chart


def click(chart: ContextChart, position: int, tokens: float) -> None:
    assert chart.scale is not None
    x, y = chart.scale.x(position + 0.5), chart.scale.y(tokens)
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(int(x), int(y)))


def test_back_in_time_and_into_a_band(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    chart, window = chart_of(person), person.window
    now = person.total()
    result = person.key("res00003")
    assert chart.timeline is not None
    assert chart.position == len(chart.timeline.history) - 1
    position = chart.timeline.history.path_totals.position(person.tree.index(result))
    point = chart.timeline.history.point(position)
    click(chart, position, point.total - point.bands[Category.TOOL_RESULTS] / 2)
    assert person.gui.opened.selection == result
    assert person.key("cal00003") in window.transcript.view.visible_keys  # the result is shown with its call
    assert window.context.breakdown.title.text() == "At the selected entry"
    assert person.total() != now
    assert window.context.largest.title.text() == "Largest: Tool results"
    assert len(window.context.largest.buttons) == 4  # a result for each turn so far
    QTest.keyClick(chart, Qt.Key.Key_End)
    person.until(lambda: person.total() == now)
    assert window.context.largest.title.text() == "Largest in context"


def test_a_late_chart_has_its_place_with_the_first_figures(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_compute, along = Event(), Contexts.along

    def late(contexts: Contexts, session_tree: SessionTree, path_totals: PathTotals) -> Timeline:
        assert may_compute.wait(30)
        return along(contexts, session_tree, path_totals)

    monkeypatch.setattr(Contexts, "along", late)
    person.drop(session_file)
    column = person.window.context
    person.until(lambda: bool(column.largest.buttons))
    person.until(lambda: not person.gui.controllers.context.is_behind)
    assert column.over_time.isVisible()
    assert column.over_time.chart.timeline is None
    height = column.over_time.sizeHint().height()
    person.until(lambda: column.preview.y() == column.over_time.y() + height)
    may_compute.set()
    chart_of(person)
    person.until(lambda: column.over_time.note.text() != "")
    assert column.over_time.sizeHint().height() == height


def test_a_session_without_entries_has_no_chart(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    chart_of(person)
    person.window.actions_table["new-chat"].trigger()
    person.until(lambda: person.gui.opened.session_tree is not None and person.gui.opened.end is None)
    person.until(lambda: not person.gui.controllers.context.is_behind)
    assert not person.window.context.over_time.isVisible()


def test_the_marker_follows_what_is_selected_and_the_chart_the_branch(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    chart = chart_of(person)
    person.gui.opened.select(person.key("usr00001"))
    assert chart.position == 4
    whole = chart.timeline
    person.gui.opened.view_entry(person.key("ans000b0"))
    person.until(lambda: chart.timeline is not whole)
    assert chart.timeline is not None
    assert (len(chart.timeline.history), chart.position) == (16, 15)
    click(chart, 2, 1)
    assert not person.gui.opened.is_at_leaf  # still on the other branch


def test_a_folded_chart_is_not_worked_out_until_it_is_unfolded(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    chart, section = chart_of(person), person.window.context.over_time
    section.fold.click()
    whole = chart.timeline
    person.gui.opened.view_entry(person.key("ans000b0"))
    person.qtbot.wait(50)
    assert chart.timeline is whole
    section.fold.click()
    person.until(lambda: chart.timeline is not whole)
    person.gui.opened.close()
    assert section.isHidden()
