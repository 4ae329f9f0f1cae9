"""Side columns where there is little room: large text, long words, a narrow column."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from stemmata.assets import resource
from stemmata.gui.compaction.panel import MODEL, WorkbenchPanel
from stemmata.gui.core.language import Language
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.cut import CutLine
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import FactLine
from stemmata.gui.widgets.wrapping import WrappingRow
from tests.gui.context.test_context_column import make_tree, offer

LARGEST = 200  # percent


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    language = Language(qapp, resource("i18n"), "de")
    yield
    language.remove()


@pytest.fixture
def large(theme: Theme) -> Iterator[Theme]:
    before = theme.scale
    theme.set_scale(LARGEST)
    yield theme
    theme.set_scale(before)


@pytest.fixture
def panel(german: None, large: Theme, qtbot: QtBot) -> WorkbenchPanel:
    """The panel at the smallest width of its column."""
    panel = WorkbenchPanel(large)
    qtbot.addWidget(panel)
    panel.resize(large.px(metrics.COLUMN_MINIMUMS[3]), 900)
    panel.show_offer(offer(make_tree(), prune_first=True), 2000, prune_first=True)
    panel.show_draft("## Goal\n" + "Look at it. " * 30, "digest · ≈ 4,3k tokens")
    panel.show_note("Bricht den Prompt-Cache einmal (≈ 0,03 $); spart dann ≈ 0,29 $ je Anfrage")
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def assert_nothing_is_cut_off(panel: WorkbenchPanel) -> None:
    scroll = next(area for area in panel.findChildren(QScrollArea) if area.isAncestorOf(panel.sizes))
    content = scroll.widget()
    assert content is not None
    assert content.width() == scroll.viewport().width(), "it does not ask for more than there is"
    assert panel.minimumSizeHint().width() <= panel.width()
    for shown in panel.findChildren(QLabel):
        if shown.isVisible() and not isinstance(shown, ElidedLabel) and not shown.wordWrap():
            assert shown.width() >= shown.sizeHint().width(), shown.text()
    for widget in panel.findChildren(QWidget):
        if widget.isVisible():
            right = widget.mapTo(panel, QPoint(widget.width(), 0)).x()
            assert right <= panel.width(), widget


def test_the_workbench_fits_its_column(panel: WorkbenchPanel) -> None:
    assert panel.sizes.title.text() == "Vorher"
    assert_nothing_is_cut_off(panel)
    facts = [fact for fact in panel.sizes.facts.values() if fact.isVisible()]
    assert len(facts) == 5
    assert all(fact.is_whole for fact in facts), "figures are never elided"


def test_so_it_does_with_a_model_that_failed(panel: WorkbenchPanel, qtbot: QtBot) -> None:
    panel.show_way(MODEL)
    panel.writer.show_model("a-model-with-a-name-that-is-much-too-long")
    panel.writer.show_problem("The server is overloaded. Nothing was changed.")
    qtbot.waitUntil(panel.writer.write.isVisible)
    assert_nothing_is_cut_off(panel)


@pytest.mark.parametrize(("height", "scrolls"), [(640, False), (300, True)])
def test_the_summary_gives_way_before_the_column_scrolls(
    theme: Theme, qtbot: QtBot, height: int, scrolls: bool
) -> None:
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(460, height)
    panel.show_offer(offer(make_tree(), prune_first=True), 2000, prune_first=True)
    panel.show_draft("## Goal\n" + "Look at it. " * 300, "digest · ≈ 4.3k tokens")
    panel.show()
    qtbot.waitUntil(lambda: panel.editor.page.verticalScrollBar().maximum() > 0)  # its text is added in parts
    scroll = next(one for one in panel.findChildren(QScrollArea) if one.widget() is not None)
    assert (scroll.verticalScrollBar().maximum() > 0) is scrolls
    assert panel.editor.height() >= theme.px(metrics.SUMMARY)


def places(host: QWidget, width: int) -> list[QRect]:
    layout = host.layout()
    assert layout is not None
    layout.setGeometry(QRect(0, 0, width, layout.heightForWidth(width)))
    return [widget.geometry() for widget in host.findChildren(QLabel) if not widget.isHidden()]


def test_a_row_breaks_where_it_has_no_room(host: QWidget) -> None:
    row = WrappingRow(label("left"), label("middle"), label("right"))
    host.setLayout(row)
    left, middle, right = places(host, 400)
    assert left.top() == middle.top() == right.top()
    assert (left.left(), right.right()) == (0, 399)
    assert row.sizeHint().width() < 400
    left, middle, right = places(host, row.sizeHint().width() - 1)
    assert left.top() < middle.top() == right.top(), "the two that belong together stay together"
    assert right.right() == row.sizeHint().width() - 2, "at the far side"
    narrow = row.minimumSize().width()
    assert len({place.top() for place in places(host, narrow)}) == 3
    assert row.heightForWidth(narrow) > 2 * row.heightForWidth(400)


def test_what_is_hidden_takes_no_room(host: QWidget) -> None:
    shown, hidden = label("shown"), label("hidden")
    row = WrappingRow(shown, hidden)
    host.setLayout(row)
    hidden.hide()
    assert row.sizeHint().width() == shown.sizeHint().width()
    assert row.count() == 2
    assert row.itemAt(2) is None
    assert row.takeAt(2) is None
    taken = row.takeAt(1)
    assert taken is not None
    assert taken.widget() is hidden
    hidden.setParent(None)
    empty = WrappingRow()
    assert (empty.sizeHint().width(), empty.minimumSize().width(), empty.heightForWidth(100)) == (0, 0, 0)
    assert row.expandingDirections() == Qt.Orientation.Horizontal


def test_a_row_breaks_anew_when_its_texts_change(host: QWidget) -> None:
    first, second = label("a"), label("b")
    row = WrappingRow(first, second)
    host.setLayout(row)
    lines = row.heightForWidth(60)
    second.setText("far too long for the line")
    assert row.heightForWidth(60) > lines
    second.hide()
    assert row.heightForWidth(60) == lines


def test_a_row_is_mirrored(host: QWidget) -> None:
    host.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    host.setLayout(WrappingRow(label("first"), label("second")))
    first, second = places(host, 300)
    assert (first.right(), second.left()) == (299, 0)


def test_text_that_wraps_gives_way_before_others_do(host: QWidget) -> None:
    text, button = label("some words that may stand on two lines", wrap=True), label("button")
    host.setLayout(WrappingRow(text, button))
    assert text.sizeHint().width() > 0
    wide = text.fontMetrics().horizontalAdvance(text.text())
    first, second = places(host, wide)
    assert first.top() <= second.top() <= first.bottom()
    assert first.height() > second.height()


def test_a_value_that_is_longer_than_the_column_is_elided(qtbot: QtBot) -> None:
    fact = FactLine("Model")
    qtbot.addWidget(fact)
    fact.set_value("a-very-long-name-of-a-model-" * 4)
    fact.resize(200, fact.heightForWidth(200))
    fact.show()
    assert not fact.is_whole
    assert fact.accessibleName().startswith("Model: a-very-long")


def test_the_cut_has_short_words_for_a_narrow_transcript(theme: Theme, host: QWidget) -> None:
    line = CutLine(theme, host)
    line.show_text("⇕ everything above is summarised · 390 entries · ≈ 152.4k", "⇕ 390 entries · ≈ 152.4k")
    line.put(50, 700)
    assert line.shown.startswith("⇕ everything")
    line.put(50, 260)
    assert line.shown == "⇕ 390 entries · ≈ 152.4k"
    line.put(50, 120)
    assert line.shown.endswith("…")
    assert line.spoken.startswith("everything"), "it is told in full"
