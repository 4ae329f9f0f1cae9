"""The first line of a hit: who said it, when, and on which branch."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from stemmata.gui.search.delegate import ResultsDelegate
from stemmata.gui.search.rows import MatchRow, ResultsModel
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

NAME, DATE, CHIP = "claude-3-sonnet-20240229-with-thinking", "14 Jun 2025 11:00", "branch 1 · abandoned"


@pytest.mark.parametrize("width", [300, 420, 460, 900])
def test_a_long_name_of_a_model_leaves_room_for_the_date_and_the_branch(
    theme: Theme, qtbot: QtBot, width: int
) -> None:
    rows = QListView()
    qtbot.addWidget(rows)
    painter = ResultsDelegate(theme, ResultsModel(), rows)
    match: Any = None
    room = painter.room_of_name(MatchRow(match, NAME, "text", DATE, CHIP), width)
    small, gap = QFontMetrics(theme.font("small")).horizontalAdvance, metrics.SPACE[4]
    beside = small(DATE) + small(CHIP) + 4 * gap
    assert room + beside <= width or room <= width // 4
    assert painter.room_of_name(MatchRow(match, "Bash", "text", DATE), width) >= small("Bash")
