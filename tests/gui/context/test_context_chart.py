"""The time machine: what the chart paints and says, and how one moves along it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QColor, QPaintEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.context.breakdown import Budget
from stemmata.domain.context.context_history import ContextHistory, chart_points, context_history_of
from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.gui.context import chart_words as words
from stemmata.gui.context.chart import FRAME_MS, ContextChart, OverTimeSection
from stemmata.gui.context.chart_body import ChartBody, ChartScale, diamond_center, painted_drops
from stemmata.gui.theme.theme import Scheme, Theme
from stemmata.services.context.contexts import Timeline

SECOND = 10**9
MORNING = 1_760_000_000 * SECOND
DAY = 86_400 * SECOND
TURNS, CUT, PRUNED = 6, 4, 5  # turns; before this one it was compacted, before this one pruned
LONG = "x" * 4000  # 1,000 tokens
WINDOW = 10_000


def story(*, step: int = 60 * SECOND) -> list[Entry]:
    """Turns of prompt, result and reply; a compaction before the fifth, a pruning before the sixth."""
    out: list[Entry] = []

    def add(**facts: Any) -> None:
        at = len(out)
        parent = str(at - 1) if at else None
        out.append(Entry(id=str(at), parent=parent, time=MORNING + at * step if step else 0, **facts))

    for turn in range(TURNS):
        if turn == CUT:
            add(kind=Kind.COMPACTION, blocks=(Text(LONG[:1200]),), usage=Usage(total=6400))
        if turn == PRUNED:
            add(kind=Kind.TOOL_PRUNE, target=str(len(out) - 1))
        add(role=Role.USER, blocks=(Text(LONG[:400]),))
        add(
            role=Role.TOOL_RESULT,
            tool="read",
            blocks=(Text(LONG), *((Image("image/png", "0"),) if turn == 3 else ())),
        )
        usage = Usage(total=1500 + turn * 1100) if turn < CUT else None
        add(
            role=Role.ASSISTANT, blocks=(Text(LONG[:800]),), provider="anthropic", model="claude", usage=usage,
            flags=Flag.ENDS_TURN,
        )  # fmt: skip
    return out


def timeline(entries: list[Entry] | None = None, window: int | None = WINDOW) -> Timeline:
    tree = Tree.from_entries(story() if entries is None else entries)
    history = context_history_of(PathTotals(tree, tree.path(len(tree) - 1 if len(tree) else None)))
    return Timeline(history, chart_points(history, 600), Budget.of(window, CompactionSettings()))


def frame_of(chart: ContextChart) -> QTimer:
    """The timer that ends the frame in which the marker moved."""
    (frame,) = (
        timer for timer in chart.findChildren(QTimer) if timer.isSingleShot() and timer.interval() == FRAME_MS
    )
    return frame


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> Iterator[ContextChart]:
    chart = ContextChart(theme)
    qtbot.addWidget(chart)
    chart.resize(312, chart.height())
    chart.show()
    shown = timeline()
    chart.show_timeline(shown, len(shown.history) - 1)
    yield chart
    frame_of(chart).stop()


def history(chart: ContextChart) -> ContextHistory:
    assert chart.timeline is not None
    return chart.timeline.history


def place(chart: ContextChart, position: int, tokens: float) -> QPointF:
    """The middle of a position, at the height of so many tokens."""
    assert chart.scale is not None
    return QPointF(chart.scale.x(position + 0.5), chart.scale.y(tokens))


def band_middle(chart: ContextChart, position: int, category: Category) -> float:
    bands = history(chart).point(position).bands
    return sum(bands[:category]) + bands[category] / 2


def color_at(chart: ContextChart, at: QPointF) -> QColor:
    image = chart.grab().toImage()
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(at.x() * ratio), round(at.y() * ratio))


def click(chart: ContextChart, at: QPointF) -> None:
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at.toPoint())


# -- the picture -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["dark", "light", "high-contrast"])
def test_every_band_has_its_colour_at_its_height(chart: ContextChart, theme: Theme, scheme: Scheme) -> None:
    theme.set_scheme(scheme)
    bands = {
        Category.USER: "user",
        Category.ASSISTANT: "assistant",
        Category.TOOL_RESULTS: "tool",
        Category.IMAGES: "image",
    }
    for category, token in bands.items():
        at = place(chart, 10, band_middle(chart, 10, category))
        assert color_at(chart, at) == theme.color(token), category
    theme.set_scheme("dark")


def test_compactions_are_marked_at_the_brink_and_prunings_at_the_foot(chart: ContextChart, theme: Theme) -> None:
    assert chart.scale is not None
    compaction, pruning = history(chart).drops
    assert color_at(chart, diamond_center(chart.scale, compaction)) == theme.color("summary")
    foot = QPointF(chart.scale.x(pruning.position), chart.scale.plot.bottom() - theme.px(4))
    assert color_at(chart, foot) == theme.color("tool")


def test_what_comes_after_the_marker_is_veiled(chart: ContextChart, theme: Theme) -> None:
    at = place(chart, 11, band_middle(chart, 11, Category.TOOL_RESULTS))
    chart.set_position(5)
    assert color_at(chart, at) != theme.color("tool")
    chart.set_position(13)
    assert color_at(chart, at) == theme.color("tool")


def test_limits_are_drawn_only_where_the_context_comes_near(chart: ContextChart) -> None:
    assert chart.scale is not None
    assert chart.scale.top > WINDOW
    chart.show_timeline(timeline(window=1_000_000))
    assert chart.scale.top < WINDOW
    chart.show_timeline(timeline(window=None))
    assert chart.scale.top < WINDOW
    assert not chart.grab().isNull()


def test_moving_paints_only_the_marker(chart: ContextChart, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[int] = []
    pixmap = ChartBody.pixmap

    def counted(body: ChartBody, *arguments: Any) -> object:
        painted.append(1)
        return pixmap(body, *arguments)

    monkeypatch.setattr(ChartBody, "pixmap", counted)
    chart.grab()
    painted.clear()
    for position in range(len(history(chart))):
        chart.set_position(position)
        chart.grab()
    assert not painted
    chart.show()
    chart.resize(400, chart.height())
    chart.grab()
    assert not painted  # the picture is stretched in the turn in which the window gets another size
    qtbot.waitUntil(lambda: painted == [1])


def test_another_time_line_is_painted_in_a_turn_of_its_own(
    chart: ContextChart, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart.grab()
    in_paint = noted_paints(monkeypatch)
    chart.show_timeline(timeline(window=1_000_000))
    chart.grab()
    assert in_paint == [], "the old picture is shown in the turn in which other columns are painted"
    qtbot.waitUntil(lambda: in_paint == [False])
    chart.hide()
    chart.show_timeline(timeline())
    chart.show()
    qtbot.waitUntil(lambda: in_paint == [False, False])


def test_the_first_time_line_is_painted_in_a_turn_of_its_own(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a session of a million entries was opened, it was painted with the labels above it, in 18 to 22 ms."""
    theme.takes_turns = True
    chart = ContextChart(theme)
    qtbot.addWidget(chart)
    in_paint = noted_paints(monkeypatch)
    chart.show_timeline(timeline())  # while it is hidden
    chart.show()
    chart.grab()
    assert in_paint == []
    qtbot.waitUntil(lambda: in_paint == [False])
    chart.grab()
    assert in_paint == [False]


