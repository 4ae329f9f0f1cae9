"""What stands at the right of the workbench ends at one line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.compaction.panel import WorkbenchPanel
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.stacked_bar import StackedBar


def right(widget: QWidget, panel: WorkbenchPanel) -> int:
    return widget.mapTo(panel, QPoint(widget.width(), 0)).x()


@pytest.mark.parametrize("scale", [100, 150])
def test_the_writers_end_where_the_bars_do(qtbot: QtBot, theme: Theme, scale: int) -> None:
    theme.set_scale(scale)
    panel = WorkbenchPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(theme.px(metrics.WORKBENCH), 1200)
    panel.show()
    qtbot.waitExposed(panel)
    bar = panel.findChildren(StackedBar)[0]
    assert abs(right(panel.writers, panel) - right(bar, panel)) <= 1
    assert abs(right(panel.accept, panel) - right(bar, panel)) <= 1
