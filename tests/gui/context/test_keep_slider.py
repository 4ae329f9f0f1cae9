"""What is kept stands beside its name on one line, in fewer words where the column is narrow."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from stemmata.gui.context.compact_block import KeepSlider

TEXT, BRIEF = "≈ 15.2k tokens · 1,905 entries", "≈ 15.2k · 1,905 entries"


def test_fewer_words_before_another_line(qtbot: QtBot) -> None:
    keep = KeepSlider()
    qtbot.addWidget(keep)
    keep.resize(600, keep.sizeHint().height())
    keep.show_value(100, 1000, TEXT, BRIEF)
    keep.show()
    assert keep.amount.text() == TEXT
    needed = keep.sizeHint().width()
    keep.resize(needed - 1, keep.height())
    assert keep.amount.text() == BRIEF
    qtbot.waitUntil(lambda: keep.amount.geometry().top() == keep.title.geometry().top())
    keep.resize(needed + 10, keep.height())
    assert keep.amount.text() == TEXT
