"""A line that is cut tells all of itself where the mouse rests; one that can be read does not repeat itself."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.labels import MOST_SHOWN, MOST_TIP, ElidedLabel

TEXT = "A title with <b>marks</b> & signs, longer than there is room for"
NASTY = ["y" * 10_000_000, "[" * 3_000_000, ("a" + "\u0301" * 100) * 2_000]


@pytest.fixture
def elided(qtbot: QtBot) -> ElidedLabel:
    made = ElidedLabel(TEXT)
    qtbot.addWidget(made)
    return made


def pointed_at(elided: ElidedLabel, width: int) -> str:
    elided.resize(width, 20)
    QApplication.sendEvent(elided, QEnterEvent(QPointF(1, 1), QPointF(1, 1), QPointF(1, 1)))
    return elided.toolTip()


def test_what_is_cut_is_told_as_plain_text(elided: ElidedLabel) -> None:
    assert (
        pointed_at(elided, 80)
        == "<qt>A title with &lt;b&gt;marks&lt;/b&gt; &amp; signs, longer than there is room for</qt>"
    )


def test_what_can_be_read_is_not_told(elided: ElidedLabel) -> None:
    elided.setToolTip("Words of its own")
    assert elided.toolTip() == "Words of its own"
    assert pointed_at(elided, 2000) == ""
    assert pointed_at(elided, 80) == "Words of its own"


@pytest.mark.parametrize("hard", NASTY, ids=["word", "brackets", "marks"])
def test_of_what_nobody_can_read_the_beginning_is_shown(elided: ElidedLabel, hard: str) -> None:
    elided.setText(hard)
    assert elided.text() == hard[: MOST_SHOWN - 1] + "…"
    assert ElidedLabel(hard).text() == elided.text()
    assert len(pointed_at(elided, 80)) <= MOST_SHOWN + len("<qt></qt>")
    elided.setToolTip(hard)
    assert len(pointed_at(elided, 80)) == MOST_TIP
