"""The first line of a hit: who said it, when, and on which branch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QListView, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit
from stemmata.gui.search.delegate import ResultsDelegate
from stemmata.gui.search.rows import ResultHitRow, ResultsModel
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

NAME, DATE, CHIP = "claude-3-sonnet-20240229-with-thinking", "14 Jun 2025 11:00", "branch 1 · abandoned"


@pytest.fixture(autouse=True)
def long_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResultHitRow, "when", DATE)


@pytest.mark.parametrize("width", [300, 420, 460, 900])
def test_a_long_name_of_a_model_leaves_room_for_the_date_and_the_branch(
    theme: Theme, qtbot: QtBot, width: int
) -> None:
    rows = QListView()
    qtbot.addWidget(rows)
    painter = ResultsDelegate(theme, ResultsModel(), rows)
    hit: Any = None
    room = painter.room_of_name(ResultHitRow(hit, NAME, "text", 0, CHIP), width)
    small, gap = QFontMetrics(theme.font("small")).horizontalAdvance, metrics.SPACE[4]
    beside = small(DATE) + small(CHIP) + 4 * gap
    assert room + beside <= width or room <= width // 4
    assert painter.room_of_name(ResultHitRow(hit, "Bash", "text", 0), width) >= small("Bash")
    assert painter.fitting_chip(CHIP, small(CHIP) + 2 * gap) == CHIP, "a chip with room is whole"
    assert painter.fitting_chip(CHIP, small(CHIP) + gap).endswith("…")


def test_a_text_that_fits_on_a_line_has_the_height_of_one(theme: Theme, qtbot: QtBot) -> None:
    rows, model = QListView(), ResultsModel()
    qtbot.addWidget(rows)
    painter = ResultsDelegate(theme, model, rows)
    text = "Here are some words that are found"
    figures = QFontMetrics(theme.font("ui"))
    hit: Any = SimpleNamespace(entry=1)
    read = Hit(session=1, entry=1, id="a", role=Role.USER, kind=Kind.MESSAGE, time=0, snippet=text)
    height = {}
    for more in (0, -1):  # pixels beside the text
        rows.resize(figures.horizontalAdvance(text) + metrics.SPACE[6] * 2 + metrics.SPACE[7] + more, 200)
        rows.setFrameShape(QListView.Shape.NoFrame)
        rows.show()
        model.set_rows([ResultHitRow(hit, "You", "text", 0, read=read)])
        height[more] = painter.sizeHint(QStyleOptionViewItem(), model.index(0)).height()
    assert height[-1] == height[0] + figures.height()
