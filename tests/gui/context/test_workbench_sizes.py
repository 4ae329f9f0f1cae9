"""The sizes in the workbench: the columns of two compared cuts, and the parts that are kept."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.gui.compaction.panel import ComparedCut, WorkbenchPanel
from stemmata.gui.context.compact_block import Offer
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel
from tests.gui.context.test_context_column import make_tree, offer


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> WorkbenchPanel:
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(theme.px(metrics.WORKBENCH), 1200)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def show(panel: WorkbenchPanel, shown: Offer, held: ComparedCut | None = None) -> None:
    panel.show_offer(shown, 2000, prune_first=False, held=held)


def right(widget: QWidget, panel: WorkbenchPanel) -> int:
    return widget.mapTo(panel, QPoint(widget.width(), 0)).x()


@pytest.mark.parametrize("is_first", [True, False])
def test_the_values_of_two_cuts_stand_in_two_columns_with_heads(
    panel: WorkbenchPanel, qtbot: QtBot, is_first: bool
) -> None:
    one = offer(make_tree())
    show(panel, one, ComparedCut(one, is_first=is_first))
    lines = [line for line in (panel.sizes.heads, *panel.sizes.facts.values()) if line.isVisible()]
    columns = [line.findChildren(ElidedLabel)[1:] for line in lines]
    qtbot.waitUntil(
        lambda: all(len({right(label, panel) for label in column}) == 1 for column in zip(*columns, strict=True))
    )
    in_use, other = ("B · in use", "A") if is_first else ("A · in use", "B")
    assert {label.text(): label.property("role") for label in columns[0]} == {in_use: "", other: "dim"}
    assert panel.sizes.facts["kept"].accessibleName().startswith("Kept word for word: A ")
    show(panel, one)
    assert not panel.sizes.heads.isVisible()
    assert all(" | " not in line.value for line in lines[1:])


def test_active_skills_are_a_line_of_their_own(panel: WorkbenchPanel) -> None:
    facts = panel.sizes.facts
    show(panel, offer(make_tree(usage=False)))
    assert not facts["skills"].isVisible()
    kept = facts["kept"].value
    skill = Entry(id="s", kind=Kind.SKILL, name="brief", blocks=(Text("word " * 80),), flags=Flag.OWN)
    show(panel, offer(make_tree(usage=False, first=[skill])))
    assert (facts["skills"].isVisible(), facts["skills"].value) == (True, "≈ 100")
    assert facts["kept"].value == kept
