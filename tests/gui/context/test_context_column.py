"""The context column: figures with their marks, bars to scale, the preview and the workbench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.compaction.forecast import forecast_of
from stemmata.domain.compaction.plan import plan_compaction
from stemmata.domain.compaction.pruning import PruneOccasion, plan_prune
from stemmata.domain.context.breakdown import Budget, Count, breakdown_of, displayed_breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, FixedParts, Flag, Role, Usage
from stemmata.domain.entries.figures import UNKNOWN, Figure, FigureKind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.gui.compaction.panel import WorkbenchPanel
from stemmata.gui.context.compact_block import CompactPreview, Offer, offer_of
from stemmata.gui.context.item_button import LargeItem
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.core.actions import Actions
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.context_words import percent_text
from stemmata.gui.widgets.figures import figure_text, tokens_text
from stemmata.gui.widgets.stacked_bar import Segment, StackedBar
from stemmata.gui.window.action_table import TABLE
from stemmata.services.compaction.request import Preview
from stemmata.services.context.contexts import ContextView

SETTINGS = CompactionSettings(keep_recent_tokens=2000, tool_keep_threshold=500)


def make_tree(*, usage: bool = True, first: Sequence[Entry] = ()) -> Tree:
    """Six turns with a tool call each, below the entries `first`; every result is some 1,000 tokens."""
    entries = [*first]
    parent = first[-1].id if first else None

    def add(id: str, role: Role, **facts: Any) -> None:
        nonlocal parent
        entries.append(Entry(id=id, parent=parent, role=role, time=len(entries) + 1, **facts))
        parent = id

    for turn in range(6):
        add(f"u{turn}", Role.USER, blocks=(Text("Please look at it. " * 20),))
        add(f"c{turn}", Role.ASSISTANT, blocks=(ToolCall(f"call{turn}", "read", '{"path":"a.py"}'),))
        add(f"r{turn}", Role.TOOL_RESULT, tool="read", call=f"call{turn}", blocks=(Text("line\n" * 800),))
        reported = Usage(input=1500 * (turn + 1), output=100) if usage else None
        add(
            f"a{turn}", Role.ASSISTANT, blocks=(Text("Done. " * 40),), provider="anthropic", model="claude",
            usage=reported, flags=Flag.ENDS_TURN,
        )  # fmt: skip
    return Tree.from_entries(entries)


def view_of(tree: Tree, window: int | None = 20_000) -> ContextView:
    projection = context_at(tree, len(tree) - 1)
    return ContextView(projection, breakdown_of(projection, window), Budget.of(window, SETTINGS))


def offer(tree: Tree, *, prune_first: bool = False) -> Offer:
    leaf = len(tree) - 1
    projection = context_at(tree, leaf)
    plan = plan_compaction(tree, leaf, SETTINGS)
    preview = Preview(plan, displayed_breakdown(projection, 20_000), forecast_of(projection, plan, 300, 20_000))
    return offer_of(
        preview,
        plan_prune(tree, leaf, SETTINGS, occasion=PruneOccasion.BY_HAND),
        projection.path_totals,
        prune_first=prune_first,
    )


@pytest.fixture
def column(theme: Theme, qtbot: QtBot) -> Iterator[ContextColumn]:
    actions = Actions(theme, TABLE)
    column = ContextColumn(theme, actions)
    qtbot.addWidget(column)
    column.resize(312, 900)
    column.show()
    yield column
    actions.deleteLater()


def test_words_of_figures() -> None:
    assert figure_text(Figure(124_600, FigureKind.REPORTED)) == "124.6k"
    assert figure_text(Figure(33_100, FigureKind.ESTIMATED)) == "≈ 33.1k"
    assert figure_text(Figure(7_000, FigureKind.ESTIMATED)) == "≈ 7k"
    assert figure_text(UNKNOWN) == "—"
    assert tokens_text(200_000) == "200k"
    assert (percent_text(34, 200), percent_text(1, 1000), percent_text(1, 0)) == ("17%", "<1%", "")


def test_the_table_marks_estimates_and_says_what_is_free(column: ContextColumn) -> None:
    view = view_of(make_tree(), 40_000)
    column.show_context(view, (), now=True)
    table = {name: (value, percent) for name, value, percent in column.breakdown.table}
    assert column.breakdown.note.text() == "9.1k of 40k"
    assert table["Tool results"][0].startswith("≈ ")
    assert table["Tool results"][1].endswith("%")
    assert view.budget.trigger is not None
    assert table["Until auto-compact"][0] == tokens_text(view.budget.trigger - 9100)
    assert "Images" not in table


def test_an_unknown_window_and_no_report_are_said_so(column: ContextColumn) -> None:
    column.show_context(view_of(make_tree(usage=False), None), (), now=False)
    assert column.breakdown.title.text() == "At the selected entry"
    assert column.breakdown.note.text().startswith("≈ ")
    names = [name for name, _, _ in column.breakdown.table]
    assert "Until auto-compact" not in names
    assert ("System and tools", "—", "") in column.breakdown.table


def test_the_bar_is_to_scale_and_can_be_read(theme: Theme, qtbot: QtBot) -> None:
    bar = StackedBar(theme)
    qtbot.addWidget(bar)
    bar.resize(200, 14)
    bar.set_segments(
        [Segment(25, "user", "User 25"), Segment(0, "tool", "none"), Segment(50, "tool", "Tool 50")], 100
    )
    assert bar.spans() == [(0.0, 50.0), (50.0, 100.0)]
    assert bar.accessibleDescription() == "User 25, Tool 50"
    assert bar.spoken == "75%"
    image = bar.grab().toImage()
    ratio = image.devicePixelRatio()
    colors = [image.pixelColor(int(x * ratio), int(7 * ratio)).name() for x in (25, 100, 180)]
    assert colors == [theme.color(name).name() for name in ("user", "tool", "free")]
    bar.set_segments([Segment(300, "user", "User 300")], 100)
    assert bar.spans() == [(0.0, 200.0)]


def test_a_large_entry_can_be_gone_to_by_mouse_and_keyboard(column: ContextColumn, qtbot: QtBot) -> None:
    column.show_context(view_of(make_tree()), [LargeItem(7, "bash", "npm run <b>build</b>", 14_200)], now=True)
    [button] = column.largest.buttons
    assert button.accessibleName() == "bash npm run <b>build</b> ≈ 14.2k"
    with qtbot.waitSignal(column.entry_chosen) as chosen:
        QTest.keyClick(button, Qt.Key.Key_Space)
    assert chosen.args == [7]


def test_the_preview_shows_before_and_after_on_one_scale(theme: Theme, qtbot: QtBot) -> None:
    block = CompactPreview(theme)
    qtbot.addWidget(block)
    block.resize(312, 400)
    block.show()
    shown = offer(make_tree())
    block.show_offer(shown, 2000, prune_first=False)
    before, after = sum(w for _, w in block.before.spans()), sum(w for _, w in block.after.spans())
    assert 0 < after < before < block.before.width()
    assert block.note.text() == f"{figure_text(shown.before.total)} → {figure_text(shown.after.total)}"
    assert block.summarise.value == f"{shown.summarised} entries"
    assert block.compact.isEnabled()
    with qtbot.waitSignal(block.keep_changed) as changed:
        block.keep.slider.setValue(30)
    assert changed.args == [3000]


def test_nothing_to_compact_gives_the_reason_and_no_button(theme: Theme, qtbot: QtBot) -> None:
    block = CompactPreview(theme)
    qtbot.addWidget(block)
    block.show_offer(offer(make_tree()), 2000, prune_first=False)
    block.show_reason("Everything fits.", can_prune=True)
    assert block.reason == "Everything fits."
    assert not block.compact.isEnabled()
    assert block.prune.isEnabled()


def test_pruning_first_makes_the_kept_part_smaller_and_keeps_the_sum() -> None:
    tree = make_tree()
    plain, pruned = offer(tree), offer(tree, prune_first=True)
    assert (pruned.after.total.value or 0) < (plain.after.total.value or 0)
    parts = sum(figure.value or 0 for figure in pruned.after.categories.values())
    assert parts == pruned.after.total.value
    assert plain.saved_percent is not None
    assert 0 < plain.saved_percent < 100


def test_a_new_draft_never_overwrites_what_was_edited(theme: Theme, qtbot: QtBot) -> None:
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    panel.show_offer(offer(make_tree()), 2000, prune_first=True)
    panel.show_drafting()
    assert not panel.accept.isEnabled()
    panel.show_draft("## Goal\nfirst", "digest")
    assert (panel.text, panel.accept.isEnabled()) == (None, True)
    panel.summary.setPlainText("## Goal\nmine")
    panel.show_draft("## Goal\nsecond", "digest")
    assert panel.text == "## Goal\nmine"
    panel.reset()
    panel.show_draft("## Goal\nthird", "digest")
    assert panel.summary.toPlainText() == "## Goal\nthird"
    assert not panel.edited


def test_the_summary_is_read_as_markdown_and_written_as_text(theme: Theme, qtbot: QtBot) -> None:
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_draft("## Goal\n- [x] **done** <b>raw</b>", "digest")
    assert panel.editor.page.toPlainText() == "Goal\n☑ done <b>raw</b>"
    panel.editor.switch.setCurrentIndex(1)
    assert panel.editor.is_editing
    panel.summary.setPlainText("# Mine")
    panel.editor.switch.setCurrentIndex(0)
    assert panel.editor.page.toPlainText() == "Mine"
    assert panel.text == "# Mine"


@pytest.mark.parametrize(
    ("saved", "words"),
    [(0.5, ""), (0.03, "only 3%"), (-0.1, "Too short to compact.")],
    ids=["worth it", "little", "larger"],
)
def test_a_compaction_that_saves_next_to_nothing_says_so(
    theme: Theme, qtbot: QtBot, saved: float, words: str
) -> None:
    block, panel = CompactPreview(theme), WorkbenchPanel(theme)
    for widget in (block, panel):
        qtbot.addWidget(widget)
        widget.show()
    plain = offer(make_tree())
    total = Figure.estimated(round((plain.before.total.value or 0) * (1 - saved)))
    forecast = replace(plain.forecast)
    vars(forecast)["after"] = replace(plain.after, total=total)
    shown = replace(plain, forecast=forecast)
    block.show_offer(shown, 2000, prune_first=False)
    panel.show_offer(shown, 2000, prune_first=False)
    assert words in block.reason
    assert bool(block.reason) == bool(words)
    assert words in panel.warning
    assert block.compact.isEnabled()
    assert block.compact.property("primary") is not bool(words)
    assert panel.accept.property("primary") is not bool(words)


def test_an_empty_context_is_too_short_to_compact(theme: Theme, qtbot: QtBot) -> None:
    """An export whose texts were removed has only messages without text."""
    plain = offer(make_tree())
    empty = replace(plain.before, total=Figure.estimated(0))
    shown = replace(plain, preview=replace(plain.preview, before=empty))
    block = CompactPreview(theme)
    qtbot.addWidget(block)
    block.show_offer(shown, 2000, prune_first=False)
    assert block.reason == "Too short to compact."
    assert block.compact.property("primary") is False
    assert block.note.property("role") == "dim"
    assert block.after.accessibleDescription() == "", "a full bar would tell of a context that is not there"


def test_no_more_can_be_kept_than_there_is_and_than_fits(theme: Theme, qtbot: QtBot) -> None:
    shown = offer(make_tree())
    assert shown.most_kept == pytest.approx((shown.kept.value or 0) + (shown.replaced.value or 0), abs=1)
    small = replace(shown, preview=replace(shown.preview, before=replace(shown.before, window=1000)))
    block = CompactPreview(theme)
    qtbot.addWidget(block)
    block.show_offer(small, 500, prune_first=False)
    assert block.keep.slider.maximum() == 10


def test_the_parts_of_what_would_be_add_up(theme: Theme, qtbot: QtBot) -> None:
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    shown = offer(make_tree(), prune_first=True)
    panel.show_offer(shown, 2000, prune_first=True)
    emptied = shown.forecast.emptied
    assert emptied > 0
    facts = {name: fact.value for name, fact in panel.sizes.facts.items()}
    assert facts["dropped"].split("·")[0].strip() in (f"{emptied} entries", "1 entry")
    assert facts["kept"].startswith(f"{len(shown.preview.plan.kept)} entries · ≈ ")
    scale = shown.forecast.scale
    assert scale is not None
    parts = (shown.summary, shown.kept, shown.pinned)
    left = scale.system + sum(figure.value or 0 for figure in parts) - (shown.dropped.value or 0)
    assert shown.after.total.value == pytest.approx(left, abs=3)


def test_counted_figures_have_their_mark_tip_and_legend(column: ContextColumn) -> None:
    view = view_of(make_tree(), 40_000)
    column.show_context(view, (), now=True)
    assert column.breakdown.count.isVisible()
    assert column.breakdown.note.toolTip() == "Reported by the provider with a reply"
    tips = {row.name.text(): row.value.toolTip() for row in column.breakdown._rows.values()}
    assert tips["System and tools"].startswith("Inferred from the first report")
    assert tips["Tool results"] == "Estimated from the text"
    column.show_context(view.counted(Count(9_000, FixedParts(300, 900), has_parts=True)), (), now=True)
    table = {name: value for name, value, _ in column.breakdown.table}
    assert column.breakdown.note.text() == "= 9k of 40k"
    assert column.breakdown.note.toolTip() == "Counted by the provider"
    assert (table["System prompt"], table["Tool definitions"]) == ("= 300", "= 900")
    assert table["Tool results"].startswith("≈ ")
    assert "= counted by the provider, ≈ estimated" in column.breakdown.remark.text()
    assert column.breakdown.count.isHidden()
    column.show_context(view.counted(Count(9_000, FixedParts(0, 900))), (), now=True)
    assert "System prompt" not in {name for name, _, _ in column.breakdown.table}  # without a system prompt
    assert column.breakdown.count.isVisible()
    column.breakdown.show_counting(on=True)
    assert (column.breakdown.count.text(), column.breakdown.count.isEnabled()) == ("Counting…", False)
    column.clear()
    assert column.breakdown.count.isHidden()
