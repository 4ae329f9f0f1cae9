"""The minimap: when it is there, what it shows, and that it scrolls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.branches import minimap as branches_minimap
from stemmata.gui.branches.graph import mixed
from stemmata.gui.branches.minimap import LANES, Minimap
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme.theme import Theme
from tests.gui.branches.conftest import DigestInput, MemoryPages, Session, actions_of

LEFT = Qt.MouseButton.LeftButton


class LongStory(DigestInput):
    tip = ""  # where the active path ends


@pytest.fixture
def story() -> LongStory:
    """A session of 300 prompts, a compaction in the middle, and a branch of 30 prompts after a quarter."""
    story = LongStory()
    last = story.ask(None, "start")
    spine = [last, *(last := story.ask(last, str(at)) for at in range(149))]
    last = story.compact(last)
    spine += [last := story.ask(last, str(at)) for at in range(150)]
    side = spine[75]
    for _ in range(30):
        side = story.ask(side, "aside")
    story.label(spine[10], "here")
    story.tip = last
    return story


@pytest.fixture
def long_view(qtbot: QtBot, theme: Theme, story: LongStory) -> BranchesView:
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, int(story.tip))
    return view


def colour(minimap: Minimap, x: int, share: float) -> str:
    return minimap.grab().toImage().pixelColor(x, round(share * minimap.height())).name()


def lane(theme: Theme) -> str:
    return mixed(theme.color("lane_1"), theme.color(branches_minimap.GROUND), branches_minimap.LANE_OPACITY).name()


def test_a_short_session_has_none(view: BranchesView) -> None:
    assert not view.list.minimap.isVisible()


def test_a_long_one_shows_lanes_compactions_and_labels(
    long_view: BranchesView, story: LongStory, theme: Theme
) -> None:
    minimap = long_view.list.minimap
    assert minimap.isVisible()
    assert minimap.width() == branches_minimap.WIDTH
    overview = minimap.overview
    assert overview is not None
    assert (overview.lines, overview.rows, len(overview.columns)) == (minimap.height(), 331, LANES)
    assert [overview.line(row) for row in (180, 10)] == [overview.compactions[0], overview.labels[0]]
    assert colour(minimap, 3, 0.5) == lane(theme)
    assert (
        colour(minimap, 0, 0.5) == theme.color(branches_minimap.GROUND).name()
    )  # a line at the edge would be taken for the column's
    assert colour(minimap, 13, overview.compactions[0] / overview.lines) == theme.color("summary").name()
    assert colour(minimap, 13, overview.labels[0] / overview.lines) == theme.color("tool").name()


def test_matches_of_a_search_are_marked(long_view: BranchesView, theme: Theme) -> None:
    minimap = long_view.list.minimap
    long_view.set_find(lambda _query, _stopped: {20})
    long_view.search.query_changed.emit("x")
    assert long_view.list.model.match_rows == [20]
    assert minimap.overview is not None
    share = minimap.overview.line(20) / minimap.height()
    assert long_view.list.is_in_sight(20)
    minimap.setValue(minimap.maximum())  # away from under the frame
    assert colour(minimap, 10, share) == theme.color("text").name()
    long_view.search.query_changed.emit("")
    assert colour(minimap, 10, share) == theme.color(branches_minimap.GROUND).name()


def test_a_click_brings_the_middle_of_the_view_there_and_a_drag_goes_on(
    qtbot: QtBot, long_view: BranchesView
) -> None:
    minimap, listed = long_view.list.minimap, long_view.list
    QTest.mousePress(minimap, LEFT, pos=QPoint(5, minimap.height() // 2))
    middle = listed.row_at(listed.viewport().height() // 2)
    assert middle is not None
    assert abs(middle - 165) <= 2
    QTest.mouseMove(minimap, QPoint(5, minimap.height() + 50))
    assert listed.is_in_sight(330)
    QTest.mouseMove(minimap, QPoint(5, -50))
    assert listed.is_in_sight(0)
    QTest.mouseRelease(minimap, LEFT, pos=QPoint(5, 0))
    QTest.mouseMove(minimap, QPoint(5, 300))
    assert listed.is_in_sight(0)


def test_holding_the_frame_moves_nothing_by_itself(qtbot: QtBot, long_view: BranchesView) -> None:
    minimap = long_view.list.minimap
    minimap.setValue(minimap.maximum() // 3)
    before, frame = minimap.value(), minimap.frame
    QTest.mousePress(minimap, LEFT, pos=QPoint(5, round(frame.top()) + 2))
    assert abs(minimap.value() - before) <= minimap.maximum() / minimap.height()
    QTest.mouseRelease(minimap, LEFT)
    QTest.mouseClick(minimap, Qt.MouseButton.RightButton, pos=QPoint(5, 1))
    assert abs(minimap.value() - before) <= minimap.maximum() / minimap.height()


def test_folding_and_resizing_make_it_anew(long_view: BranchesView) -> None:
    minimap = long_view.list.minimap
    long_view.fold_button.click()
    assert minimap.overview is not None
    assert minimap.overview.rows == 302
    long_view.resize(330, 400)
    assert minimap.overview.lines == minimap.height()
    long_view.clear()
    assert minimap.overview is None


def test_colours_follow_the_theme(long_view: BranchesView, theme: Theme) -> None:
    theme.set_scheme("light")
    assert colour(long_view.list.minimap, 3, 0.5) == lane(theme)


def test_many_forks_are_gone_through_elsewhere_and_late_answers_dropped(
    qtbot: QtBot, theme: Theme, story: LongStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(branches_minimap, "AT_ONCE", 0)
    waiting: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
    view = BranchesView(
        theme, MemoryPages(story.entries), actions_of(theme), compute=lambda job, done: waiting.append((job, done))
    )
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, int(story.tip))
    job, done = waiting.pop()
    done(job())
    early = view.list.minimap.overview
    assert early is None
    view.fold_button.click()
    for job, done in reversed(waiting):
        done(job())
    assert view.list.minimap.overview is not None
    assert view.list.minimap.overview.rows == len(view.list.model)


def test_screen_readers_find_a_scroll_bar(long_view: BranchesView, session: Session) -> None:
    interface = QAccessible.queryAccessibleInterface(long_view.list.minimap)
    assert interface.role() is QAccessible.Role.ScrollBar
    assert interface.text(QAccessible.Text.Name) == "Overview of the session"