def noted_paints(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note for each picture whether it is made while the chart is painted."""
    in_paint: list[bool] = []
    pixmap, paint = ChartBody.pixmap, ContextChart.paintEvent
    painting: list[int] = []

    def noted(body: ChartBody, *arguments: Any) -> object:
        in_paint.append(bool(painting))
        return pixmap(body, *arguments)

    def paints(self: ContextChart, event: QPaintEvent) -> None:
        painting.append(1)
        paint(self, event)
        painting.pop()

    monkeypatch.setattr(ChartBody, "pixmap", noted)
    monkeypatch.setattr(ContextChart, "paintEvent", paints)
    return in_paint


@pytest.mark.parametrize("width", [40, 212, 312, 900])
@pytest.mark.parametrize("scale", [100, 200])
def test_every_width_and_text_size_can_be_painted(chart: ContextChart, theme: Theme, width: int, scale: int) -> None:
    theme.set_scale(scale)
    chart.resize(width, chart.height())
    assert not chart.grab().isNull()
    assert chart.height() == theme.px(124)


def test_many_entries_are_drawn_from_few_points(theme: Theme, qtbot: QtBot) -> None:
    entries = [
        Entry(id=str(at), parent=str(at - 1) if at else None, role=Role.USER, blocks=(Text("x" * 40),))
        for at in range(3000)
    ]
    chart = ContextChart(theme)
    qtbot.addWidget(chart)
    chart.show_timeline(timeline(entries), 2999)
    assert chart.timeline is not None
    assert 500 < len(chart.timeline.points) <= 600
    chart.resize(300, chart.height())
    for position, tokens in ((1000, 5_000), (1000, 15_000), (2900, 15_000)):
        filled = color_at(chart, place(chart, position, tokens)) == theme.color("user")
        assert filled == (tokens < 10 * position)


def test_nothing_to_show_paints_nothing_and_takes_no_keys(theme: Theme, qtbot: QtBot) -> None:
    chart = ContextChart(theme)
    qtbot.addWidget(chart)
    told: list[int] = []
    chart.position_requested.connect(told.append)
    chart.show_timeline(timeline([]))
    QTest.keyClick(chart, Qt.Key.Key_Home)
    QTest.mouseMove(chart, QPoint(20, 20))
    click(chart, QPointF(20, 20))
    assert (chart.timeline, chart.spoken, chart.tooltip_at(QPointF(1, 1)), told) == (None, "", "", [])
    assert not chart.grab().isNull()


# -- mouse -----------------------------------------------------------------------------------------------------------


def test_a_click_moves_there_and_names_the_band(chart: ContextChart, qtbot: QtBot) -> None:
    asked: list[tuple[int, Category]] = []
    chart.band_requested.connect(lambda key, category: asked.append((key, category)))
    with qtbot.waitSignal(chart.position_requested) as moved:
        click(chart, place(chart, 10, band_middle(chart, 10, Category.TOOL_RESULTS)))
    assert (moved.args, chart.position, chart.band) == ([10], 10, Category.TOOL_RESULTS)
    assert asked == [(10, Category.TOOL_RESULTS)]
    click(chart, place(chart, 3, 9_500))  # above the stack
    assert (chart.position, chart.band, len(asked)) == (3, None, 1)


def test_the_other_bands_fade_while_one_stands_out(chart: ContextChart, theme: Theme) -> None:
    at = place(chart, 10, band_middle(chart, 10, Category.USER))
    chart.set_band(Category.TOOL_RESULTS)
    assert color_at(chart, at) != theme.color("user")
    chart.set_position(3)
    assert chart.band is None


def test_a_click_on_a_diamond_goes_to_the_compaction(chart: ContextChart) -> None:
    assert chart.scale is not None
    drop = history(chart).drops[0]
    click(chart, diamond_center(chart.scale, drop) - QPointF(2, 0))
    assert chart.position == drop.position


def test_dragging_tells_at_most_once_a_frame_and_the_last_place(chart: ContextChart, qtbot: QtBot) -> None:
    told: list[int] = []
    bands: list[int] = []
    chart.position_requested.connect(told.append)
    chart.band_requested.connect(lambda key, _category: bands.append(key))
    button = Qt.MouseButton.LeftButton
    QTest.mousePress(chart, button, pos=place(chart, 0, 1).toPoint())
    for position in range(1, 15):
        QTest.mouseMove(chart, place(chart, position, 1).toPoint())
        chart.set_position(0)  # news from elsewhere do not disturb
    assert chart.position == 14
    assert 0 < len(told) < 15
    QTest.mouseRelease(chart, button, pos=place(chart, 14, 1).toPoint())
    assert told[-1] == 14
    assert not bands
    qtbot.waitUntil(lambda: not frame_of(chart).isActive())
    assert told.count(14) == 1


def test_a_drag_goes_on_when_the_session_grows(chart: ContextChart) -> None:
    button = Qt.MouseButton.LeftButton
    QTest.mousePress(chart, button, pos=place(chart, 2, 1).toPoint())
    grown = [*story(), Entry(id="20", parent="19", role=Role.USER, blocks=(Text(LONG),))]
    chart.show_timeline(timeline(grown), 20)
    assert chart.position == 2
    QTest.mouseMove(chart, place(chart, 9, 1).toPoint())
    QTest.mouseRelease(chart, button, pos=place(chart, 9, 1).toPoint())
    assert chart.position == 9


def test_a_drag_ends_when_another_time_line_has_no_entry_at_the_marker(chart: ContextChart) -> None:
    told: list[int] = []
    button = Qt.MouseButton.LeftButton
    QTest.mousePress(chart, button, pos=place(chart, 14, 1).toPoint())
    QTest.mouseMove(chart, place(chart, 3, 1).toPoint())
    QTest.mouseMove(chart, place(chart, 14, 1).toPoint())  # waits for the next frame
    chart.position_requested.connect(told.append)
    chart.show_timeline(timeline(story()[:10]), 4)
    assert chart.position == 4
    assert chart.spoken
    QTest.mouseRelease(chart, button, pos=place(chart, 9, 1).toPoint())
    assert chart.position == 4
    assert not frame_of(chart).isActive()
    assert not told


def test_other_buttons_do_nothing(chart: ContextChart) -> None:
    before = chart.position
    QTest.mouseClick(chart, Qt.MouseButton.RightButton, pos=place(chart, 3, 10).toPoint())
    assert chart.position == before


def test_the_tooltip_gives_the_figures_of_the_place(chart: ContextChart) -> None:
    text = chart.tooltip_at(place(chart, 10, 1))
    assert "Entry 11 of 20" in text
    assert "≈ " in text
    assert "of 10k" in text
    assert "Tool results" in text
    assert "Summaries" not in text
    assert "Messages only" not in text
    assert chart.scale is not None
    text = chart.tooltip_at(diamond_center(chart.scale, history(chart).drops[0]))
    assert "◆ Compacted 6.4k → ≈ 416" in text
    assert "Estimated, adjusted to the last report" in text
    assert "Messages only, estimated" in chart.tooltip_at(place(chart, 0, 1))
    assert "Pruned" in chart.tooltip_at(QPointF(chart.scale.x(history(chart).drops[1].position), 60))


def test_hovering_shows_a_line_until_the_mouse_leaves(chart: ContextChart, theme: Theme) -> None:
    at = place(chart, 2, 9_000)
    free = color_at(chart, at)
    QTest.mouseMove(chart, at.toPoint())
    assert color_at(chart, at) != free
    chart.event(QEvent(QEvent.Type.Leave))
    assert color_at(chart, at) == free


# -- keys and screen readers -----------------------------------------------------------------------------------------


def test_keys_step_by_entry_by_turn_and_by_compaction(chart: ContextChart) -> None:
    last, control = len(history(chart)) - 1, Qt.KeyboardModifier.ControlModifier
    steps = [
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, last - 1),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, last),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, last),
        (Qt.Key.Key_Left, control, 17),
        (Qt.Key.Key_Left, control, 13),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, 12),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, 12),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, last),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_Right, control, 3),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, last),
        (Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, last),
    ]
    for key, modifiers, position in steps:
        QTest.keyClick(chart, key, modifiers)
        assert chart.position == position, key


def test_held_keys_tell_the_last_place_when_the_frame_is_over(chart: ContextChart, qtbot: QtBot) -> None:
    told: list[int] = []
    chart.position_requested.connect(told.append)
    for _ in range(5):
        QTest.keyClick(chart, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: told[-1:] == [len(history(chart)) - 6])
    assert len(told) < 5


def test_the_ring_shows_the_keyboard_only(chart: ContextChart, qtbot: QtBot) -> None:
    chart.setFocus(Qt.FocusReason.MouseFocusReason)
    corner = QPointF(chart.width() / 2, 0)
    qtbot.waitUntil(chart.hasFocus)
    click(chart, place(chart, 3, 1))
    free = color_at(chart, corner)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert color_at(chart, corner) != free
    chart.clearFocus()
    assert color_at(chart, corner) == free


def test_a_screen_reader_hears_the_value_at_the_marker(chart: ContextChart) -> None:
    chart.set_position(12)
    interface = QAccessible.queryAccessibleInterface(chart)
    assert interface.role() is QAccessible.Role.Chart
    assert interface.text(QAccessible.Text.Name) == "Context over time"
    value = interface.text(QAccessible.Text.Value)
    assert value.startswith("Entry 13 of 20, ")
    assert value.endswith("≈ 416 of 10k · 4%, Compacted 6.4k → ≈ 416, mostly summaries")
    assert interface.text(QAccessible.Text.Description) == (
        "Size of the context over 20 entries, at most 6k, compacted once."
    )


def test_times_are_shortened_until_they_fit() -> None:
    one_day, days, unknown = (timeline(story(step=step)).history for step in (60 * SECOND, DAY, 0))
    assert len(words.ends(one_day)) == 3
    assert words.ends(days)[1] == (words.day(MORNING), words.day(MORNING + 19 * DAY))
    assert words.ends(unknown) == [("1", "20")]
    assert "·" not in words.spoken(timeline(story(step=0), None), 3)


# -- the section -----------------------------------------------------------------------------------------------------


def test_the_section_shows_what_is_at_the_marker_and_folds(theme: Theme, qtbot: QtBot) -> None:
    section = OverTimeSection(theme)
    qtbot.addWidget(section)
    assert section.isHidden()
    section.resize(312, 200)
    section.show_timeline(timeline(), 3)
    assert section.isHidden()  # until the figures above it are shown
    section.show()
    assert section.note.text().endswith(" · 4 of 20")
    section.set_position(12)
    assert section.note.text() == "≈ 416 · 13 of 20"
    section.resize(140, 200)
    assert section.note.text() == "≈ 416"
    section.fold.click()
    assert section.is_folded
    assert section.chart.isHidden()
    with qtbot.waitSignal(section.unfolded):
        section.fold.click()
    assert not section.chart.isHidden()
    section.show_timeline(None)
    assert section.isHidden()


def test_a_move_that_waits_for_its_frame_is_not_taken_back_from_outside(chart: ContextChart, qtbot: QtBot) -> None:
    told: list[int] = []
    chart.position_requested.connect(told.append)
    QTest.keyClick(chart, Qt.Key.Key_Home)  # told at once; the next one when the frame is over
    QTest.keyClick(chart, Qt.Key.Key_End)
    chart.set_position(0)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert chart.position > 0


def test_marks_on_the_same_pixel_are_painted_once() -> None:
    entries: list[Entry] = []
    for turn in range(900):
        for kind in (Kind.MESSAGE, Kind.TOOL_PRUNE, Kind.MESSAGE, Kind.COMPACTION):
            at, role = len(entries), Role.USER if kind is Kind.MESSAGE else Role.NONE
            entries.append(
                Entry(
                    id=str(at), parent=str(at - 1) if at else None, kind=kind, role=role, blocks=(Text(LONG[:400]),),
                    target=str(at - 1) if kind is not Kind.MESSAGE else None, time=turn,
                )
            )  # fmt: skip
    shown = timeline(entries)
    scale = ChartScale(QRectF(0, 0, 300, 100), len(shown.history), shown.history.peak * 2)
    painted = painted_drops(scale, shown.history.drops)
    assert len(shown.history.drops) == 1800
    assert 300 < len(painted) <= 2 * 300
    heights = [drop.before.value or 0 for drop in shown.history.drops if drop.kind is Kind.COMPACTION]
    assert max(drop.before.value or 0 for drop in painted if drop.kind is Kind.COMPACTION) == max(heights)
    assert painted_drops(scale, shown.history.drops[:2]) == list(shown.history.drops[:2])


def test_a_single_entry_is_no_slab(chart: ContextChart) -> None:
    chart.show_timeline(timeline([Entry(id="0", role=Role.USER, blocks=(Text(LONG),))]), 0)
    scale = chart.scale
    assert scale is not None
    assert scale.count == 1
    assert scale.x(1) - scale.x(0) <= scale.plot.width() / 10
    assert scale.position(scale.plot.right()) == 0
    there, beside = (QPointF(scale.x(at), scale.y(history(chart).peak / 2)) for at in (0.2, 6))
    assert color_at(chart, there) != color_at(chart, beside)
